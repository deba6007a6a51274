#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

std::string pod_of(const std::string& name, const std::string& resources) {
  return R"({"metadata":{"name":")" + name + R"("},"spec":{"containers":[{"name":"main","image":"i","resources":)" +
         resources + R"(},{"name":"side","image":"i","resources":)" + resources + "}]}}";
}

class QuotaContract : public ApiContract {
 protected:
  /// Creates a quota and waits until it is in force. It also forbids services, so that a dry run of one shows that.
  void make_quota(const std::string& name, const std::string& hard) {
    const Answer made = post(core("resourcequotas"), R"({"metadata":{"name":")" + name +
                                                         R"("},"spec":{"hard":{"services":"0",)" + hard + "}}}");
    ASSERT_EQ(made.code, 201) << made.text;
    ask_until(
        [&] {
          return post(core("services") + "?dryRun=All",
                      R"({"metadata":{"name":"probe"},"spec":{"ports":[{"port":80}]}})");
        },
        [](const Answer& probe) { return probe.message().find("exceeded quota") != std::string::npos; });
  }
  /// Expects that the object can be created, perhaps with a delay, because Kubernetes decides from a cache.
  void expect_allowed(const std::string& target, const std::string& body) {
    ask_until([&] { return post(target, body); }, [](const Answer& made) { return made.code == 201; });
  }
  void expect_used(const std::string& name, const std::string& what, const std::string& amount) {
    get_until(core("resourcequotas/" + name),
              [&](const Answer& quota) { return quota.body.string_at("status", "used", what) == amount; });
  }
};

TEST_P(QuotaContract, CountsAndRefusesPods) {
  make_quota("q", R"("pods":"2","requests.cpu":"1","limits.memory":"1Gi")");
  Answer refused = post(core("pods"), pod_of("a", "{}"));
  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(refused.reason(), "Forbidden");
  EXPECT_EQ(refused.message(),
            "pods \"a\" is forbidden: failed quota: q: must specify limits.memory for: main,side; requests.cpu for: "
            "main,side");
  const std::string resources = R"({"requests":{"cpu":"300m"},"limits":{"memory":"300Mi"}})";
  expect_allowed(core("pods"), pod_of("a", resources));
  expect_used("q", "requests.cpu", "600m");
  expect_used("q", "limits.memory", "600Mi");
  expect_used("q", "pods", "1");
  refused = post(core("pods"), pod_of("b", resources));
  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(refused.message(),
            "pods \"b\" is forbidden: exceeded quota: q, requested: limits.memory=600Mi,requests.cpu=600m, used: "
            "limits.memory=600Mi,requests.cpu=600m, limited: limits.memory=1Gi,requests.cpu=1");
  EXPECT_EQ(refused.body.string_at("details", "kind"), "pods");
  // A pod that has ended makes room, and so does one that is deleted.
  ASSERT_EQ(patch(core("pods/a/status"), R"({"status":{"phase":"Succeeded"}})").code, 200);
  expect_used("q", "pods", "0");
  expect_used("q", "requests.cpu", "0");
  expect_allowed(core("pods"), pod_of("b", resources));
  ASSERT_EQ(remove(core("pods/b"), R"({"gracePeriodSeconds":0})").code, 200);
  expect_used("q", "limits.memory", "0");
}

TEST_P(QuotaContract, CountsObjectsOfAnyKind) {
  make_quota("q", R"("count/pytorchjobs.kubeflow.org":"1","count/configmaps":"1","secrets":1)");
  expect_allowed(kubeflow("pytorchjobs"), pytorch_job("one"));
  Answer refused = post(kubeflow("pytorchjobs"), pytorch_job("two"));
  EXPECT_EQ(refused.code, 403) << refused.text;
  EXPECT_EQ(refused.message(),
            "pytorchjobs.kubeflow.org \"two\" is forbidden: exceeded quota: q, requested: "
            "count/pytorchjobs.kubeflow.org=1, used: count/pytorchjobs.kubeflow.org=1, limited: "
            "count/pytorchjobs.kubeflow.org=1");
  EXPECT_EQ(post(core("configmaps") + "?dryRun=All", config_map("c")).code, 201);
  EXPECT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  expect_used("q", "count/configmaps", "1");
  EXPECT_EQ(post(core("configmaps") + "?dryRun=All", config_map("d")).code, 403);
  // The quota is checked before the name.
  EXPECT_EQ(post(core("configmaps"), config_map("c")).code, 403);
  EXPECT_EQ(post(core("secrets"), R"({"metadata":{"name":"s"}})").code, 201);
  EXPECT_EQ(post(core("secrets"), R"({"metadata":{"name":"t"}})").code, 403);
  ASSERT_EQ(remove(core("configmaps/c")).code, 200);
  expect_used("q", "count/configmaps", "0");
  expect_allowed(core("configmaps"), config_map("e"));
  // More is allowed once the quota's status shows the new limit.
  ASSERT_EQ(patch(core("resourcequotas/q"), R"({"spec":{"hard":{"secrets":"2"}}})").code, 200);
  get_until(core("resourcequotas/q"),
            [](const Answer& quota) { return quota.body.string_at("status", "hard", "secrets") == "2"; });
  expect_allowed(core("secrets"), R"({"metadata":{"name":"t"}})");
}

/// An MPIJob of any of its groups and versions.
std::string mpi_job(const std::string& api_version, const std::string& name, const std::string& spec) {
  return R"({"apiVersion":")" + api_version + R"(","kind":"MPIJob","metadata":{"name":")" + name + R"("},"spec":)" +
         spec + "}";
}

TEST_P(QuotaContract, CountsMpiJobsOfEveryShape) {
  const std::string pod = R"({"spec":{"containers":[{"name":"c","image":"i"}]}})";
  const std::string roles = R"({"mpiReplicaSpecs":{"Launcher":{"template":)" + pod + "}}}";
  const std::string v1 = "/apis/kubeflow.org/v1/namespaces/" + ns_ + "/mpijobs";
  const std::string v2 = "/apis/kubeflow.org/v2beta1/namespaces/" + ns_ + "/mpijobs";
  make_quota("q", R"("count/mpijobs.kubeflow.org":"2","count/mpijobs.batch.tensorstack.dev":"3")");

  // This is one kind in two versions: its objects are counted together.
  expect_allowed(v1, mpi_job("kubeflow.org/v1", "a", roles));
  expect_allowed(v2, mpi_job("kubeflow.org/v2beta1", "b", roles));
  expect_used("q", "count/mpijobs.kubeflow.org", "2");
  for (const auto& [list, version] : {std::pair(v1, "kubeflow.org/v1"), std::pair(v2, "kubeflow.org/v2beta1")}) {
    const Answer refused = post(list, mpi_job(version, "c", roles));
    EXPECT_EQ(refused.code, 403) << refused.text;
    EXPECT_EQ(refused.message(),
              "mpijobs.kubeflow.org \"c\" is forbidden: exceeded quota: q, requested: count/mpijobs.kubeflow.org=1, "
              "used: count/mpijobs.kubeflow.org=2, limited: count/mpijobs.kubeflow.org=2");
  }
  EXPECT_EQ(patch(v2 + "/a", R"({"metadata":{"labels":{"x":"y"}}})").code, 200) << "a change is not a creation";
  ASSERT_EQ(remove(v2 + "/a").code, 200);
  expect_used("q", "count/mpijobs.kubeflow.org", "1");
  expect_allowed(v1, mpi_job("kubeflow.org/v1", "c", roles));

  // A kind of the same name in another group is a different kind, whatever its spec looks like.
  const std::string list = tensorstack("mpijobs");
  const auto shaped = [&](const std::string& name, const std::string& spec) {
    return mpi_job("batch.tensorstack.dev/v1beta1", name, spec);
  };
  const std::string replicas =
      R"({"mpiConfig":{"script":["python"]},"ssh":{},"replicaSpecs":[{"type":"worker","template":)" + pod +
      R"(},{"type":"launcher","template":{}}]})";
  expect_allowed(list, shaped("replicas", replicas));
  expect_allowed(list, shaped("older", R"({"worker":{"cmd":["a"],"extraMPIArgs":["-v"],"template":)" + pod + "}}"));
  expect_allowed(list, shaped("oldest", R"({"worker":{"cmd":["a"],"processesPerWorker":2,"template":)" + pod + "}}"));
  expect_used("q", "count/mpijobs.batch.tensorstack.dev", "3");
  const Answer refused = post(list, shaped("more", replicas));
  EXPECT_EQ(refused.code, 403) << refused.text;
  EXPECT_EQ(refused.message(),
            "mpijobs.batch.tensorstack.dev \"more\" is forbidden: exceeded quota: q, requested: "
            "count/mpijobs.batch.tensorstack.dev=1, used: count/mpijobs.batch.tensorstack.dev=3, limited: "
            "count/mpijobs.batch.tensorstack.dev=3");
  expect_used("q", "count/mpijobs.kubeflow.org", "2");
}

TEST_P(QuotaContract, WhatWasThereBeforeTheQuotaCounts) {
  ASSERT_EQ(post(core("secrets"), R"({"metadata":{"name":"s"}})").code, 201);
  make_quota("q", R"("count/secrets":"1")");
  expect_used("q", "count/secrets", "1");
  EXPECT_EQ(post(core("secrets"), R"({"metadata":{"name":"t"}})").code, 403);
  ASSERT_EQ(remove(core("resourcequotas/q")).code, 200);
  expect_allowed(core("secrets"), R"({"metadata":{"name":"t"}})");
}

TEST_P(QuotaContract, BrokenQuotasAreInvalid) {
  const Answer refused =
      post(core("resourcequotas"), R"({"metadata":{"name":"q"},"spec":{"hard":{"bogus":"1","count/x":"1.5",)"
                                   R"("pods":"-1"},"scopes":["BestEffort","NotBestEffort"]}})");
  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(refused.causes(),
              UnorderedElementsAre("FieldValueInvalid spec.hard[bogus]", "FieldValueInvalid spec.hard[bogus]",
                                   "FieldValueInvalid spec.hard[count/x]", "FieldValueInvalid spec.hard[pods]",
                                   "FieldValueInvalid spec.scopes"));
}

TEST_P(QuotaContract, AScopeLimitsWhatCanBeCounted) {
  const auto made = [&](const char* resource, const char* scope) {
    return post(core("resourcequotas?dryRun=All"), R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"1",")" +
                                                       std::string(resource) + R"(":"1"},"scopes":[")" + scope +
                                                       "\"]}}");
  };
  for (const char* right : {"count/pods", "requests.nvidia.com/gpu"}) {
    EXPECT_EQ(made(right, "BestEffort").code, 201) << right;
  }
  for (const char* right : {"cpu", "requests.cpu", "limits.memory", "count/pods"}) {
    EXPECT_EQ(made(right, "Terminating").code, 201) << right;
  }
  for (const char* wrong : {"cpu", "limits.memory", "configmaps", "hugepages-2Mi"}) {
    EXPECT_THAT(made(wrong, "BestEffort").causes(), ElementsAre("FieldValueInvalid spec.scopes")) << wrong;
  }
  for (const char* wrong : {"ephemeral-storage", "configmaps", "requests.storage"}) {
    EXPECT_THAT(made(wrong, "NotBestEffort").causes(), ElementsAre("FieldValueInvalid spec.scopes")) << wrong;
  }
}

/// A selector that no pod can match would silently limit nothing.
TEST_P(QuotaContract, AScopeSelectorIsChecked) {
  const auto causes = [&](const std::string& expression, const char* hard = "pods") {
    return post(core("resourcequotas?dryRun=All"), R"({"metadata":{"name":"q"},"spec":{"hard":{")" + std::string(hard) +
                                                       R"(":"1"},"scopeSelector":{"matchExpressions":[)" + expression +
                                                       "]}}}")
        .causes();
  };
  const std::string at = "spec.scopeSelector.matchExpressions";
  EXPECT_THAT(causes(R"({"scopeName":"PriorityClass","operator":"In","values":["high"]})"), ElementsAre());
  EXPECT_THAT(causes(R"({"scopeName":"BestEffort","operator":"Exists"})"), ElementsAre());
  EXPECT_THAT(causes(R"({"scopeName":"priorityclass","operator":"Exists"})"),
              ElementsAre("FieldValueInvalid " + at + ".scopeName"));
  EXPECT_THAT(causes(R"({"scopeName":"PriorityClass","operator":"is"})"),
              ElementsAre("FieldValueInvalid " + at + ".operator"));
  EXPECT_THAT(causes(R"({"scopeName":"PriorityClass","operator":"In"})"),
              ElementsAre("FieldValueRequired " + at + ".values"));
  EXPECT_THAT(causes(R"({"scopeName":"PriorityClass","operator":"Exists","values":["high"]})"),
              ElementsAre("FieldValueInvalid " + at + ".values"));
  EXPECT_THAT(causes(R"({"scopeName":"Terminating","operator":"DoesNotExist"})"),
              ElementsAre("FieldValueInvalid " + at + ".operator"));
  EXPECT_THAT(causes(R"({"scopeName":"BestEffort","operator":"Exists"})", "cpu"),
              ElementsAre("FieldValueInvalid " + at));
}

TEST_P(QuotaContract, Table) {
  make_quota("q", R"("pods":"2","limits.memory":"1Gi")");
  expect_used("q", "pods", "0");
  const Answer t = table(core("resourcequotas"));
  EXPECT_EQ(at(t.body, "columnDefinitions", 1, "name"), Document("Request"));
  EXPECT_EQ(at(t.body, "rows", 0, "cells", 1), Document("pods: 0/2, services: 0/0"));
  EXPECT_EQ(at(t.body, "rows", 0, "cells", 2), Document("limits.memory: 0/1Gi"));
}

INSTANTIATE_TEST_SUITE_P(Contract, QuotaContract,
                         ::testing::Values(Where::kInProcess, Where::kOverHttps, Where::kKubernetes),
                         [](const auto& tested) { return where_name(tested.param); });

}  // namespace
}  // namespace muster::contract
