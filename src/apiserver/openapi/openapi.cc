#include "apiserver/openapi/openapi.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/kubernetes/kubernetes_fields.h"
#include "api/resource.h"
#include "apiserver/openapi/complete_schemas.h"
#include "apiserver/openapi/discovery.h"
#include "apiserver/openapi/openapi_v2.h"
#include "apiserver/protobuf/encode_openapi_v2.h"
#include "base/sha256.h"
#include "json/document.h"
#include "reflect/reflect.h"

namespace muster::apiserver {
namespace {

using json::Array;
using json::Document;
using json::Object;

Document gvk(const api::Resource& resource) {
  return Object{{"group", resource.group}, {"kind", resource.kind}, {"version", resource.version}};
}

Document parameter(std::string name, std::string in, std::string type, std::string doc) {
  const bool in_path = in == "path";
  Object out;
  out.append("name", std::move(name));
  out.append("in", std::move(in));
  out.append("description", std::move(doc));
  if (in_path) out.append("required", true);
  out.append("schema", Object{{"type", std::move(type)}, {"uniqueItems", true}});
  return out;
}

Document write_parameters() {
  return Array{
      parameter("dryRun", "query", "string",
                "When present, indicates that modifications should not be persisted. Valid values are: All."),
      parameter("fieldManager", "query", "string", "A name associated with the actor that is making these changes."),
      parameter("fieldValidation", "query", "string",
                "What to do with unknown or duplicate fields: Ignore, Warn (the default) or Strict."),
  };
}

Document list_parameters() {
  return Array{
      parameter("allowWatchBookmarks", "query", "boolean", "Requests BOOKMARK events in a watch."),
      parameter("continue", "query", "string", "Not used: lists are always whole."),
      parameter("fieldSelector", "query", "string", "Restricts the list by the fields of objects."),
      parameter("labelSelector", "query", "string", "Restricts the list by the labels of objects."),
      parameter("limit", "query", "integer", "Not followed: lists are always whole."),
      parameter("resourceVersion", "query", "string", "Revision at which the list or watch starts."),
      parameter("resourceVersionMatch", "query", "string", "How resourceVersion is understood."),
      parameter("sendInitialEvents", "query", "boolean", "Starts the watch with the existing objects."),
      parameter("timeoutSeconds", "query", "integer", "When the watch ends."),
      parameter("watch", "query", "boolean", "Changes as a stream instead of a list."),
  };
}

Document content(const std::string& reference) {
  return Object{{"application/json", Object{{"schema", Object{{"$ref", reference}}}}}};
}

Document answers(const std::string& reference, bool creates) {
  Object responses;
  responses.append("200", Object{{"description", "OK"}, {"content", content(reference)}});
  if (creates) responses.append("201", Object{{"description", "Created"}, {"content", content(reference)}});
  responses.append("401", Object{{"description", "Unauthorized"}});
  return responses;
}

struct Operation {
  const char* method;
  const char* verb;    // as in the resource's verbs
  const char* action;  // x-kubernetes-action
};

Document operation(const api::Resource& resource, const Operation& op, const std::string& reference,
                   const std::string& list_reference) {
  const std::string_view method = op.method;
  const bool list = std::string_view(op.action) == "list";
  Object out;
  out.append("description", fmt::format("{} {}", op.action, list ? resource.plural : resource.singular));
  out.append("operationId", fmt::format("{}{}{}", op.action, resource.version, resource.kind));
  if (method == "post" || method == "put" || method == "patch") {
    out.append("parameters", write_parameters());
    Object body;
    if (method == "patch") {
      Object types;
      types.append("application/apply-patch+yaml", Object{{"schema", Object{{"type", "object"}}}});
      types.append("application/json-patch+json", Object{{"schema", Object{{"type", "array"}}}});
      types.append("application/merge-patch+json", Object{{"schema", Object{{"type", "object"}}}});
      if (resource.built_in) {
        types.append("application/strategic-merge-patch+json", Object{{"schema", Object{{"type", "object"}}}});
      }
      body.append("content", std::move(types));
    } else {
      body.append("content", content(reference));
    }
    body.append("required", true);
    out.append("requestBody", std::move(body));
  } else if (list) {
    out.append("parameters", list_parameters());
  }
  out.append("responses", answers(list ? list_reference : reference, method == "post"));
  out.append("x-kubernetes-action", op.action);
  out.append("x-kubernetes-group-version-kind", gvk(resource));
  return out;
}

/// kubectl looks for a patch operation here before it sends anything for validation. If there is none, it asks for
/// OpenAPI v2 and fails with an error about that, instead of showing why the server rejects definitions.
bool is_patch_to_refuse(const api::Resource& resource, const Operation& op) {
  return resource.kind == "CustomResourceDefinition" && std::string_view(op.verb) == "patch";
}

void add_paths(const api::Resource& resource, const std::string& root, const std::string& reference,
               const std::string& list_reference, Object& paths) {
  static const std::vector<Operation> on_collection = {
      {"get", "list", "list"}, {"post", "create", "post"}, {"delete", "deletecollection", "deletecollection"}};
  static const std::vector<Operation> on_object = {
      {"get", "get", "get"}, {"put", "update", "put"}, {"patch", "patch", "patch"}, {"delete", "delete", "delete"}};
  const bool namespaced = resource.scope == api::Scope::kNamespaced;
  const std::string collection = root + (namespaced ? "/namespaces/{namespace}/" : "/") + resource.plural;
  const auto add = [&](const std::string& path, const std::vector<Operation>& operations, bool named,
                       bool in_namespace) {
    Object item;
    for (const Operation& op : operations) {
      if (std::ranges::find(resource.verbs, op.verb) == resource.verbs.end() && !is_patch_to_refuse(resource, op)) {
        continue;
      }
      item.append(op.method, operation(resource, op, reference, list_reference));
    }
    Array parameters;
    if (named) parameters.push_back(parameter("name", "path", "string", "name of the " + resource.kind));
    if (in_namespace) parameters.push_back(parameter("namespace", "path", "string", "namespace of the objects"));
    if (!parameters.empty()) item.append("parameters", std::move(parameters));
    paths.append(path, std::move(item));
  };
  add(collection, on_collection, false, namespaced);
  add(collection + "/{name}", on_object, true, namespaced);
  if (resource.has_status) {
    add(collection + "/{name}/status", {on_object.begin(), on_object.end() - 1}, true, namespaced);
  }
  if (namespaced) add(root + "/" + resource.plural, {on_collection[0]}, false, false);
}

/// "io.k8s.api.core.v1." for the core group; "org.kubeflow.v1." for CRDs, as Kubernetes names them.
std::string schema_prefix(const GroupVersion& gv) {
  if (gv.group.empty()) return "io.k8s.api.core." + gv.version + ".";
  std::string reversed;
  std::size_t end = gv.group.size();
  while (true) {
    const std::size_t dot = gv.group.rfind('.', end - 1);
    const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
    reversed += gv.group.substr(begin, end - begin) + ".";
    if (dot == std::string::npos) break;
    end = dot;
  }
  return reversed + gv.version + ".";
}

void add_list_schema(const api::Resource& resource, const std::string& prefix, const std::string& reference,
                     Object& schemas) {
  Object properties;
  properties.append("apiVersion", Object{{"type", "string"}});
  properties.append("kind", Object{{"type", "string"}});
  properties.append("metadata", Object{{"type", "object"}});
  properties.append("items", Object{{"type", "array"}, {"items", Object{{"$ref", reference}}}});
  Document list_kind =
      Object{{"group", resource.group}, {"kind", resource.kind + "List"}, {"version", resource.version}};
  schemas.append(prefix + resource.kind + "List",
                 Object{{"description", "A list of " + resource.plural},
                        {"type", "object"},
                        {"required", Array{"items"}},
                        {"properties", std::move(properties)},
                        {"x-kubernetes-group-version-kind", Array{std::move(list_kind)}}});
}

Document info() {
  return Object{{"title", "Muster"}, {"version", "v1.33.4"}};
}

Document document_of(const GroupVersion& gv) {
  const std::string root = gv.group.empty() ? "/api/" + gv.version : "/apis/" + gv.text();
  const std::string prefix = schema_prefix(gv);
  Object paths;
  Object schemas;
  for (const api::Resource& resource : api::resources()) {
    if (resource.group != gv.group || resource.version != gv.version) continue;
    const std::string reference = reflect::add_openapi_schemas(*resource.type, prefix, schemas);
    if (const auto* message = resource.message()) {
      complete_schemas(*resource.type, *message, prefix, schemas);
    }
    const std::string name = reference.substr(reference.rfind('/') + 1);
    if (Document* schema = schemas.find(name)) (*schema)["x-kubernetes-group-version-kind"] = Array{gvk(resource)};
    add_list_schema(resource, prefix, reference, schemas);
    add_paths(resource, root, reference, "#/components/schemas/" + prefix + resource.kind + "List", paths);
  }
  return Object{{"openapi", "3.0.0"},
                {"info", info()},
                {"paths", std::move(paths)},
                {"components", Object{{"schemas", std::move(schemas)}}}};
}

Document v2_document() {
  Object paths;
  Object definitions;
  for (const GroupVersion& gv : served_versions()) add_as_v2(document_of(gv), paths, definitions);
  Object out = {{"swagger", "2.0"}, {"info", info()}};
  out.append("paths", std::move(paths));
  out.append("definitions", std::move(definitions));
  return out;
}

OpenApiText text(std::string body, std::string_view content_type, std::string_view hash) {
  return {std::make_shared<const std::string>(std::move(body)), std::string(content_type), fmt::format("\"{}\"", hash)};
}

}  // namespace

void OpenApi::build() {
  if (!index_.empty()) return;
  Object paths;
  for (const GroupVersion& gv : served_versions()) {
    const std::string path = (gv.group.empty() ? "api/" : "apis/") + gv.text();
    std::string body = json::serialize(document_of(gv));
    const std::string hash = sha256_hex(body);
    paths.append(path, Object{{"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", path, hash)}});
    documents_.emplace(path, text(std::move(body), "application/json", hash));
  }
  index_ = json::serialize(Object{{"paths", std::move(paths)}});
}

void OpenApi::build_v2() {
  if (v2_json_.body != nullptr) return;
  const Document document = v2_document();
  std::string body = json::serialize(document);
  const std::string hash = sha256_hex(body);
  v2_json_ = text(std::move(body), openapi_v2_content_type(OpenApiV2Form::kJson), hash);
  v2_protobuf_ = text(protobuf::encode_openapi_v2(document), openapi_v2_content_type(OpenApiV2Form::kProtobuf), hash);
}

const std::string& OpenApi::index() {
  build();
  return index_;
}

const OpenApiText* OpenApi::document(const std::string& path) {
  build();
  const auto found = documents_.find(path);
  return found == documents_.end() ? nullptr : &found->second;
}

const OpenApiText& OpenApi::v2(OpenApiV2Form form) {
  build_v2();
  return form == OpenApiV2Form::kProtobuf ? v2_protobuf_ : v2_json_;
}

}  // namespace muster::apiserver
