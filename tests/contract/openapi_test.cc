// OpenAPI v3 and v2: the parts that kubectl needs are the same everywhere, although the schemas themselves differ.
#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::Contains;
using ::testing::StartsWith;

constexpr const char* kV2 = "/openapi/v2";
constexpr const char* kProtobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
constexpr const char* kJobPath = "/apis/kubeflow.org/v1/namespaces/{namespace}/pytorchjobs/{name}";

TEST_P(ApiContract, OpenApiOffersFieldValidation) {
  const Answer index = get("/openapi/v3");
  const std::string& url = index.body.string_at("paths", "apis/kubeflow.org/v1", "serverRelativeURL");
  EXPECT_THAT(url, StartsWith("/openapi/v3/apis/kubeflow.org/v1?hash="));
  const Answer document = get(url);
  ASSERT_EQ(document.code, 200);
  const Document& operation =
      at(document.body, "paths", "/apis/kubeflow.org/v1/namespaces/{namespace}/pytorchjobs/{name}", "patch");
  EXPECT_EQ(operation.string_at("x-kubernetes-action"), "patch");
  EXPECT_EQ(operation.string_at("x-kubernetes-group-version-kind", "kind"), "PyTorchJob");
  std::vector<std::string> parameters;
  for (const Document& parameter : at(operation, "parameters").as_array()) {
    parameters.push_back(parameter.string_at("name"));
  }
  EXPECT_THAT(parameters, Contains("fieldValidation"));
  EXPECT_THAT(parameters, Contains("fieldManager"));
  EXPECT_THAT(parameters, Contains("dryRun"));
}

/// The definition that has exactly this group, version and kind.
const Document& definition(const Document& v2, const Document& identity) {
  for (const auto& [name, schema] : at(v2, "definitions").as_object()) {
    const Document& identities = at(schema, "x-kubernetes-group-version-kind");
    if (identities.is_array() && identities.as_array().size() == 1 && identities.as_array()[0] == identity)
      return schema;
  }
  return absent();
}

Document identity(const char* group, const char* version, const char* kind) {
  return json::Object{{"group", group}, {"kind", kind}, {"version", version}};
}

/// The schema or parameter that a reference stands for.
const Document& resolved(const Document& v2, const Document& value) {
  const std::string& reference = value.string_at("$ref");
  if (reference.empty()) return value;
  const std::size_t slash = reference.rfind('/');
  return at(v2, reference.substr(2, slash - 2).c_str(), reference.substr(slash + 1).c_str());
}

/// The schema of a field, as its parent describes it. "[]" stands for the items of a list.
const Document& field(const Document& v2, const Document& schema, const std::vector<std::string>& path) {
  const Document* found = &schema;
  for (const std::string& name : path) {
    const Document& whole = resolved(v2, *found);
    found = name == "[]" ? &at(whole, "items") : &at(whole, "properties", name.c_str());
  }
  return *found;
}

class OpenApiV2 : public ApiContract {
 protected:
  /// A cluster publishes custom resources some time after it starts to serve them.
  Document v2() {
    return get_until(kV2, [](const Answer& a) { return at(a.body, "paths", kJobPath).is_object(); }).body;
  }
  Answer ask(const std::string& accept, const std::string& if_none_match = "") {
    net::Request request;
    request.method = "GET";
    request.target = kV2;
    request.headers.set("Accept", accept);
    if (!if_none_match.empty()) request.headers.set("If-None-Match", if_none_match);
    return send(std::move(request));
  }
};

TEST_P(OpenApiV2, IsJsonOrProtobuf) {
  const Answer text = ask("application/json");
  EXPECT_EQ(text.code, 200);
  EXPECT_EQ(text.headers.get("Content-Type"), "application/json");
  EXPECT_EQ(text.body.string_at("swagger"), "2.0");
  EXPECT_EQ(ask("*/*").headers.get("Content-Type"), "application/json");
  const Answer bytes = ask(kProtobuf);
  EXPECT_EQ(bytes.code, 200);
  EXPECT_EQ(bytes.headers.get("Content-Type"), "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  EXPECT_THAT(bytes.text, StartsWith("\x0a\x03"
                                     "2.0"
                                     "\x12"));
  for (const char* accept : {"text/plain", "application/yaml", "application/vnd.kubernetes.protobuf", "x"}) {
    EXPECT_EQ(ask(accept).code, 406) << accept;
  }
  EXPECT_EQ(get("/openapi/v2/x").code, 404);
}

TEST_P(OpenApiV2, IsNotSentAgain) {
  v2();  // a cluster makes a new one when it publishes
  ask_until(
      [&] {
        const Answer bytes = ask(kProtobuf);
        return ask(kProtobuf, std::string(bytes.headers.get("ETag")));
      },
      [](const Answer& again) { return again.code == 304 && again.text.empty(); });
  EXPECT_EQ(ask("application/json", "\"other\"").code, 200);
}

TEST_P(OpenApiV2, DefinitionsAndOperationsSayTheirKind) {
  const Document document = v2();
  const struct {
    const char* path;
    Document kind;
  } cases[] = {
      {"/api/v1/namespaces/{namespace}/pods/{name}", identity("", "v1", "Pod")},
      {"/api/v1/namespaces/{namespace}/configmaps/{name}", identity("", "v1", "ConfigMap")},
      {"/api/v1/namespaces/{name}", identity("", "v1", "Namespace")},
      {"/apis/apps/v1/namespaces/{namespace}/deployments/{name}", identity("apps", "v1", "Deployment")},
      {kJobPath, identity("kubeflow.org", "v1", "PyTorchJob")},
  };
  for (const auto& [path, kind] : cases) {
    EXPECT_TRUE(definition(document, kind).is_object()) << path;
    for (const char* method : {"get", "put", "patch", "delete"}) {
      const Document& operation = at(document, "paths", path, method);
      EXPECT_EQ(operation.string_at("x-kubernetes-action"), method) << path;
      EXPECT_EQ(at(operation, "x-kubernetes-group-version-kind"), kind) << path;
    }
    std::vector<std::string> parameters;
    for (const Document& one : at(document, "paths", path, "patch", "parameters").as_array()) {
      const Document& parameter = resolved(document, one);
      parameters.push_back(parameter.string_at("in") + " " + parameter.string_at("name"));
    }
    EXPECT_THAT(parameters, Contains("query fieldValidation")) << path;
    EXPECT_THAT(parameters, Contains("query fieldManager")) << path;
    EXPECT_THAT(parameters, Contains("body body")) << path;
  }
  const Document& collection = at(document, "paths", "/apis/kubeflow.org/v1/namespaces/{namespace}/pytorchjobs");
  EXPECT_EQ(collection.string_at("get", "x-kubernetes-action"), "list");
  EXPECT_EQ(collection.string_at("post", "x-kubernetes-action"), "post");
}

TEST_P(OpenApiV2, SaysHowKubectlMerges) {
  const Document document = v2();
  const Document& deployment = definition(document, identity("apps", "v1", "Deployment"));
  const struct {
    std::vector<std::string> path;
    const char* strategy;
    const char* key;
  } cases[] = {
      {{"metadata", "finalizers"}, "merge", ""},
      {{"metadata", "ownerReferences"}, "merge", "uid"},
      {{"spec", "strategy"}, "retainKeys", ""},
      {{"spec", "template", "spec", "volumes"}, "merge,retainKeys", "name"},
      {{"spec", "template", "spec", "hostAliases"}, "merge", "ip"},
      {{"spec", "template", "spec", "imagePullSecrets"}, "merge", "name"},
      {{"spec", "template", "spec", "topologySpreadConstraints"}, "merge", "topologyKey"},
      {{"spec", "template", "spec", "tolerations"}, "", ""},
      {{"spec", "template", "spec", "containers"}, "merge", "name"},
      {{"spec", "template", "spec", "containers", "[]", "env"}, "merge", "name"},
      {{"spec", "template", "spec", "containers", "[]", "args"}, "", ""},
      {{"spec", "template", "spec", "containers", "[]", "ports"}, "merge", "containerPort"},
      {{"spec", "template", "spec", "containers", "[]", "volumeDevices"}, "merge", "devicePath"},
      {{"spec", "template", "spec", "ephemeralContainers", "[]", "ports"}, "merge", "containerPort"},
      {{"status", "conditions"}, "merge", "type"},
  };
  for (const auto& [path, strategy, key] : cases) {
    const Document& schema = field(document, deployment, path);
    EXPECT_TRUE(schema.is_object()) << path.back();
    EXPECT_EQ(schema.string_at("x-kubernetes-patch-strategy"), strategy) << path.back();
    EXPECT_EQ(schema.string_at("x-kubernetes-patch-merge-key"), key) << path.back();
  }
  const std::vector<std::string> terms = {"spec",
                                          "template",
                                          "spec",
                                          "affinity",
                                          "nodeAffinity",
                                          "requiredDuringSchedulingIgnoredDuringExecution",
                                          "nodeSelectorTerms"};
  EXPECT_EQ(field(document, deployment, terms).string_at("type"), "array");
}

INSTANTIATE_TEST_SUITE_P(Contract, OpenApiV2,
                         ::testing::Values(Where::kInProcess, Where::kOverHttps, Where::kKubernetes),
                         [](const auto& tested) { return where_name(tested.param); });

}  // namespace
}  // namespace muster::contract
