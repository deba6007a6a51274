#include "apiserver/openapi/discovery.h"

#include <algorithm>
#include <set>

#include "api/resource.h"

namespace muster::apiserver {
namespace {

using json::Array;
using json::Document;
using json::Object;

Array words(const std::vector<std::string>& texts) {
  return Array(texts.begin(), texts.end());
}

std::vector<const api::Resource*> resources_of(const GroupVersion& gv) {
  std::vector<const api::Resource*> out;
  for (const api::Resource& resource : api::resources()) {
    if (resource.group == gv.group && resource.version == gv.version) out.push_back(&resource);
  }
  return out;
}

std::vector<std::string> served_groups() {
  std::vector<std::string> groups;
  for (const GroupVersion& gv : served_versions()) {
    if (!gv.group.empty() && std::ranges::find(groups, gv.group) == groups.end()) groups.push_back(gv.group);
  }
  return groups;
}

// ---- aggregated ----

Document kind_reference(const std::string& group, const std::string& version, const std::string& kind) {
  return Object{{"group", group}, {"version", version}, {"kind", kind}};
}

Document aggregated_resource(const api::Resource& resource) {
  Object out;
  out.append("resource", resource.plural);
  out.append("responseKind", kind_reference(resource.group, resource.version, resource.kind));
  out.append("scope", resource.scope == api::Scope::kNamespaced ? "Namespaced" : "Cluster");
  out.append("singularResource", resource.singular);
  out.append("verbs", words(resource.verbs));
  if (!resource.short_names.empty()) out.append("shortNames", words(resource.short_names));
  if (!resource.categories.empty()) out.append("categories", words(resource.categories));
  Array subs;
  for (const Subresource& sub : subresources(resource)) {
    subs.emplace_back(Object{{"subresource", sub.name},
                             {"responseKind", kind_reference(sub.group, sub.version, sub.kind)},
                             {"verbs", words(sub.verbs)}});
  }
  if (!subs.empty()) out.append("subresources", std::move(subs));
  return out;
}

/// One item of an APIGroupDiscoveryList. The core group is listed under /api, the named groups under /apis.
Document aggregated_group(const std::string& group) {
  Array versions;
  for (const GroupVersion& gv : served_versions()) {
    if (gv.group != group) continue;
    Array resources;
    for (const api::Resource* resource : resources_of(gv)) resources.push_back(aggregated_resource(*resource));
    versions.emplace_back(
        Object{{"version", gv.version}, {"resources", std::move(resources)}, {"freshness", "Current"}});
  }
  Object metadata;
  if (!group.empty()) metadata.append("name", group);
  metadata.append("creationTimestamp", nullptr);
  return Object{{"metadata", std::move(metadata)}, {"versions", std::move(versions)}};
}

Document aggregated(bool core, DiscoveryForm form) {
  Array items;
  if (core) {
    items.push_back(aggregated_group(""));
  } else {
    for (const std::string& group : served_groups()) items.push_back(aggregated_group(group));
  }
  return Object{{"kind", "APIGroupDiscoveryList"},
                {"apiVersion", form == DiscoveryForm::kV2 ? "apidiscovery.k8s.io/v2" : "apidiscovery.k8s.io/v2beta1"},
                {"metadata", Object()},
                {"items", std::move(items)}};
}

// ---- legacy ----

Document legacy_group(const std::string& group) {
  Array versions;
  for (const GroupVersion& gv : served_versions()) {
    if (gv.group == group) versions.emplace_back(Object{{"groupVersion", gv.text()}, {"version", gv.version}});
  }
  Document preferred = versions.empty() ? Document(Object()) : versions[0];
  return Object{{"name", group}, {"versions", std::move(versions)}, {"preferredVersion", std::move(preferred)}};
}

Document legacy_resources(const GroupVersion& gv) {
  Array list;
  for (const api::Resource* resource : resources_of(gv)) {
    const bool namespaced = resource->scope == api::Scope::kNamespaced;
    Object item;
    item.append("name", resource->plural);
    item.append("singularName", resource->singular);
    item.append("namespaced", namespaced);
    item.append("kind", resource->kind);
    item.append("verbs", words(resource->verbs));
    if (!resource->short_names.empty()) item.append("shortNames", words(resource->short_names));
    if (!resource->categories.empty()) item.append("categories", words(resource->categories));
    list.emplace_back(std::move(item));
    for (const Subresource& sub : subresources(*resource)) {
      Object entry;
      entry.append("name", resource->plural + "/" + sub.name);
      entry.append("singularName", "");
      entry.append("namespaced", namespaced);
      if (sub.group != resource->group) {
        entry.append("group", sub.group);
        entry.append("version", sub.version);
      }
      entry.append("kind", sub.kind);
      entry.append("verbs", words(sub.verbs));
      list.emplace_back(std::move(entry));
    }
  }
  return Object{
      {"kind", "APIResourceList"}, {"apiVersion", "v1"}, {"groupVersion", gv.text()}, {"resources", std::move(list)}};
}

Document legacy_versions() {
  return Object{{"kind", "APIVersions"}, {"versions", Array{"v1"}}, {"serverAddressByClientCIDRs", Array()}};
}

Document legacy_groups() {
  Array groups;
  for (const std::string& group : served_groups()) groups.push_back(legacy_group(group));
  return Object{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

bool serves(const GroupVersion& gv) {
  const auto all = served_versions();
  return std::ranges::find(all, gv) != all.end();
}

}  // namespace

std::vector<Subresource> subresources(const api::Resource& resource) {
  const std::vector<std::string> change = {"get", "patch", "update"};
  std::vector<Subresource> out;
  if (resource.has_status) out.push_back({"status", resource.group, resource.version, resource.kind, change});
  for (const std::string& name : resource.other_subresources) {
    if (name == "scale") out.push_back({name, "autoscaling", "v1", "Scale", change});
    if (name == "log") out.push_back({name, resource.group, resource.version, resource.kind, {"get"}});
    if (name == "exec") out.push_back({name, resource.group, resource.version, "PodExecOptions", {"create", "get"}});
    if (name == "attach")
      out.push_back({name, resource.group, resource.version, "PodAttachOptions", {"create", "get"}});
    if (name == "portforward") {
      out.push_back({name, resource.group, resource.version, "PodPortForwardOptions", {"create", "get"}});
    }
    if (name == "binding") out.push_back({name, resource.group, resource.version, "Binding", {"create"}});
    if (name == "token") out.push_back({name, "authentication.k8s.io", "v1", "TokenRequest", {"create"}});
  }
  return out;
}

std::vector<GroupVersion> served_versions() {
  std::vector<GroupVersion> out;
  for (const api::Resource& resource : api::resources()) {
    const GroupVersion gv{resource.group, resource.version};
    if (std::ranges::find(out, gv) == out.end()) out.push_back(gv);
  }
  return out;
}

bool is_discovery(const std::vector<std::string>& path) {
  if (path.empty() || path.size() > 3) return false;
  if (path[0] == "api") return path.size() == 1 || (path.size() == 2 && path[1] == "v1");
  if (path[0] != "apis") return false;
  if (path.size() == 3) return serves({path[1], path[2]});
  return path.size() == 1 || std::ranges::count(served_groups(), path[1]) > 0;
}

Result<DiscoveryAnswer> answer_discovery(const std::vector<std::string>& path, std::string_view accept) {
  TRY_ASSIGN(const DiscoveryForm form, negotiate_discovery(accept));
  const auto plain = [](Document body) { return DiscoveryAnswer{std::move(body), "application/json"}; };
  const bool core = path[0] == "api";
  if (path.size() == 1) {
    if (form == DiscoveryForm::kLegacy) return plain(core ? legacy_versions() : legacy_groups());
    return DiscoveryAnswer{aggregated(core, form), std::string(discovery_content_type(form))};
  }
  if (core) return plain(legacy_resources({"", path[1]}));
  if (path.size() == 3) return plain(legacy_resources({path[1], path[2]}));
  Document group = legacy_group(path[1]);
  group["kind"] = "APIGroup";
  group["apiVersion"] = "v1";
  return plain(std::move(group));
}

Document root_answer() {
  std::set<std::string> paths = {"/api",        "/apis",       "/healthz", "/livez",  "/metrics",
                                 "/openapi/v2", "/openapi/v3", "/readyz",  "/version"};
  for (const GroupVersion& gv : served_versions()) {
    paths.insert((gv.group.empty() ? "/api/" : "/apis/") + gv.text());
    if (!gv.group.empty()) paths.insert("/apis/" + gv.group);
  }
  return Object{{"paths", Array(paths.begin(), paths.end())}};
}

Document version_answer() {
  return Object{{"major", "1"},
                {"minor", "33"},
                {"gitVersion", "v1.33.4"},
                {"gitCommit", ""},
                {"gitTreeState", ""},
                {"buildDate", ""},
                {"goVersion", ""},
                {"compiler", ""},
                {"platform", "linux/amd64"},
                {"musterVersion", "v" MUSTER_VERSION}};
}

}  // namespace muster::apiserver
