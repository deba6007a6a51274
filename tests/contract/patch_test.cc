#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Scripts that suspend and resume jobs do not check whether the field is set.
TEST_P(ApiContract, JsonPatchReplacesWhatIsNotSet) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  const std::string job = kubeflow("pytorchjobs/j");
  const Answer set = patch(job,
                           R"([{"op":"test","path":"/spec/runPolicy/backoffLimit","value":null},)"
                           R"({"op":"replace","path":"/spec/runPolicy/backoffLimit","value":3}])",
                           kJsonPatch);
  EXPECT_EQ(set.code, 200) << set.text;
  EXPECT_EQ(at(set.body, "spec", "runPolicy", "backoffLimit"), Document(3));
  for (const char* operation : {R"({"op":"replace","path":"/metadata/labels/x","value":"1"})",
                                R"({"op":"test","path":"/spec/nope/x","value":null})",
                                R"({"op":"test","path":"/spec/runPolicy/backoffLimit","value":null})"}) {
    EXPECT_EQ(patch(job, "[" + std::string(operation) + "]", kJsonPatch).code, 422) << operation;
  }
}

TEST_P(ApiContract, MergePatchSetsAndRemoves) {
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  const Answer now = patch(core("configmaps/c"), R"({"data":{"a":null,"b":"2"}})");
  ASSERT_EQ(now.code, 200) << now.text;
  EXPECT_EQ(at(now.body, "data", "a"), Document());
  EXPECT_EQ(now.body.string_at("data", "b"), "2");
}

TEST_P(ApiContract, NothingIsLeftOfLabelsWhenTheLastOneGoes) {
  const std::string labelled =
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c","labels":{"a":"1"},"annotations":{}}})";
  const Answer made = post(core("configmaps"), labelled);
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.at("metadata", "annotations"), nullptr);
  const Answer now = patch(core("configmaps/c"), R"({"metadata":{"labels":{"a":null}}})");
  ASSERT_EQ(now.code, 200) << now.text;
  EXPECT_EQ(now.body.at("metadata", "labels"), nullptr) << now.text;
}

TEST_P(ApiContract, JsonPatchIsAllOrNothing) {
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  Answer now =
      patch(core("configmaps/c"),
            R"([{"op":"test","path":"/data/a","value":"1"},{"op":"add","path":"/data/b","value":"2"}])", kJsonPatch);
  ASSERT_EQ(now.code, 200) << now.text;
  EXPECT_EQ(now.body.string_at("data", "b"), "2");
  now = patch(core("configmaps/c"),
              R"([{"op":"replace","path":"/data/b","value":"3"},{"op":"test","path":"/data/a","value":"9"}])",
              kJsonPatch);
  EXPECT_EQ(now.code, 422) << now.text;
  EXPECT_EQ(now.reason(), "Invalid");
  EXPECT_EQ(get(core("configmaps/c")).body.string_at("data", "b"), "2");
}

TEST_P(ApiContract, JsonPatchOfAMissingPathIsInvalid) {
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  const Answer refused = patch(core("configmaps/c"), R"([{"op":"remove","path":"/data/none"}])", kJsonPatch);
  EXPECT_EQ(refused.code, 422) << refused.text;
  EXPECT_EQ(refused.reason(), "Invalid");
}

TEST_P(ApiContract, BrokenPatchesAreBadRequests) {
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  EXPECT_EQ(patch(core("configmaps/c"), "{broken").code, 400);
  EXPECT_EQ(patch(core("configmaps/c"), R"({"op":"add"})", kJsonPatch).code, 400);
}

TEST_P(ApiContract, WrongOperationsAreInvalid) {
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  for (const char* body : {R"([{"op":"frob","path":"/data"}])", R"([{"path":"/data"}])", R"([{"op":"remove"}])",
                           R"([{"op":"copy","path":"/data"}])", R"([{"op":"remove","path":"data"}])",
                           R"([{"op":"remove","path":""}])", R"([{"op":"replace","path":"/data/a~2","value":"x"}])"}) {
    const Answer refused = patch(core("configmaps/c"), body, kJsonPatch);
    EXPECT_EQ(refused.code, 422) << body << ": " << refused.text;
    EXPECT_EQ(refused.reason(), "Invalid") << body;
  }
  EXPECT_EQ(patch(core("configmaps/c"), R"([1])", kJsonPatch).code, 400);
}

TEST_P(ApiContract, PatchCannotMakeItAnotherKind) {
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  for (const char* body : {R"({"kind":"Secret"})", R"({"apiVersion":"v2"})"}) {
    const Answer refused = patch(core("configmaps/c"), body);
    EXPECT_EQ(refused.code, 422) << body << ": " << refused.text;
    EXPECT_THAT(refused.causes(), ::testing::ElementsAre("FieldValueInvalid patch")) << body;
  }
}

TEST_P(ApiContract, StrategicMergeJoinsListsByTheirKey) {
  ASSERT_EQ(
      post(core("pods"),
           R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]}})")
          .code,
      201);
  const Answer now = patch(core("pods/p"), R"({"spec":{"containers":[{"name":"b","image":"2"}]}})", kStrategic);
  ASSERT_EQ(now.code, 200) << now.text;
  EXPECT_EQ(at(now.body, "spec", "containers", 0, "image"), Document("1"));
  EXPECT_EQ(at(now.body, "spec", "containers", 1, "image"), Document("2"));
}

TEST_P(ApiContract, StrategicMergeDirectives) {
  ASSERT_EQ(post(core("services"), R"({"metadata":{"name":"s","finalizers":["x.dev/a","x.dev/b"]},"spec":{)"
                                   R"("clusterIP":"None","selector":{"a":"1","b":"2"},"ports":[)"
                                   R"({"name":"one","port":1},{"name":"two","port":2}]}})")
                .code,
            201);
  const Answer now = patch(
      core("services/s"),
      R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["x.dev/a"],"$setElementOrder/finalizers":["x.dev/b"]},)"
      R"("spec":{"selector":{"$patch":"replace","c":"3"},"ports":[{"port":1,"$patch":"delete"},{"name":"three","port":3}]}})",
      kStrategic);
  ASSERT_EQ(now.code, 200) << now.text;
  EXPECT_EQ(json::serialize(at(now.body, "metadata", "finalizers")), R"(["x.dev/b"])");
  EXPECT_EQ(json::serialize(at(now.body, "spec", "selector")), R"({"c":"3"})");
  std::vector<std::string> names;
  for (const Document& port : at(now.body, "spec", "ports").as_array()) names.push_back(port.string_at("name"));
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("two", "three"));
  patch(core("services/s"), R"({"metadata":{"finalizers":null}})");
}

std::string names_in(const Document& list) {
  std::string names;
  if (!list.is_array()) return names;
  for (const Document& item : list.as_array()) names += item.is_string() ? item.as_string() : item.string_at("name");
  return names;
}

TEST_P(ApiContract, StrategicMergeOrdersContainersAndTheirEnvironment) {
  const std::string deployments = "/apis/apps/v1/namespaces/" + ns_ + "/deployments";
  const std::string made =
      R"({"metadata":{"name":"d"},"spec":{"replicas":0,"selector":{"matchLabels":{"a":"1"}},"template":{)"
      R"("metadata":{"labels":{"a":"1"}},"spec":{"containers":[{"name":"a","image":"1","env":[{"name":"p","value":"1"},)"
      R"({"name":"q","value":"1"},{"name":"r","value":"1"}]},{"name":"b","image":"1"},{"name":"c","image":"1"}]}}}})";
  ASSERT_EQ(post(deployments, made).code, 201);
  const auto patched = [&](const std::string& spec) {
    const Answer now = patch(deployments + "/d", R"({"spec":{"template":{"spec":{)" + spec + "}}}}", kStrategic);
    EXPECT_EQ(now.code, 200) << now.text;
    const Document& containers = at(now.body, "spec", "template", "spec", "containers");
    std::string env;
    for (const Document& one : containers.as_array()) {
      if (one.string_at("name") == "a") env = names_in(at(one, "env"));
    }
    return names_in(containers) + " " + env;
  };
  // Items that the patch names come in its order, the others where they stood before.
  EXPECT_EQ(patched(R"("containers":[{"name":"c"},{"name":"a"}])"), "bca pqr");
  EXPECT_EQ(patched(R"("containers":[{"name":"d","image":"1"}])"), "dbca pqr");
  EXPECT_EQ(patched(R"("containers":[{"name":"b"},{"name":"e","image":"1"}])"), "dbeca pqr");
  EXPECT_EQ(patched(R"("$setElementOrder/containers":[{"name":"a"},{"name":"b"},{"name":"c"}])"), "deabc pqr");
  EXPECT_EQ(patched(R"("$setElementOrder/containers":[{"name":"a"},{"name":"d"}],"containers":[)"
                    R"({"name":"e","$patch":"delete"},{"name":"a","$setElementOrder/env":[{"name":"r"},{"name":"s"},)"
                    R"({"name":"p"}],"env":[{"name":"s","value":"2"}]}])"),
            "adbc qrsp");
  EXPECT_EQ(patched(R"("$setElementOrder/initContainers":[{"name":"x"}])"), "adbc qrsp");
  EXPECT_EQ(patched(R"("containers":[{"name":"a","env":[{"name":"t","value":"1"},{"name":"q","$patch":"delete"}]}])"),
            "adbc trsp");
}

TEST_P(ApiContract, StrategicMergeOrdersPlainValues) {
  ASSERT_EQ(post(core("configmaps"), R"({"metadata":{"name":"c","finalizers":["x.dev/a","x.dev/b","x.dev/c"]}})").code,
            201);
  const auto patched = [&](const std::string& metadata) {
    const Answer now = patch(core("configmaps/c"), R"({"metadata":{)" + metadata + "}}", kStrategic);
    EXPECT_EQ(now.code, 200) << now.text;
    return json::serialize(at(now.body, "metadata", "finalizers"));
  };
  EXPECT_EQ(patched(R"("finalizers":["x.dev/d","x.dev/a"])"), R"(["x.dev/d","x.dev/a","x.dev/b","x.dev/c"])");
  EXPECT_EQ(
      patched(R"("$setElementOrder/finalizers":["x.dev/c","x.dev/b","x.dev/e","x.dev/a"],"finalizers":["x.dev/e"])"),
      R"(["x.dev/d","x.dev/c","x.dev/b","x.dev/e","x.dev/a"])");
  EXPECT_EQ(
      patched(
          R"("$setElementOrder/finalizers":["x.dev/a","x.dev/c"],"$deleteFromPrimitiveList/finalizers":["x.dev/b"])"),
      R"(["x.dev/d","x.dev/e","x.dev/a","x.dev/c"])");
  patch(core("configmaps/c"), R"({"metadata":{"finalizers":null}})");
}

TEST_P(ApiContract, StrategicMergeOfConditionsInStatus) {
  ASSERT_EQ(post(core("pods"), pod("p")).code, 201);
  patch(core("pods/p/status"), R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})", kStrategic);
  const Answer now =
      patch(core("pods/p/status"), R"({"status":{"conditions":[{"type":"Initialized","status":"True"}]}})", kStrategic);
  ASSERT_EQ(now.code, 200) << now.text;
  EXPECT_EQ(at(now.body, "status", "conditions").as_array().size(), 2u) << now.text;
}

TEST_P(ApiContract, JobsTakeNoStrategicMerge) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  const Answer refused = patch(kubeflow("pytorchjobs/j"), R"({"spec":{}})", kStrategic);
  EXPECT_EQ(refused.code, 415);
  EXPECT_EQ(refused.reason(), "UnsupportedMediaType");
  EXPECT_THAT(refused.message(), HasSubstr("application/json-patch+json, application/merge-patch+json"));
  EXPECT_EQ(patch(kubeflow("pytorchjobs/j"), "{}", "text/plain").code, 415);
}

TEST_P(ApiContract, PatchWithAStaleVersionIsAConflict) {
  const Answer first = post(core("configmaps"), config_map("c"));
  ASSERT_EQ(patch(core("configmaps/c"), R"({"data":{"a":"2"}})").code, 200);
  const Answer refused =
      patch(core("configmaps/c"), R"({"metadata":{"resourceVersion":")" + first.version() + R"("},"data":{"a":"3"}})");
  EXPECT_EQ(refused.code, 409);
  EXPECT_EQ(refused.reason(), "Conflict");
}

TEST_P(ApiContract, PatchOfNothingIsNotFound) {
  EXPECT_EQ(patch(core("configmaps/none"), "{}").code, 404);
  EXPECT_EQ(patch(kubeflow("pytorchjobs/none"), "{}").code, 404);
}

TEST_P(ApiContract, PatchCannotRename) {
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  const Answer refused = patch(core("configmaps/c"), R"({"metadata":{"name":"d"}})");
  EXPECT_EQ(refused.code, 400) << refused.text;
  EXPECT_EQ(refused.message(), "the name of the object (d) does not match the name on the URL (c)");
}

TEST_P(ApiContract, PatchIsValidated) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  const Answer refused =
      patch(kubeflow("pytorchjobs/j"), R"({"spec":{"pytorchReplicaSpecs":{"Worker":{"replicas":"x"}}}})");
  EXPECT_EQ(refused.code, 422) << refused.text;
  EXPECT_EQ(refused.reason(), "Invalid");
}

TEST_P(ApiContract, StrictPatchesNameUnknownFields) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  const Answer refused = patch(kubeflow("pytorchjobs/j") + "?fieldValidation=Strict", R"({"spec":{"runPolic":{}}})");
  EXPECT_THAT(refused.message(), HasSubstr("strict decoding error: unknown field \"spec.runPolic\"")) << refused.text;
  EXPECT_EQ(refused.code, 422);
}

TEST_P(ApiContract, DryRunPatchChangesNothing) {
  const Answer first = post(core("configmaps"), config_map("c"));
  const Answer tried = patch(core("configmaps/c") + "?dryRun=All", R"({"data":{"a":"2"}})");
  EXPECT_EQ(tried.code, 200);
  EXPECT_EQ(tried.body.string_at("data", "a"), "2");
  EXPECT_EQ(get(core("configmaps/c")).body, first.body);
}

}  // namespace
}  // namespace muster::contract
