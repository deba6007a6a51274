// Deployments, the definitions of custom kinds, and metrics.
#include <fmt/core.h>

#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr const char* kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

std::string deployment(const std::string& label = "web", const std::string& more = "") {
  return fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"web"}},"spec":{{"selector":{{"matchLabels":)"
      R"({{"app":"web"}}}},"template":{{"metadata":{{"labels":{{"app":"{}"}}}},"spec":{{{}"containers":[)"
      R"({{"name":"c","image":"busybox:1"}},{{"name":"d","image":"i"}}]}}}}}}}})",
      label, more);
}

TEST_P(ApiContract, DeploymentsHaveTheirDefaults) {
  const std::string list = "/apis/apps/v1/namespaces/" + ns_ + "/deployments";
  const Answer made = post(list + "?fieldValidation=Strict", deployment());
  ASSERT_EQ(made.code, 201) << made.text;
  const Document& spec = at(made.body, "spec");
  EXPECT_EQ(spec.int_at("replicas"), 1);
  EXPECT_EQ(spec.int_at("revisionHistoryLimit"), 10);
  EXPECT_EQ(spec.int_at("progressDeadlineSeconds"), 600);
  EXPECT_EQ(at(spec, "strategy"),
            *json::parse(R"({"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}})"));
  const Document& pod = at(spec, "template", "spec");
  EXPECT_EQ(pod.string_at("restartPolicy"), "Always");
  EXPECT_EQ(pod.string_at("dnsPolicy"), "ClusterFirst");
  EXPECT_EQ(at(pod, "containers", 0, "imagePullPolicy"), Document("IfNotPresent"));
  EXPECT_EQ(at(made.body, "status"), *json::parse("{}"));
  EXPECT_EQ(made.body.int_at("metadata", "generation"), 1);
  const Answer changed = patch(list + "/web", R"({"spec":{"replicas":3}})");
  EXPECT_EQ(changed.body.int_at("metadata", "generation"), 2);
}

TEST_P(ApiContract, DeploymentsAreRefusedWithTheirCauses) {
  const std::string list = "/apis/apps/v1/namespaces/" + ns_ + "/deployments";
  Answer refused = post(list, deployment("other"));
  EXPECT_EQ(refused.code, 422) << refused.text;
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueInvalid spec.template.metadata.labels"));
  refused = post(list, deployment("web", R"("restartPolicy":"Never",)"));
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueNotSupported spec.template.spec.restartPolicy")) << refused.text;
  Document job = *json::parse(deployment());
  job["spec"].as_object().erase("selector");
  refused = post(list, json::serialize(job));
  EXPECT_THAT(refused.causes(), UnorderedElementsAre("FieldValueRequired spec.selector",
                                                     "FieldValueInvalid spec.template.metadata.labels"))
      << refused.text;
  ASSERT_EQ(post(list, deployment()).code, 201);
  refused = patch(list + "/web", R"({"spec":{"selector":{"matchLabels":{"app":"x"}},)"
                                 R"("template":{"metadata":{"labels":{"app":"x"}}}}})");
  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueInvalid spec.selector")) << refused.text;
}

TEST_P(ApiContract, DeploymentsKeepTheStatusOfTheirController) {
  const std::string list = "/apis/apps/v1/namespaces/" + ns_ + "/deployments";
  ASSERT_EQ(post(list, deployment()).code, 201);
  const std::string status =
      R"({"observedGeneration":1,"replicas":2,"updatedReplicas":2,"readyReplicas":1,"availableReplicas":1,)"
      R"("unavailableReplicas":1,"conditions":[{"type":"Available","status":"False","lastUpdateTime":)"
      R"("2026-01-01T00:00:01Z","lastTransitionTime":"2026-01-01T00:00:00Z",)"
      R"("reason":"MinimumReplicasUnavailable","message":"one is missing"}]})";
  const Answer written = patch(list + "/web/status", R"({"spec":{"replicas":7},"status":)" + status + "}");
  ASSERT_EQ(written.code, 200) << written.text;
  EXPECT_EQ(at(written.body, "status"), *json::parse(status));
  EXPECT_EQ(written.body.int_at("metadata", "generation"), 1);
  EXPECT_EQ(written.body.int_at("spec", "replicas"), 1);
  const Answer changed = patch(list + "/web", R"({"spec":{"paused":true},"status":{"replicas":9}})");
  EXPECT_EQ(changed.body.int_at("status", "replicas"), 2) << changed.text;
  EXPECT_EQ(changed.body.int_at("metadata", "generation"), 2);
}

TEST_P(ApiContract, DeploymentsScaleAndPrint) {
  const std::string list = "/apis/apps/v1/namespaces/" + ns_ + "/deployments";
  ASSERT_EQ(post(list, deployment()).code, 201);
  ASSERT_EQ(patch(list + "/web/status", R"({"status":{"replicas":2,"readyReplicas":1,"updatedReplicas":2}})").code,
            200);
  const Answer scale = get(list + "/web/scale");
  ASSERT_EQ(scale.code, 200) << scale.text;
  EXPECT_EQ(scale.body.int_at("spec", "replicas"), 1);
  EXPECT_EQ(scale.body.int_at("status", "replicas"), 2);
  EXPECT_EQ(scale.body.string_at("status", "selector"), "app=web");
  const Answer scaled = patch(list + "/web/scale", R"({"spec":{"replicas":4}})");
  EXPECT_EQ(scaled.code, 200) << scaled.text;
  EXPECT_EQ(get(list + "/web").body.int_at("spec", "replicas"), 4);
  const Answer rows = table(list + "/web");
  std::vector<std::string> names;
  for (const Document& column : at(rows.body, "columnDefinitions").as_array()) {
    names.push_back(column.string_at("name") + " " + column.string_at("type") +
                    (column.int_at("priority") > 0 ? " wide" : ""));
  }
  EXPECT_THAT(names, ElementsAre("Name string", "Ready string", "Up-to-date string", "Available string", "Age string",
                                 "Containers string wide", "Images string wide", "Selector string wide"));
  const Document& cells = at(rows.body, "rows", 0, "cells");
  EXPECT_EQ(at(cells, 1), Document("1/4"));
  EXPECT_EQ(at(cells, 2), Document(2));
  EXPECT_EQ(at(cells, 3), Document(0));
  EXPECT_EQ(at(cells, 5), Document("c,d"));
  EXPECT_EQ(at(cells, 6), Document("busybox:1,i"));
  EXPECT_EQ(at(cells, 7), Document("app=web"));
}

TEST_P(ApiContract, DefinitionsCanBeListedAndWatched) {
  const Answer all = get(kDefinitions);
  ASSERT_EQ(all.code, 200) << all.text;
  EXPECT_GE(at(all.body, "items").as_array().size(), 13u);
  const Answer job = get(std::string(kDefinitions) + "/mpijobs.kubeflow.org");
  EXPECT_EQ(at(job.body, "spec", "versions", 0, "name"), Document("v1"));
  EXPECT_EQ(at(job.body, "spec", "versions", 1, "name"), Document("v2beta1"));
  EXPECT_EQ(at(job.body, "spec", "versions", 1, "storage"), Document(false));
  EXPECT_EQ(at(job.body, "spec", "conversion", "strategy"), Document("None"));
}

TEST_P(ApiContract, DefinitionsOfOthersAreNotTaken) {
  if (!is_ours()) GTEST_SKIP() << "a cluster takes them";
  const Answer refused =
      post(kDefinitions, R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
                         R"("metadata":{"name":"dogs.example.com"},"spec":{}})");
  EXPECT_EQ(refused.code, 405);
  EXPECT_EQ(refused.reason(), "MethodNotAllowed");
  EXPECT_THAT(refused.message(), HasSubstr("no others"));
  EXPECT_EQ(remove(std::string(kDefinitions) + "/tfjobs.kubeflow.org").code, 405);
  // kubectl shows the response only if it sees that fields would be validated.
  EXPECT_THAT(get("/openapi/v3/apis/apiextensions.k8s.io/v1").text, HasSubstr("fieldValidation"));
  EXPECT_EQ(patch(std::string(kDefinitions) + "/tfjobs.kubeflow.org", "{}").code, 405);
}

TEST_P(ApiContract, MetricsSayThatThereAreNone) {
  if (!is_ours()) GTEST_SKIP() << "the reference has no metrics server";
  for (const std::string path : {"/nodes", "/pods", "/namespaces/default/pods", "/nodes/x"}) {
    const Answer none = get("/apis/metrics.k8s.io/v1beta1" + path);
    EXPECT_EQ(none.code, 503) << path;
    EXPECT_EQ(none.reason(), "ServiceUnavailable");
    EXPECT_THAT(none.message(), HasSubstr("are not measured here"));
  }
}

}  // namespace
}  // namespace muster::contract
