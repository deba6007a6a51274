#include "install/objects/findings.h"

#include <gmock/gmock.h>

#include "api/resource.h"
#include "install/objects/metadata.h"
#include "install/objects/workload.h"

namespace muster::install {
namespace {

using cli::Check;
using cli::Health;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr Time kNow = Time(std::chrono::hours(24 * 365 * 50));

std::vector<json::Document> all_crds() {
  std::vector<json::Document> crds;
  for (const api::Resource* kind : control::operated_kinds()) crds.push_back(api::crd(*kind));
  return crds;
}

json::Document version_of(const char* minor) {
  return json::Object{{"gitVersion", std::string("v1.") + minor}, {"major", "1"}, {"minor", minor}};
}

TEST(Findings, OfAServer) {
  EXPECT_EQ(server_finding(version_of("33+")).health, Health::kGood);
  const Check old = server_finding(version_of("24"));
  EXPECT_EQ(old.health, Health::kBad);
  EXPECT_EQ(old.finding, "Kubernetes v1.24 is too old");
}

TEST(Findings, OfKindsThatAreAbsentOursOrForeign) {
  EXPECT_EQ(kind_findings({}, {}, Stage::kBefore)[0].health, Health::kGood);
  EXPECT_EQ(kind_findings({}, {}, Stage::kAfter)[0].health, Health::kBad);

  std::vector<json::Document> crds = all_crds();
  ASSERT_THAT(kind_findings(crds, {}, Stage::kAfter), SizeIs(1));
  EXPECT_EQ(kind_findings(crds, {}, Stage::kAfter)[0].finding, "11 kinds of Muster");

  for (json::Document& crd : crds) {
    if (crd.string_at("metadata", "name") == "tfjobs.kubeflow.org") crd["metadata"].as_object().erase("labels");
  }
  const std::vector<Check> found = kind_findings(crds, {}, Stage::kAfter);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[1].health, Health::kGood);
  EXPECT_THAT(found[1].finding,
              HasSubstr("tfjobs.kubeflow.org belongs to somebody else and stays as it is; its jobs run"));
}

TEST(Findings, OfAKindWhoseForeignCrdCannotBeUsed) {
  std::vector<json::Document> crds = all_crds();
  for (json::Document& crd : crds) {
    if (crd.string_at("metadata", "name") != "tfjobs.kubeflow.org") continue;
    crd["metadata"].as_object().erase("labels");
    crd["spec"]["versions"].as_array()[0]["name"] = "v9";
  }
  const std::vector<Check> found = kind_findings(crds, {}, Stage::kBefore);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[1].health, Health::kBad);
  EXPECT_THAT(found[1].finding, HasSubstr("serves v9, and Muster needs v1"));
  EXPECT_EQ(found[1].fix,
            "muster install --adopt tfjobs.kubeflow.org, or leave the kind out: --kinds tfjobs.kubeflow.org=off");
  EXPECT_THAT(kind_findings(crds, {{"tfjobs.kubeflow.org", control::Wish::kOff}}, Stage::kBefore), SizeIs(1));
}

TEST(Findings, OfAKindThatIsOlderThanTheProgram) {
  std::vector<json::Document> crds = all_crds();
  for (json::Document& crd : crds) {
    if (crd.string_at("metadata", "name") == "mpijobs.kubeflow.org") crd["spec"]["versions"].as_array().pop_back();
  }
  EXPECT_EQ(kind_findings(crds, {}, Stage::kAfter)[1].finding, "older than this program: mpijobs.kubeflow.org");
}

TEST(Findings, OfOtherOperators) {
  EXPECT_EQ(others_finding({{"tfjobs.kubeflow.org", ""}}).health, Health::kGood);
  const Check found = others_finding({{"tfjobs.kubeflow.org", "training-operator (Lease kubeflow/x)"}});
  EXPECT_EQ(found.health, Health::kAbsent);
  EXPECT_EQ(found.finding,
            "training-operator (Lease kubeflow/x) runs tfjobs.kubeflow.org; Muster leaves these kinds to it");
  EXPECT_EQ(found.fix, "stop it, or say that you mean it: muster install --kinds tfjobs.kubeflow.org=off");
}

TEST(Findings, OfGangs) {
  EXPECT_EQ(queues_finding({"apps"}, {}).health, Health::kAbsent);
  EXPECT_EQ(queues_finding({"kueue.x-k8s.io", "scheduling.volcano.sh"}, {"team"}).finding,
            "Kueue, Volcano; LocalQueue default in team");
}

TEST(Findings, OfRights) {
  EXPECT_EQ(installer_finding({}).health, Health::kGood);
  EXPECT_EQ(installer_finding({.denied = {"create clusterroles"}}).finding, "you may not create clusterroles");
  EXPECT_EQ(operator_rights_findings({}, {}).size(), 1u);
  const auto found = operator_rights_findings({.denied = {"list pods"}}, {.denied = {"get secrets"}});
  EXPECT_EQ(found[0].finding, "the operator may not list pods");
  EXPECT_EQ(found[1].finding, "the operator may not get secrets: Notebooks do not run");
  EXPECT_EQ(operator_rights_findings({.is_known = false}, {})[0].health, Health::kAbsent);
}

TEST(Findings, OfTheDeployment) {
  EXPECT_THAT(deployment_finding(std::nullopt, {}, {}).finding,
              "there is no Deployment muster-operator in muster-system");
  json::Document deployment = operator_deployment({});
  EXPECT_EQ(deployment_finding(deployment, {"pod x: ErrImagePull"}, {}).finding,
            "0 of 1 available in muster-system: pod x: ErrImagePull");
  deployment["status"] = json::Object{{"availableReplicas", 1}};
  EXPECT_EQ(deployment_finding(deployment, {}, {}).health, Health::kGood);
  EXPECT_EQ(version_finding(deployment).health, Health::kGood);
  deployment["metadata"]["labels"]["app.kubernetes.io/version"] = "9.9.9";
  EXPECT_EQ(version_finding(deployment).finding, "the operator is 9.9.9, this program " + version());
}

TEST(Findings, OfTheLease) {
  EXPECT_EQ(lease_finding(std::nullopt, kNow, {}).health, Health::kBad);
  json::Document lease = new_object("coordination.k8s.io/v1", "Lease", "muster-system", kName);
  lease["spec"] =
      json::Object{{"holderIdentity", "a"}, {"leaseDurationSeconds", 15}, {"renewTime", format_rfc3339(kNow)}};
  EXPECT_EQ(lease_finding(lease, kNow, {}).finding, "held by a");
  const Check late = lease_finding(lease, kNow + std::chrono::seconds(31), {});
  EXPECT_EQ(late.health, Health::kBad);
  EXPECT_THAT(late.finding, HasSubstr("a has not renewed the Lease since "));
}

TEST(Findings, KnowTheSettingsOfAnInstallation) {
  Settings made;
  made.kinds = {"tfjobs=off", "crons=on"};
  made.namespaces = {"a", "b"};
  Settings read;
  read_settings(operator_deployment(made), read);
  EXPECT_EQ(read.kinds, made.kinds);
  EXPECT_EQ(read.namespaces, made.namespaces);
}

}  // namespace
}  // namespace muster::install
