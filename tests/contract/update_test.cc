#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_P(ApiContract, UpdateOfAStaleVersionIsAConflict) {
  const Answer first = post(core("configmaps"), config_map("c"));
  Document changed = first.body;
  changed["data"]["a"] = "2";
  const Answer second = put(core("configmaps/c"), changed);
  ASSERT_EQ(second.code, 200) << second.text;
  EXPECT_NE(second.version(), first.version());
  changed["data"]["a"] = "3";
  const Answer refused = put(core("configmaps/c"), changed);
  EXPECT_EQ(refused.code, 409);
  EXPECT_EQ(refused.reason(), "Conflict");
  EXPECT_EQ(refused.message(),
            "Operation cannot be fulfilled on configmaps \"c\": the object has been modified; please apply your "
            "changes to the latest version and try again");
  EXPECT_EQ(refused.body.string_at("details", "kind"), "configmaps");
}

TEST_P(ApiContract, BuiltInKindsCanBeReplacedWithoutAVersion) {
  const Answer first = post(core("configmaps"), config_map("c"));
  const Answer second = put(core("configmaps/c"), *json::parse(R"({"metadata":{"name":"c"},"data":{"b":"2"}})"));
  ASSERT_EQ(second.code, 200) << second.text;
  EXPECT_EQ(second.body.string_at("metadata", "uid"), first.body.string_at("metadata", "uid"));
  EXPECT_EQ(second.body.string_at("metadata", "creationTimestamp"),
            first.body.string_at("metadata", "creationTimestamp"));
  EXPECT_EQ(at(second.body, "data", "a"), Document());
}

TEST_P(ApiContract, JobsCannotBeReplacedWithoutAVersion) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  const Answer refused = put(kubeflow("pytorchjobs/j"), *json::parse(pytorch_job("j")));
  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(refused.reason(), "Invalid");
  EXPECT_EQ(refused.message(),
            "pytorchjobs.kubeflow.org \"j\" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be "
            "specified for an update");
  EXPECT_EQ(refused.body.string_at("details", "kind"), "pytorchjobs");
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueInvalid metadata.resourceVersion"));
}

TEST_P(ApiContract, UpdateOfNothingIsNotFound) {
  const Answer refused = put(kubeflow("pytorchjobs/none"), [] {
    Document job = *json::parse(pytorch_job("none"));
    job["metadata"]["resourceVersion"] = "1";
    return job;
  }());
  EXPECT_EQ(refused.code, 404);
  EXPECT_EQ(refused.message(), "pytorchjobs.kubeflow.org \"none\" not found");
}

TEST_P(ApiContract, NameInBodyAndPathMustAgree) {
  const Answer first = post(core("configmaps"), config_map("c"));
  Document changed = first.body;
  changed["metadata"]["name"] = "d";
  const Answer refused = put(core("configmaps/c"), changed);
  EXPECT_EQ(refused.code, 400);
  EXPECT_EQ(refused.message(), "the name of the object (d) does not match the name on the URL (c)");
}

TEST_P(ApiContract, AnotherUidIsAConflict) {
  const Answer first = post(core("configmaps"), config_map("c"));
  Document changed = first.body;
  changed["metadata"]["uid"] = "11111111-2222-3333-4444-555555555555";
  const Answer refused = put(core("configmaps/c"), changed);
  EXPECT_EQ(refused.code, 409) << refused.text;
  EXPECT_THAT(refused.message(), HasSubstr("Precondition failed: UID in precondition: "
                                           "11111111-2222-3333-4444-555555555555, UID in object meta: "));
}

TEST_P(ApiContract, AUidOfWhatIsGoneIsAConflict) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  Document job = *json::parse(pytorch_job("none"));
  job["metadata"] = json::Object{{"name", "none"}, {"uid", "5"}, {"resourceVersion", "1"}};
  Document scale = *json::parse(R"({"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"replicas":1}})");
  scale["metadata"] = json::Object{{"name", "none"}, {"uid", "5"}};
  Document other = scale;
  other["metadata"].as_object().set("name", "j");
  for (const Answer& refused :
       {call("PUT", core("configmaps/none"), R"({"metadata":{"name":"none","uid":"5"}})"),
        call("PUT", core("pods/none/status"), R"({"metadata":{"name":"none","uid":"5"}})"),
        put(kubeflow("pytorchjobs/none"), job), put(kubeflow("pytorchjobs/none/status"), job),
        put(kubeflow("pytorchjobs/none/scale"), scale), put(kubeflow("pytorchjobs/j/scale"), other)}) {
    EXPECT_EQ(refused.code, 409) << refused.text;
    EXPECT_THAT(refused.message(), HasSubstr("Precondition failed: UID in precondition: 5, UID in object meta: "));
  }
}

TEST_P(ApiContract, WritingTheSameDoesNotMakeAVersion) {
  const Answer first = post(kubeflow("pytorchjobs"), pytorch_job("j"));
  const Answer same = put(kubeflow("pytorchjobs/j"), first.body);
  ASSERT_EQ(same.code, 200) << same.text;
  EXPECT_EQ(same.version(), first.version());
  const Answer patched = patch(kubeflow("pytorchjobs/j"), R"({"spec":{}})");
  ASSERT_EQ(patched.code, 200) << patched.text;
  EXPECT_EQ(patched.version(), first.version());
}

TEST_P(ApiContract, GenerationCountsChangesOfTheSpecOnly) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  Answer now = patch(kubeflow("pytorchjobs/j"), R"({"metadata":{"labels":{"x":"y"}}})");
  EXPECT_EQ(now.body.int_at("metadata", "generation"), 1) << now.text;
  now = patch(kubeflow("pytorchjobs/j"), R"({"spec":{"runPolicy":{"backoffLimit":5}}})");
  EXPECT_EQ(now.body.int_at("metadata", "generation"), 2) << now.text;
  now = patch(kubeflow("pytorchjobs/j/status"), R"({"status":{"startTime":"2026-01-01T00:00:00Z"}})");
  ASSERT_EQ(now.code, 200) << now.text;
  EXPECT_EQ(now.body.int_at("metadata", "generation"), 2);
}

TEST_P(ApiContract, StatusAndSpecAreWrittenApart) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  Answer now = patch(kubeflow("pytorchjobs/j"),
                     R"({"spec":{"runPolicy":{"backoffLimit":5}},"status":{"startTime":"2026-01-01T00:00:00Z"}})");
  ASSERT_EQ(now.code, 200) << now.text;
  EXPECT_EQ(at(now.body, "status"), Document());
  now = patch(kubeflow("pytorchjobs/j/status"),
              R"({"metadata":{"labels":{"x":"y"}},"spec":{"runPolicy":{"backoffLimit":9}},)"
              R"("status":{"startTime":"2026-01-01T00:00:00Z"}})");
  ASSERT_EQ(now.code, 200) << now.text;
  EXPECT_EQ(now.body.string_at("status", "startTime"), "2026-01-01T00:00:00Z");
  EXPECT_EQ(now.body.int_at("spec", "runPolicy", "backoffLimit"), 5);
  EXPECT_EQ(at(now.body, "metadata", "labels"), Document());
  EXPECT_EQ(get(kubeflow("pytorchjobs/j/status")).body, now.body);
}

TEST_P(ApiContract, PodStatusIsWrittenApart) {
  ASSERT_EQ(post(core("pods"), pod("p")).code, 201);
  Answer now =
      patch(core("pods/p/status"), R"({"spec":{"nodeName":"n"},"status":{"phase":"Running","podIP":"127.0.0.2"}})");
  ASSERT_EQ(now.code, 200) << now.text;
  EXPECT_EQ(now.body.string_at("status", "phase"), "Running");
  EXPECT_EQ(now.body.string_at("spec", "nodeName"), "");
  now = patch(core("pods/p"), R"({"metadata":{"labels":{"a":"b"}},"status":{"phase":"Failed"}})");
  ASSERT_EQ(now.code, 200) << now.text;
  EXPECT_EQ(now.body.string_at("status", "phase"), "Running");
  EXPECT_EQ(now.body.string_at("metadata", "labels", "a"), "b");
}

TEST_P(ApiContract, PodSpecsDoNotChange) {
  ASSERT_EQ(post(core("pods"), pod("p")).code, 201);
  const Answer image =
      patch(core("pods/p"), R"([{"op":"replace","path":"/spec/containers/0/image","value":"j"}])", kJsonPatch);
  EXPECT_EQ(image.code, 200) << image.text;
  const Answer refused = patch(core("pods/p"), R"({"spec":{"hostname":"h"}})");
  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueForbidden spec"));
  EXPECT_THAT(refused.message(), StartsWith("Pod \"p\" is invalid: spec: Forbidden: pod updates may not change fields "
                                            "other than `spec.containers[*].image`,"));
}

TEST_P(ApiContract, ImmutableConfigMapsStay) {
  ASSERT_EQ(post(core("configmaps"), R"({"metadata":{"name":"c"},"data":{"a":"1"},"immutable":true})").code, 201);
  const Answer refused = patch(core("configmaps/c"), R"({"data":{"a":"2"}})");
  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueForbidden data"));
}

TEST_P(ApiContract, BindingSetsTheNodeOnce) {
  ASSERT_EQ(post(core("pods"), pod("p")).code, 201);
  const std::string binding =
      R"({"kind":"Binding","apiVersion":"v1","metadata":{"name":"p"},"target":{"kind":"Node","name":"n1"}})";
  const Answer bound = post(core("pods/p/binding"), binding);
  EXPECT_EQ(bound.code, 201) << bound.text;
  EXPECT_EQ(bound.body.string_at("status"), "Success");
  const Answer pod_now = get(core("pods/p"));
  EXPECT_EQ(pod_now.body.string_at("spec", "nodeName"), "n1");
  EXPECT_EQ(at(pod_now.body, "status", "conditions", 0, "type"), Document("PodScheduled"));
  EXPECT_EQ(at(pod_now.body, "status", "conditions", 0, "status"), Document("True"));
  const Answer again = post(core("pods/p/binding"), binding);
  EXPECT_EQ(again.code, 409);
  EXPECT_EQ(again.reason(), "Conflict");
  EXPECT_EQ(again.message(),
            "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \"n1\"");
  EXPECT_EQ(post(core("pods/none/binding"), binding).code, 400);  // the body has another name
  EXPECT_EQ(post(core("pods/none/binding"), R"({"metadata":{"name":"none"},"target":{"name":"n1"}})").code, 404);
}

TEST_P(ApiContract, ScaleReadsAndWritesTheWorkers) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  Answer scale = get(kubeflow("pytorchjobs/j/scale"));
  ASSERT_EQ(scale.code, 200) << scale.text;
  EXPECT_EQ(scale.body.string_at("kind"), "Scale");
  EXPECT_EQ(scale.body.string_at("apiVersion"), "autoscaling/v1");
  EXPECT_EQ(scale.body.int_at("spec", "replicas"), 2);
  scale = patch(kubeflow("pytorchjobs/j/scale"), R"({"spec":{"replicas":3}})");
  ASSERT_EQ(scale.code, 200) << scale.text;
  EXPECT_EQ(scale.body.int_at("spec", "replicas"), 3);
  const Answer job = get(kubeflow("pytorchjobs/j"));
  EXPECT_EQ(at(job.body, "spec", "pytorchReplicaSpecs", "Worker", "replicas"), Document(3));
  EXPECT_EQ(job.body.int_at("metadata", "generation"), 2);
  scale.body["spec"]["replicas"] = 1;
  EXPECT_EQ(put(kubeflow("pytorchjobs/j/scale"), scale.body).code, 200);
  EXPECT_EQ(put(kubeflow("pytorchjobs/j/scale"), scale.body).code, 409);
  // Typed clients omit what the path already says.
  const Document bare = json::Object{{"metadata", json::Object{{"name", "j"}, {"namespace", ns_}}},
                                     {"spec", json::Object{{"replicas", 2}}}};
  EXPECT_EQ(put(kubeflow("pytorchjobs/j/scale"), bare).code, 200);
}

TEST_P(ApiContract, ScaleIsPrinted) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  const Answer scale = get(kubeflow("pytorchjobs/j/scale"));
  const Answer printed = table(kubeflow("pytorchjobs/j/scale"));
  ASSERT_EQ(printed.body.string_at("kind"), "Table") << printed.text;
  const char* columns[] = {"Name", "Desired", "Available", "Age"};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(at(printed.body, "columnDefinitions", i, "name"), Document(columns[i]));
  EXPECT_EQ(at(printed.body, "rows", 0, "cells", 0), Document("j"));
  EXPECT_EQ(at(printed.body, "rows", 0, "cells", 1), at(scale.body, "spec", "replicas"));
  EXPECT_EQ(at(printed.body, "rows", 0, "cells", 2), Document(0));
}

TEST_P(ApiContract, ScaleIsCheckedLikeAnyObject) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  const std::string scale = kubeflow("pytorchjobs/j/scale");
  EXPECT_EQ(patch(scale + "?dryRun=All", R"({"spec":{"replicas":9}})").body.int_at("spec", "replicas"), 9);
  EXPECT_EQ(get(scale).body.int_at("spec", "replicas"), 2);
  EXPECT_EQ(patch(scale, R"([{"op":"replace","path":"/spec/replicas","value":3}])", kJsonPatch).code, 200);
  Answer refused = patch(scale, R"({"spec":{"replicas":"x"}})");
  EXPECT_EQ(refused.code, 422) << refused.text;
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueInvalid patch"));
  refused = patch(scale, R"({"spec":{"replicas":-1}})");
  EXPECT_EQ(refused.code, 422) << refused.text;
  EXPECT_THAT(refused.causes(), Contains("FieldValueInvalid spec.pytorchReplicaSpecs.Worker.replicas"));
  refused = patch(scale + "?fieldValidation=Strict", R"({"spec":{"bogus":1}})");
  EXPECT_EQ(refused.code, 422) << refused.text;
  EXPECT_THAT(refused.message(), HasSubstr("strict decoding error: unknown field \"spec.bogus\""));
  const Answer warned = patch(scale, R"({"spec":{"bogus":1}})");
  EXPECT_EQ(warned.code, 200);
  EXPECT_EQ(warned.headers.get("Warning"), "299 - \"unknown field \\\"spec.bogus\\\"\"");
  Document body = get(scale).body;
  body["metadata"].as_object().set("name", "other");
  EXPECT_EQ(put(scale, body).code, 400);
  const auto of = [&](const char* metadata) {
    return call("PUT", scale, std::string(R"({"metadata":)") + metadata + R"(,"spec":{"replicas":1}})").code;
  };
  EXPECT_EQ(call("PUT", scale, "{}").code, 400);
  EXPECT_EQ(of("{}"), 400);
  EXPECT_EQ(of(R"({"name":"j","namespace":"other"})"), 400);
  EXPECT_EQ(of(R"({"name":"j","uid":"other"})"), 409);
  EXPECT_EQ(of(R"({"name":"j"})"), 200);
}

TEST_P(ApiContract, ApplyToScaleMeetsTheOwnerOfTheNumber) {
  ASSERT_EQ(post(kubeflow("pytorchjobs") + "?fieldManager=maker", pytorch_job("j")).code, 201);
  const std::string scale = kubeflow("pytorchjobs/j/scale");
  const std::string wish = R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"j"},)"
                           R"("spec":{"replicas":5}})";
  Answer refused = call("PATCH", scale, wish, kApply);
  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueRequired fieldManager"));
  refused = call("PATCH", scale + "?fieldManager=scaler", wish, kApply);
  EXPECT_EQ(refused.code, 409) << refused.text;
  ASSERT_EQ(at(refused.body, "details", "causes").as_array().size(), 1u);
  EXPECT_EQ(at(refused.body, "details", "causes", 0, "reason"), Document("FieldManagerConflict"));
  refused = call("PATCH", scale + "?fieldManager=scaler",
                 R"({"kind":"PyTorchJob","apiVersion":"kubeflow.org/v1","metadata":{"name":"j"}})", kApply);
  EXPECT_EQ(refused.code, 400) << refused.text;
  if (!is_ours()) return;  // forcing it is a 500 there: "request to convert CR to an invalid group/version"
  const Answer forced = call("PATCH", scale + "?fieldManager=scaler&force=true", wish, kApply);
  EXPECT_EQ(forced.code, 200) << forced.text;
  EXPECT_EQ(forced.body.int_at("spec", "replicas"), 5);
  const Answer job = get(kubeflow("pytorchjobs/j"));
  bool owned = false;
  for (const Document& entry : at(job.body, "metadata", "managedFields").as_array()) {
    owned = owned || (entry.string_at("manager") == "scaler" && entry.string_at("operation") == "Apply" &&
                      entry.string_at("subresource") == "scale");
  }
  EXPECT_TRUE(owned) << job.text;
}

}  // namespace
}  // namespace muster::contract
