#include <fmt/core.h>

#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// managedFields as "manager operation [subresource] fields", without times.
std::vector<std::string> owners(const Document& object) {
  std::vector<std::string> out;
  const Document& entries = at(object, "metadata", "managedFields");
  if (!entries.is_array()) return out;
  for (const Document& entry : entries.as_array()) {
    std::string text = entry.string_at("manager") + " " + entry.string_at("operation") + " ";
    if (!entry.string_at("subresource").empty()) text += entry.string_at("subresource") + " ";
    out.push_back(text + json::serialize(at(entry, "fieldsV1")));
  }
  return out;
}

std::string by(const std::string& target, const std::string& manager, const std::string& more = "") {
  return target + "?fieldManager=" + manager + more;
}

std::string map_with(const std::string& data) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":)" + data + "}";
}

std::string job_with(const std::string& worker) {
  return R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"j"},"spec":{)"
         R"("pytorchReplicaSpecs":{"Worker":)" +
         worker + "}}}";
}

TEST_P(ApiContract, ApplyCreates) {
  const Answer made = patch(by(core("configmaps/c"), "a"), map_with(R"({"x":"1"})"), kApply);
  EXPECT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.string_at("data", "x"), "1");
  EXPECT_THAT(owners(made.body), ElementsAre(R"(a Apply {"f:data":{"f:x":{}}})"));
  EXPECT_FALSE(at(made.body, "metadata", "managedFields", 0).string_at("time").empty());
  EXPECT_EQ(at(made.body, "metadata", "managedFields", 0).string_at("apiVersion"), "v1");
  EXPECT_EQ(at(made.body, "metadata", "managedFields", 0).string_at("fieldsType"), "FieldsV1");
}

TEST_P(ApiContract, ApplyTakesYaml) {
  const Answer made = patch(by(core("configmaps/c"), "a"),
                            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  x: \"1\"\n", kApply);
  EXPECT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.string_at("data", "x"), "1");
  EXPECT_EQ(patch(by(core("configmaps/c"), "a"), "{a: [", kApply).code, 400);
}

TEST_P(ApiContract, ApplyingTheSameAgainWritesNothing) {
  const Answer made = patch(by(core("configmaps/c"), "a"), map_with(R"({"x":"1"})"), kApply);
  const Answer again = patch(by(core("configmaps/c"), "a"), map_with(R"({"x":"1"})"), kApply);
  EXPECT_EQ(again.code, 200) << again.text;
  EXPECT_EQ(again.body, made.body);
}

TEST_P(ApiContract, ApplyOfAnothersFieldIsAConflict) {
  ASSERT_EQ(patch(by(core("configmaps/c"), "a"), map_with(R"({"x":"1"})"), kApply).code, 201);
  const Answer refused = patch(by(core("configmaps/c"), "b"), map_with(R"({"x":"2"})"), kApply);
  EXPECT_EQ(refused.code, 409) << refused.text;
  EXPECT_EQ(refused.reason(), "Conflict");
  EXPECT_EQ(refused.message(), R"(Apply failed with 1 conflict: conflict with "a": .data.x)");
  EXPECT_THAT(refused.causes(), ElementsAre("FieldManagerConflict .data.x"));
  EXPECT_EQ(at(refused.body, "details", "causes", 0).string_at("message"), R"(conflict with "a")");
}

TEST_P(ApiContract, ApplyConflictsNameEveryField) {
  ASSERT_EQ(call("POST", by(core("configmaps"), "kubectl-create"), map_with(R"({"x":"1","y":"1"})")).code, 201);
  const Answer refused = patch(by(core("configmaps/c"), "b"), map_with(R"({"x":"2","y":"2"})"), kApply);
  EXPECT_EQ(refused.code, 409) << refused.text;
  EXPECT_EQ(refused.message(),
            "Apply failed with 2 conflicts: conflicts with \"kubectl-create\" using v1:\n- .data.x\n- .data.y");
  EXPECT_THAT(refused.causes(), ElementsAre("FieldManagerConflict .data.x", "FieldManagerConflict .data.y"));
}

TEST_P(ApiContract, ForcedApplyMovesOwnership) {
  ASSERT_EQ(patch(by(core("configmaps/c"), "a"), map_with(R"({"x":"1","y":"1"})"), kApply).code, 201);
  const Answer now = patch(by(core("configmaps/c"), "b", "&force=true"), map_with(R"({"x":"2"})"), kApply);
  EXPECT_EQ(now.code, 200) << now.text;
  EXPECT_EQ(now.body.string_at("data", "x"), "2");
  EXPECT_THAT(owners(now.body),
              ::testing::UnorderedElementsAre(R"(a Apply {"f:data":{"f:y":{}}})", R"(b Apply {"f:data":{"f:x":{}}})"));
}

TEST_P(ApiContract, ApplyingTheSameValueSharesOwnership) {
  ASSERT_EQ(patch(by(core("configmaps/c"), "a"), map_with(R"({"x":"1"})"), kApply).code, 201);
  Answer now = patch(by(core("configmaps/c"), "b"), map_with(R"({"x":"1"})"), kApply);
  EXPECT_EQ(now.code, 200) << now.text;
  EXPECT_THAT(owners(now.body),
              ::testing::UnorderedElementsAre(R"(a Apply {"f:data":{"f:x":{}}})", R"(b Apply {"f:data":{"f:x":{}}})"));
  // When one of two owners drops the field, it stays; when the other one does too, it is removed.
  now = patch(by(core("configmaps/c"), "a"), map_with("{}"), kApply);
  EXPECT_EQ(now.body.string_at("data", "x"), "1") << now.text;
  now = patch(by(core("configmaps/c"), "b"), map_with("{}"), kApply);
  EXPECT_EQ(at(now.body, "data", "x"), Document()) << now.text;
}

TEST_P(ApiContract, ApplyRemovesWhatItsOnlyOwnerDropped) {
  ASSERT_EQ(patch(by(core("configmaps/c"), "a"), map_with(R"({"x":"1","y":"1"})"), kApply).code, 201);
  ASSERT_EQ(patch(by(core("configmaps/c"), "other"), R"({"data":{"z":"1"}})").code, 200);
  const Answer now = patch(by(core("configmaps/c"), "a"), map_with(R"({"x":"1"})"), kApply);
  EXPECT_EQ(now.code, 200) << now.text;
  EXPECT_EQ(json::serialize(at(now.body, "data")), R"({"x":"1","z":"1"})");
  EXPECT_THAT(owners(now.body),
              ElementsAre(R"(a Apply {"f:data":{"f:x":{}}})", R"(other Update {"f:data":{"f:z":{}}})"));
}

TEST_P(ApiContract, ApplyRemovesTheLastMetadataOfItsOwner) {
  const char* with[] = {R"("labels":{"team":"a"})", R"("annotations":{"note":"a"})", R"("finalizers":["a.example/b"])"};
  const char* gone[] = {"labels", "annotations", "finalizers"};
  for (int i = 0; i < 3; ++i) {
    const std::string name = gone[i];
    const auto config = [&](const std::string& more) {
      return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + "\"" + more + "}}";
    };
    const std::string target = by(core("configmaps/" + name), "a");
    ASSERT_EQ(patch(target, config(std::string(",") + with[i]), kApply).code, 201);
    const Answer after = patch(target, config(""), kApply);
    EXPECT_EQ(after.code, 200) << after.text;
    EXPECT_EQ(after.body.string_at("metadata", "name"), name);
    EXPECT_EQ(after.body.at("metadata", gone[i]), nullptr) << after.text;
  }
}

TEST_P(ApiContract, OwnersOfBuiltInObjects) {
  struct Made {
    std::string target;
    std::string body;
    std::string owner;
  };
  const std::string cluster_wide = R"({"metadata":{"name":")" + ns_ + "\"}";
  const Made all[] = {
      {core("pods"),
       R"({"metadata":{"name":"p","labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","resources":)"
       R"({"limits":{"cpu":"1"}}}],"nodeSelector":{"no":"where"}}})",
       R"(m Update {"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{)"
       R"(".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:limits":{".":{},)"
       R"("f:cpu":{}},"f:requests":{".":{},"f:cpu":{}}},"f:terminationMessagePath":{},)"
       R"("f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:enableServiceLinks":{},"f:nodeSelector":{},)"
       R"("f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}})"},
      {core("resourcequotas"), R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"100"}}})",
       R"(m Update {"f:spec":{"f:hard":{".":{},"f:pods":{}}}})"},
      {core("persistentvolumeclaims"),
       R"({"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":)"
       R"("1Gi"}}}})",
       R"(m Update {"f:spec":{"f:accessModes":{},"f:resources":{"f:requests":{".":{},"f:storage":{}}},)"
       R"("f:volumeMode":{}}})"},
      {"/apis/coordination.k8s.io/v1/namespaces/" + ns_ + "/leases",
       R"({"metadata":{"name":"l"},"spec":{"holderIdentity":"h"}})", R"(m Update {"f:spec":{"f:holderIdentity":{}}})"},
      {"/api/v1/nodes", cluster_wide + R"(,"spec":{"unschedulable":true}})",
       R"(m Update {"f:spec":{"f:unschedulable":{}}})"},
      {"/apis/scheduling.k8s.io/v1/priorityclasses", cluster_wide + R"(,"value":5})",
       R"(m Update {"f:preemptionPolicy":{},"f:value":{}})"},
  };
  for (const Made& made : all) {
    const Answer answer = post(made.target + "?fieldManager=m", made.body);
    ASSERT_EQ(answer.code, 201) << answer.text;
    EXPECT_THAT(owners(answer.body), ElementsAre(made.owner));
  }
  const Answer status = patch(core("pods/p/status?fieldManager=s"), R"({"status":{"message":"m"}})");
  ASSERT_EQ(status.code, 200) << status.text;
  EXPECT_EQ(owners(status.body).back(), R"(s Update status {"f:status":{"f:message":{}}})");
  EXPECT_EQ(remove("/api/v1/nodes/" + ns_).code, 200);
  EXPECT_EQ(remove("/apis/scheduling.k8s.io/v1/priorityclasses/" + ns_).code, 200);
}

TEST_P(ApiContract, ApplyNeedsAFieldManager) {
  const Answer refused = patch(core("configmaps/c"), map_with("{}"), kApply);
  EXPECT_EQ(refused.code, 422) << refused.text;
  EXPECT_EQ(refused.message(),
            "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch");
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueRequired fieldManager"));
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  const Answer forced = patch(core("configmaps/c") + "?force=true", "{}");
  EXPECT_EQ(forced.code, 422) << forced.text;
  EXPECT_THAT(forced.causes(), ElementsAre("FieldValueForbidden force"));
}

TEST_P(ApiContract, ApplyRefusesWhatIsNoConfiguration) {
  const std::string owned =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","managedFields":[{"manager":"x"}]}})";
  const Answer refused = patch(by(core("configmaps/c"), "a"), owned, kApply);
  EXPECT_EQ(refused.code, 400) << refused.text;
  EXPECT_EQ(refused.message(), "metadata.managedFields must be nil");
  const Answer renamed = patch(by(core("configmaps/other"), "a"), map_with("{}"), kApply);
  EXPECT_EQ(renamed.code, 400) << renamed.text;
  const Answer version =
      patch(by(core("configmaps/c"), "a"), R"({"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"c"}})", kApply);
  EXPECT_EQ(version.code, 400) << version.text;
}

TEST_P(ApiContract, DryRunOfApplyChangesNothing) {
  const Answer tried = patch(by(core("configmaps/c"), "a", "&dryRun=All"), map_with(R"({"x":"1"})"), kApply);
  EXPECT_EQ(tried.code, 201) << tried.text;
  EXPECT_EQ(get(core("configmaps/c")).code, 404);
  const Answer made = patch(by(core("configmaps/c"), "a"), map_with(R"({"x":"1"})"), kApply);
  EXPECT_EQ(
      patch(by(core("configmaps/c"), "a", "&dryRun=All"), map_with(R"({"x":"2"})"), kApply).body.string_at("data", "x"),
      "2");
  EXPECT_EQ(get(core("configmaps/c")).body, made.body);
}

TEST_P(ApiContract, UpdatesAreTrackedForApply) {
  const Answer made =
      call("POST", by(core("configmaps"), "maker"), R"({"metadata":{"name":"c","labels":{"l":"1"}},"data":{"x":"1"}})");
  EXPECT_THAT(owners(made.body), ElementsAre(R"(maker Update {"f:data":{".":{},"f:x":{}},)"
                                             R"("f:metadata":{"f:labels":{".":{},"f:l":{}}}})"));
  const Answer same = patch(by(core("configmaps/c"), "other"), R"({"data":{"x":"1"}})");
  EXPECT_EQ(same.body, made.body);
  const Answer changed = patch(by(core("configmaps/c"), "other"), R"({"data":{"x":"2"}})");
  EXPECT_THAT(owners(changed.body), ::testing::UnorderedElementsAre(
                                        R"(maker Update {"f:data":{},"f:metadata":{"f:labels":{".":{},"f:l":{}}}})",
                                        R"(other Update {"f:data":{"f:x":{}}})"));
  Document whole = changed.body;
  whole["metadata"].as_object().erase("managedFields");
  whole["metadata"].as_object().erase("labels");
  const Answer put_back = call("PUT", by(core("configmaps/c"), "putter"), json::serialize(whole));
  EXPECT_THAT(owners(put_back.body),
              ::testing::UnorderedElementsAre(R"(maker Update {"f:data":{}})", R"(other Update {"f:data":{"f:x":{}}})"))
      << put_back.text;
}

TEST_P(ApiContract, OwnersCanBeForgotten) {
  ASSERT_EQ(call("POST", by(core("configmaps"), "maker"), map_with(R"({"x":"1"})")).code, 201);
  const Answer emptied = patch(by(core("configmaps/c"), "maker"), R"({"metadata":{"managedFields":[]}})");
  EXPECT_EQ(owners(emptied.body).size(), 0u) << emptied.text;
  ASSERT_EQ(call("POST", by(core("configmaps"), "maker"), config_map("d")).code, 201);
  const Answer forgotten = patch(by(core("configmaps/d"), "maker"), R"({"metadata":{"managedFields":[{}]}})");
  EXPECT_EQ(owners(forgotten.body).size(), 0u) << forgotten.text;
  const Answer refused = patch(by(core("configmaps/c"), "a"), map_with(R"({"x":"2"})"), kApply);
  EXPECT_EQ(refused.message(), R"(Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.x)");
}

TEST_P(ApiContract, ApplyMergesPortsOfServicesByNumberAndProtocol) {
  const auto service = [](const std::string& ports) {
    return R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"clusterIP":"None","ports":)" +
           ports + "}}";
  };
  ASSERT_EQ(patch(by(core("services/s"), "a"), service(R"([{"name":"one","port":1}])"), kApply).code, 201);
  Answer now = patch(by(core("services/s"), "b"), service(R"([{"name":"two","port":2}])"), kApply);
  ASSERT_EQ(now.code, 200) << now.text;
  ASSERT_EQ(at(now.body, "spec", "ports").as_array().size(), 2u) << now.text;
  EXPECT_THAT(owners(now.body),
              ::testing::UnorderedElementsAre(
                  R"(a Apply {"f:spec":{"f:clusterIP":{},"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":)"
                  R"({".":{},"f:name":{},"f:port":{}}}}})",
                  R"(b Apply {"f:spec":{"f:clusterIP":{},"f:ports":{"k:{\"port\":2,\"protocol\":\"TCP\"}":)"
                  R"({".":{},"f:name":{},"f:port":{}}}}})"));
  const Answer refused =
      patch(by(core("services/s"), "b"), service(R"([{"name":"x","port":1},{"name":"two","port":2}])"), kApply);
  EXPECT_THAT(refused.causes(), ElementsAre(R"(FieldManagerConflict .spec.ports[port=1,protocol="TCP"].name)"))
      << refused.text;
  now = patch(by(core("services/s"), "a"), service("[]"), kApply);
  EXPECT_EQ(at(now.body, "spec", "ports").as_array().size(), 1u) << now.text;
}

TEST_P(ApiContract, ApplyMergesContainersOfATemplateByName) {
  const Answer made = patch(
      by(kubeflow("pytorchjobs/j"), "a"),
      job_with(
          R"({"replicas":2,"template":{"spec":{"containers":[{"name":"pytorch","image":"i","command":["x","y"]}]}}})"),
      kApply);
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_THAT(owners(made.body),
              ElementsAre(R"(a Apply {"f:spec":{"f:pytorchReplicaSpecs":{"f:Worker":{".":{},"f:replicas":{},)"
                          R"("f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"pytorch\"}":)"
                          R"({".":{},"f:command":{},"f:image":{},"f:name":{}}}}}}}}})"));
  const Answer now = patch(
      by(kubeflow("pytorchjobs/j"), "b"),
      job_with(
          R"({"template":{"spec":{"containers":[{"name":"pytorch","workingDir":"/w"},{"name":"side","image":"s"}]}}})"),
      kApply);
  ASSERT_EQ(now.code, 200) << now.text;
  const Document& containers = at(now.body, "spec", "pytorchReplicaSpecs", "Worker", "template", "spec", "containers");
  ASSERT_EQ(containers.as_array().size(), 2u) << now.text;
  EXPECT_EQ(at(containers, 0, "image"), Document("i"));
  EXPECT_EQ(at(containers, 0, "workingDir"), Document("/w"));
  EXPECT_EQ(now.body.int_at("metadata", "generation"), 2);
  const Answer refused = patch(by(kubeflow("pytorchjobs/j"), "b"),
                               job_with(R"({"replicas":3,"template":{"spec":{"containers":[)"
                                        R"({"name":"pytorch","command":["z"]}]}}})"),
                               kApply);
  EXPECT_THAT(refused.causes(),
              ElementsAre("FieldManagerConflict .spec.pytorchReplicaSpecs.Worker.replicas",
                          "FieldManagerConflict "
                          ".spec.pytorchReplicaSpecs.Worker.template.spec.containers[name=\"pytorch\"].command"))
      << refused.text;
}

TEST_P(ApiContract, StatusHasOwnersOfItsOwn) {
  ASSERT_EQ(call("POST", by(kubeflow("pytorchjobs"), "maker"), pytorch_job("j")).code, 201);
  Answer now = patch(by(kubeflow("pytorchjobs/j/status"), "teller"),
                     R"({"status":{"replicaStatuses":{"Worker":{"active":1}}}})");
  ASSERT_EQ(now.code, 200) << now.text;
  ASSERT_EQ(owners(now.body).size(), 2u) << now.text;
  EXPECT_THAT(owners(now.body),
              ::testing::Contains(R"(teller Update status {"f:status":{".":{},"f:replicaStatuses":{".":{},)"
                                  R"("f:Worker":{".":{},"f:active":{}}}}})"));
  now = patch(by(kubeflow("pytorchjobs/j/status"), "applier"),
              R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"j"},)"
              R"("status":{"replicaStatuses":{"Worker":{"active":2}}}})",
              kApply);
  EXPECT_EQ(now.code, 409) << now.text;
  EXPECT_EQ(now.message(),
            "Apply failed with 1 conflict: conflict with \"teller\" with subresource \"status\" using "
            "kubeflow.org/v1: .status.replicaStatuses.Worker.active");
  now = patch(by(kubeflow("pytorchjobs/j/status"), "applier", "&force=true"),
              R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"j"},)"
              R"("status":{"replicaStatuses":{"Worker":{"active":2}}}})",
              kApply);
  EXPECT_EQ(now.code, 200) << now.text;
  EXPECT_THAT(owners(now.body), ::testing::Contains(R"(applier Apply status {"f:status":{"f:replicaStatuses":)"
                                                    R"({"f:Worker":{".":{},"f:active":{}}}}})"));
  const Answer missing =
      patch(by(kubeflow("pytorchjobs/none/status"), "applier"),
            R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"none"}})", kApply);
  EXPECT_EQ(missing.code, 404) << missing.text;
}

TEST_P(ApiContract, ApplyMergesFinalizersAsASet) {
  const auto with = [](const std::string& finalizer) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","finalizers":[")" + finalizer + R"("]}})";
  };
  ASSERT_EQ(patch(by(core("configmaps/c"), "a"), with("x.dev/a"), kApply).code, 201);
  const Answer now = patch(by(core("configmaps/c"), "b"), with("x.dev/b"), kApply);
  EXPECT_EQ(json::serialize(at(now.body, "metadata", "finalizers")), R"(["x.dev/a","x.dev/b"])") << now.text;
  EXPECT_THAT(owners(now.body),
              ::testing::UnorderedElementsAre(R"(a Apply {"f:metadata":{"f:finalizers":{"v:\"x.dev/a\"":{}}}})",
                                              R"(b Apply {"f:metadata":{"f:finalizers":{"v:\"x.dev/b\"":{}}}})"));
  patch(core("configmaps/c"), R"({"metadata":{"finalizers":null}})");
}

TEST_P(ApiContract, ApplyWithAStaleVersionIsAConflict) {
  const Answer made = patch(by(core("configmaps/c"), "a"), map_with(R"({"x":"1"})"), kApply);
  ASSERT_EQ(patch(by(core("configmaps/c"), "a"), map_with(R"({"x":"2"})"), kApply).code, 200);
  const Answer refused = patch(by(core("configmaps/c"), "a"),
                               R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","resourceVersion":")" +
                                   made.version() + R"("},"data":{"x":"3"}})",
                               kApply);
  EXPECT_EQ(refused.code, 409) << refused.text;
  EXPECT_THAT(refused.message(), HasSubstr("the object has been modified"));
}

}  // namespace
}  // namespace muster::contract
