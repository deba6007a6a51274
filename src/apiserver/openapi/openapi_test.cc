// The OpenAPI documents as a whole: no reference dangles, and they contain what kubectl looks for.
#include "apiserver/openapi/openapi.h"

#include <gmock/gmock.h>

#include <functional>

#include "api/resource.h"
#include "json/document.h"

namespace muster::apiserver {
namespace {

using json::Document;
using ::testing::Contains;
using ::testing::IsEmpty;

const Document& v2() {
  static const Document document = *json::parse(*OpenApi().v2(OpenApiV2Form::kJson).body);
  return document;
}

const Document& at(const Document& from, std::initializer_list<std::string_view> path) {
  static const Document none;
  const Document* found = &from;
  for (const std::string_view key : path) {
    found = found->find(key);
    if (found == nullptr) return none;
  }
  return *found;
}

/// Calls `use` for every object inside `value`, with its key.
void for_each_object(std::string_view key, const Document& value,
                     const std::function<void(std::string_view, const Document&)>& use) {
  if (value.is_array()) {
    for (const Document& item : value.as_array()) for_each_object("", item, use);
  }
  if (!value.is_object()) return;
  use(key, value);
  for (const auto& [name, member] : value.as_object()) for_each_object(name, member, use);
}

TEST(OpenApiV2, RefersOnlyToWhatItDefines) {
  int references = 0;
  for_each_object("", v2(), [&](std::string_view, const Document& value) {
    const std::string& reference = value.string_at("$ref");
    if (reference.empty()) return;
    ++references;
    ASSERT_TRUE(reference.starts_with("#/definitions/")) << reference;
    EXPECT_NE(v2().at("definitions", reference.substr(14)), nullptr) << reference;
    EXPECT_EQ(value.find("type"), nullptr) << reference;  // kubectl rejects a document that has both
  });
  EXPECT_GT(references, 500);
}

TEST(OpenApiV2, HasNoKeywordsOfVersionThree) {
  for_each_object("", v2(), [](std::string_view key, const Document& value) {
    if (key == "properties" || key == "definitions" || key == "paths") return;
    for (const char* keyword : {"allOf", "oneOf", "anyOf", "nullable", "content", "requestBody", "components"}) {
      EXPECT_EQ(value.find(keyword), nullptr) << keyword << " in " << key;
    }
  });
}

std::vector<std::string> names_of_parameters(const Document& operation) {
  std::vector<std::string> names;
  for (const Document& one : at(operation, {"parameters"}).as_array()) names.push_back(one.string_at("name"));
  return names;
}

TEST(OpenApiV2, PatchesSayThatFieldsAreValidated) {
  for (const api::Resource& resource : api::resources()) {
    if (std::ranges::find(resource.verbs, "patch") == resource.verbs.end()) continue;
    const bool namespaced = resource.scope == api::Scope::kNamespaced;
    const std::string path = (resource.group.empty() ? "/api/" : "/apis/") + resource.api_version() +
                             (namespaced ? "/namespaces/{namespace}/" : "/") + resource.plural + "/{name}";
    const Document& patch = at(v2(), {"paths", path, "patch"});
    ASSERT_TRUE(patch.is_object()) << path;
    EXPECT_EQ(patch.string_at("x-kubernetes-action"), "patch");
    EXPECT_EQ(patch.string_at("x-kubernetes-group-version-kind", "kind"), resource.kind);
    EXPECT_THAT(names_of_parameters(patch), Contains("fieldValidation")) << path;
    EXPECT_THAT(names_of_parameters(patch), Contains("body")) << path;
  }
}

TEST(OpenApiV2, SaysTheSameAsVersionThree) {
  OpenApi openapi;
  const Document v3 = *json::parse(*openapi.document("apis/kubeflow.org/v1")->body);
  const Document& before = at(v3, {"components", "schemas", "org.kubeflow.v1.PyTorchJob", "properties", "spec"});
  const Document& after = at(v2(), {"definitions", "org.kubeflow.v1.PyTorchJob", "properties", "spec"});
  EXPECT_EQ(before.string_at("description"), after.string_at("description"));
  EXPECT_EQ(after.string_at("$ref"), "#/definitions/org.kubeflow.v1.PyTorchJobSpec");
  const Document& post = at(v2(), {"paths", "/apis/kubeflow.org/v1/namespaces/{namespace}/pytorchjobs", "post"});
  EXPECT_EQ(
      json::serialize(at(post, {"parameters"}).as_array().front()),
      R"({"name":"body","in":"body","required":true,"schema":{"$ref":"#/definitions/org.kubeflow.v1.PyTorchJob"}})");
  EXPECT_EQ(json::serialize(at(post, {"responses", "201"})),
            R"({"description":"Created","schema":{"$ref":"#/definitions/org.kubeflow.v1.PyTorchJob"}})");
}

const Document& pod_spec(std::string_view name) {
  return at(v2(), {"definitions", "io.k8s.api.core.v1.PodSpec", "properties", name});
}

TEST(OpenApiV2, DescribesWhatIsNotModelled) {
  const Document& terms =
      at(pod_spec("affinity"), {"properties", "nodeAffinity", "properties",
                                "requiredDuringSchedulingIgnoredDuringExecution", "properties", "nodeSelectorTerms"});
  EXPECT_EQ(terms.string_at("type"), "array");
  EXPECT_EQ(at(terms, {"items", "properties", "matchExpressions", "items", "properties", "operator"}).string_at("type"),
            "string");
  EXPECT_EQ(pod_spec("hostNetwork").string_at("type"), "boolean");
  EXPECT_EQ(at(pod_spec("overhead"), {"additionalProperties", "x-kubernetes-int-or-string"}), Document(true));
  EXPECT_EQ(pod_spec("hostAliases").string_at("x-kubernetes-patch-merge-key"), "ip");
  EXPECT_EQ(pod_spec("hostAliases").string_at("x-kubernetes-patch-strategy"), "merge");
  const Document& ephemeral = at(pod_spec("ephemeralContainers"), {"items", "properties", "ports"});
  EXPECT_EQ(ephemeral.string_at("x-kubernetes-patch-merge-key"), "containerPort");
  EXPECT_EQ(pod_spec("tolerations").find("x-kubernetes-patch-strategy"), nullptr);
}

/// kubectl apply crashes where an object is deeper than its schema, so every field must be described.
TEST(OpenApiV2, LeavesNothingOfKubernetesOwnKindsUndescribed) {
  std::vector<std::string> undescribed;
  for (const auto& [name, definition] : at(v2(), {"definitions"}).as_object()) {
    if (!name.starts_with("io.k8s.api.core.v1.") && !name.starts_with("apps.v1.")) continue;
    if (name.ends_with(".Condition")) continue;  // one type for all kinds, with the members of all of them
    for (const auto& [member, schema] : at(definition, {"properties"}).as_object()) {
      if (schema.bool_at("x-kubernetes-preserve-unknown-fields")) undescribed.push_back(name + "." + member);
    }
  }
  EXPECT_THAT(undescribed, IsEmpty());
}

TEST(OpenApiV2, SaysHowListsMerge) {
  EXPECT_EQ(pod_spec("volumes").string_at("x-kubernetes-patch-strategy"), "merge,retainKeys");
  EXPECT_EQ(pod_spec("containers").string_at("x-kubernetes-patch-merge-key"), "name");
  const Document& finalizers = at(v2(), {"definitions", "io.k8s.api.core.v1.ObjectMeta", "properties", "finalizers"});
  EXPECT_EQ(finalizers.string_at("x-kubernetes-patch-strategy"), "merge");
  EXPECT_EQ(finalizers.find("x-kubernetes-patch-merge-key"), nullptr);
}

TEST(OpenApiV2, IsOneDocumentInTwoEncodings) {
  OpenApi openapi;
  const OpenApiText& text = openapi.v2(OpenApiV2Form::kJson);
  const OpenApiText& bytes = openapi.v2(OpenApiV2Form::kProtobuf);
  EXPECT_EQ(text.etag, bytes.etag);
  EXPECT_EQ(text.content_type, "application/json");
  EXPECT_EQ(bytes.content_type, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  EXPECT_EQ(openapi.v2(OpenApiV2Form::kJson).body, text.body);
}

}  // namespace
}  // namespace muster::apiserver
