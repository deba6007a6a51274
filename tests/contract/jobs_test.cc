#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::ElementsAre;

TEST_P(ApiContract, PyTorchJobDefaults) {
  const Answer made = post(kubeflow("pytorchjobs"), pytorch_job("j"));
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.int_at("metadata", "generation"), 1);
  const char* pod_template = R"({"spec":{"containers":[{"image":"i","name":"pytorch"}]}})";
  const std::string spec =
      std::string(R"({"pytorchReplicaSpecs":{"Master":{"replicas":1,"restartPolicy":"OnFailure","template":)") +
      pod_template + R"(},"Worker":{"replicas":2,"restartPolicy":"OnFailure","template":)" + pod_template +
      R"(}},"runPolicy":{"cleanPodPolicy":"None","suspend":false}})";
  EXPECT_EQ(at(made.body, "spec"), *json::parse(spec));
  EXPECT_EQ(at(made.body, "status"), Document());
}

TEST_P(ApiContract, PyTorchTrainingJobDefaults) {
  const Answer made = post(tensorstack("pytorchtrainingjobs"), training_job("j"));
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(at(made.body, "spec", "replicaSpecs", 0, "replicas"), Document(1));
  EXPECT_EQ(at(made.body, "spec", "replicaSpecs", 0, "restartPolicy"), Document("OnFailure"));
}

TEST_P(ApiContract, JobsKeepWhatTheyDoNotModel) {
  Document job = *json::parse(pytorch_job("j"));
  Document& spec = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"];
  spec["tolerations"] = json::Array{json::Object{{"key", "gpu"}, {"operator", "Exists"}}};
  spec["containers"].as_array()[0]["env"] =
      *json::parse(R"([{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}])");
  const Answer made = post(kubeflow("pytorchjobs") + "?fieldValidation=Strict", json::serialize(job));
  ASSERT_EQ(made.code, 201) << made.text;
  const Document& kept = at(made.body, "spec", "pytorchReplicaSpecs", "Worker", "template", "spec");
  EXPECT_EQ(at(kept, "tolerations", 0, "key"), Document("gpu"));
  EXPECT_EQ(at(kept, "containers", 0, "env", 0, "valueFrom", "fieldRef", "fieldPath"), Document("metadata.name"));
}

TEST_P(ApiContract, JobsWithoutReplicasAreInvalid) {
  const Answer refused =
      post(kubeflow("pytorchjobs"),
           R"({"kind":"PyTorchJob","apiVersion":"kubeflow.org/v1","metadata":{"name":"j"},"spec":{}})");
  EXPECT_EQ(refused.code, 422) << refused.text;
  EXPECT_EQ(refused.reason(), "Invalid");
  EXPECT_EQ(refused.body.string_at("details", "kind"), "PyTorchJob");
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueRequired spec.pytorchReplicaSpecs", kRulesNotChecked));
}

TEST_P(ApiContract, BadValuesInJobsAreNamedWithTheirPath) {
  Document job = *json::parse(training_job("j"));
  job["spec"]["replicaSpecs"].as_array()[0]["restartPolicy"] = "Sometimes";
  job["spec"]["replicaSpecs"].as_array()[0]["replicas"] = -1;
  const Answer refused = post(tensorstack("pytorchtrainingjobs"), json::serialize(job));
  EXPECT_EQ(refused.code, 422) << refused.text;
  EXPECT_THAT(refused.causes(), ::testing::UnorderedElementsAre(
                                    "FieldValueInvalid spec.replicaSpecs[0].replicas",
                                    "FieldValueNotSupported spec.replicaSpecs[0].restartPolicy", kRulesNotChecked));
}

TEST_P(ApiContract, JobTables) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  ASSERT_EQ(patch(kubeflow("pytorchjobs/j/status"),
                  R"({"status":{"conditions":[{"type":"Created","status":"True","reason":"r","message":"m"},)"
                  R"({"type":"Running","status":"True","reason":"r","message":"m"}]}})")
                .code,
            200);
  Answer t = table(kubeflow("pytorchjobs"));
  EXPECT_EQ(at(t.body, "columnDefinitions", 1, "name"), Document("State"));
  EXPECT_EQ(at(t.body, "rows", 0, "cells", 0), Document("j"));
  EXPECT_EQ(at(t.body, "rows", 0, "cells", 1), Document("Running")) << t.text;
  ASSERT_EQ(post(tensorstack("pytorchtrainingjobs"), training_job("j")).code, 201);
  t = table(tensorstack("pytorchtrainingjobs"));
  EXPECT_EQ(at(t.body, "columnDefinitions", 1, "name"), Document("Phase"));
  EXPECT_EQ(at(t.body, "rows", 0, "cells", 1), Document()) << t.text;
}

}  // namespace
}  // namespace muster::contract
