#include "install/objects/roles.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace muster::install {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

/// Returns all verbs on a resource, such as "pods" or "pytorchjobs/status".
std::vector<std::string> verbs_on(const std::vector<Rule>& rules, const std::string& resource) {
  std::vector<std::string> verbs;
  for (const Rule& rule : rules) {
    if (std::ranges::find(rule.resources, resource) == rule.resources.end()) continue;
    verbs.insert(verbs.end(), rule.verbs.begin(), rule.verbs.end());
  }
  return verbs;
}

Rights rights_for(std::vector<std::string> kinds) {
  Settings settings;
  settings.kinds = std::move(kinds);
  return *rights_of_operator(settings);
}

std::vector<Rule> all_rules(const Rights& rights) {
  std::vector<Rule> all = rights.jobs;
  for (const auto* more : {&rights.cluster, &rights.secrets, &rights.lease}) {
    all.insert(all.end(), more->begin(), more->end());
  }
  return all;
}

TEST(Roles, NeverListOrWatchSecretsAndNameEveryVerb) {
  for (const Rule& rule : all_rules(rights_for({}))) {
    EXPECT_THAT(rule.verbs, Not(Contains("*")));
    EXPECT_THAT(rule.resources, Not(Contains("*")));
    EXPECT_NE(rule.group, "*");
  }
  EXPECT_THAT(verbs_on(all_rules(rights_for({})), "secrets"), ElementsAre("get", "create"));
}

TEST(Roles, NeverMayEnterPodsOrGrantRights) {
  const std::vector<Rule> all = all_rules(rights_for({}));
  for (const char* resource : {"pods/exec", "pods/attach", "pods/portforward", "nodes", "serviceaccounts/token"}) {
    EXPECT_THAT(verbs_on(all, resource), IsEmpty()) << resource;
  }
  for (const Rule& rule : all) EXPECT_NE(rule.group, "rbac.authorization.k8s.io");
}

TEST(Roles, WriteOnlyTheStatusOfJobs) {
  const Rights rights = rights_for({});
  EXPECT_THAT(verbs_on(rights.jobs, "pytorchjobs"), ElementsAre("list", "watch", "get", "create", "delete"));
  EXPECT_THAT(verbs_on(rights.jobs, "pytorchjobs/status"), ElementsAre("patch"));
  EXPECT_THAT(verbs_on(rights.jobs, "pytorchjobs/finalizers"), ElementsAre("update"));
}

TEST(Roles, CreateJobsOnlyForCrons) {
  EXPECT_THAT(verbs_on(rights_for({"crons=off"}).jobs, "pytorchjobs"), ElementsAre("list", "watch", "delete"));
  // Crons create jobs that another operator runs.
  EXPECT_THAT(verbs_on(rights_for({"crons"}).jobs, "pytorchjobs"), IsSupersetOf({"create", "delete"}));
  EXPECT_THAT(verbs_on(rights_for({"crons"}).jobs, "pytorchjobs/status"), IsEmpty());
}

TEST(Roles, OfKindsWithoutPagesHaveNoDeployments) {
  const Rights rights = rights_for({"pytorchjobs=on", "tfjobs=on", "mpijobs.kubeflow.org=on", "notebooks=off",
                                    "tensorboards=off", "pytorchtrainingjobs=off", "tensorflowtrainingjobs=off",
                                    "xgboosttrainingjobs=off", "genericjobs=off", "mpijobs.batch.tensorstack.dev=off"});
  EXPECT_THAT(verbs_on(rights.jobs, "deployments"), IsEmpty());
  EXPECT_THAT(verbs_on(rights.jobs, "leases"), IsEmpty());  // on: nobody else is looked for
}

TEST(Roles, SeeOnlyTheLeasesOfKnownOperators) {
  const std::vector<Rule> rules = rights_for({}).jobs;
  const auto leases = std::ranges::find(rules, std::vector<std::string>{"leases"}, &Rule::resources);
  ASSERT_NE(leases, rules.end());
  EXPECT_THAT(leases->names, ElementsAre("1ca428e5.training-operator.kubeflow.org", "mpi-operator"));
}

TEST(Roles, OfSomeNamespacesHaveNothingOfTheCluster) {
  Settings settings;
  settings.namespaces = {"team"};
  EXPECT_THAT(rights_of_operator(settings)->cluster, IsEmpty());
}

TEST(Roles, WithoutSecretsLeaveTheRestAsItIs) {
  Settings settings;
  settings.secrets = false;
  EXPECT_THAT(rights_of_operator(settings)->secrets, IsEmpty());
  EXPECT_EQ(rights_of_operator(settings)->jobs, rights_for({}).jobs);
}

}  // namespace
}  // namespace muster::install
