#include "apiserver/apply/ownership.h"

#include <functional>
#include <map>

#include "base/strings.h"

namespace muster::apiserver {
namespace {

using json::Document;

apply::Owner writer_of(const ResourceRequest& request, const std::string& manager, Time now) {
  apply::Owner writer;
  writer.manager = manager;
  writer.operation = apply::kUpdate;
  writer.api_version = request.resource->api_version();
  writer.subresource = request.subresource;
  writer.time = format_rfc3339(now);
  return writer;
}

/// A client sends an empty list, or a list with one empty entry, to remove all owners.
bool forgets_owners(const Document& sent) {
  if (!sent.is_array()) return false;
  return sent.as_array().empty() || (sent.as_array().size() == 1 && sent.as_array()[0] == Document(json::Object()));
}

/// Clients may edit owners, but clients that do not send them must not lose them.
apply::Owners owners_before(const ResourceRequest& request, const Document& before, const Document& sent) {
  if (request.subresource.empty()) {
    if (forgets_owners(sent)) return {};
    if (auto owners = apply::decode_owners(sent); owners && !owners->empty()) return *std::move(owners);
  }
  auto owners = apply::decode_owners(managed_fields_of(before));
  return owners ? *std::move(owners) : apply::Owners();
}

/// Parts that every object of a built-in kind has, even if empty, because Kubernetes keeps them as structs. Their mere
/// presence has no owner.
const std::vector<std::string_view>& parts_of(const api::Resource& resource) {
  static const std::map<std::string, std::vector<std::string_view>, std::less<>> parts = {
      {"deployments.apps",
       {"/spec", "/spec/strategy", "/spec/template", "/spec/template/metadata", "/spec/template/spec",
        "/spec/template/spec/containers[]", "/status"}},
      {"leases.coordination.k8s.io", {"/spec"}},
      {"namespaces", {"/spec", "/status"}},
      {"nodes", {"/spec", "/status"}},
      {"persistentvolumeclaims", {"/spec", "/spec/resources", "/status"}},
      {"persistentvolumes", {"/spec", "/status"}},
      {"pods", {"/spec", "/spec/containers[]", "/status"}},
      {"resourcequotas", {"/spec", "/status"}},
      {"services", {"/spec", "/status", "/status/loadBalancer"}},
  };
  static const std::vector<std::string_view> none;
  const auto found = resource.built_in ? parts.find(resource.qualified_name()) : parts.end();
  return found == parts.end() ? none : found->second;
}

Document with_parts(const api::Resource& resource, Document object) {
  for (std::string_view path : parts_of(resource)) {
    const bool is_list = path.ends_with("[]");
    if (is_list) path.remove_suffix(2);
    Document* at = &object;
    for (const std::string& step : split(path.substr(1), '/')) {
      if (at->is_null()) *at = json::Object();
      at = &(*at)[step];
    }
    if (at->is_null()) *at = is_list ? Document(json::Array()) : Document(json::Object());
  }
  return object;
}

}  // namespace

apply::Scope ownership_scope(const ResourceRequest& request) {
  const api::Resource& resource = *request.resource;
  apply::Scope scope{apply::MergeSchema(resource), {}};
  if (request.subresource == "status") {
    scope.unowned = {"f:spec"};
  } else if (resource.has_status) {
    scope.unowned = {"f:status"};
  }
  // The spec of a namespace, its finalizers, belongs to the server.
  if (resource.qualified_name() == "namespaces") scope.unowned.emplace_back("f:spec");
  return scope;
}

Document managed_fields_of(const Document& object) {
  const Document* found = object.at("metadata", "managedFields");
  return found == nullptr ? Document() : *found;
}

void set_owners(Document& object, apply::Owners owners) {
  json::Object& metadata = object["metadata"].as_object();
  if (owners.empty()) {
    metadata.erase("managedFields");
  } else {
    metadata.set("managedFields", apply::encode_owners(std::move(owners)));
  }
}

void own_new(const ResourceRequest& request, Document& object, const std::string& manager, Time now) {
  const Document nothing = with_parts(*request.resource, json::Object());
  set_owners(object,
             apply::after_update(ownership_scope(request), nothing, object, {}, writer_of(request, manager, now)));
}

void own_change(const ResourceRequest& request, const Document& before, const Document& sent, Document& after,
                const std::string& manager, Time now) {
  const Document stored = managed_fields_of(before);
  if (!stored.is_null()) after["metadata"].as_object().set("managedFields", stored);
  const bool owners_edited = request.subresource.empty() && sent.is_array() && !(sent == stored);
  if (!owners_edited && (stored.is_null() || after == before)) return;
  apply::Owners owners = owners_before(request, before, sent);
  if (owners.empty()) return set_owners(after, {});
  const apply::Scope scope = ownership_scope(request);
  apply::Owner writer = writer_of(request, manager, now);
  const api::Resource& resource = *request.resource;
  set_owners(after, parts_of(resource).empty()
                        ? apply::after_update(scope, before, after, std::move(owners), std::move(writer))
                        : apply::after_update(scope, with_parts(resource, before), with_parts(resource, after),
                                              std::move(owners), std::move(writer)));
}

}  // namespace muster::apiserver
