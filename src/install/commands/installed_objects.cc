#include "install/commands/installed_objects.h"

#include <algorithm>

namespace muster::install {

namespace {

constexpr const char* kOurs = "app.kubernetes.io/name=muster,app.kubernetes.io/component=operator";

struct Installed {
  const char* kind;
  client::ResourceName resource;
};

/// In the order in which they are removed: the operator ends before it loses its rights.
const std::vector<Installed>& installed_kinds() {
  static const std::vector<Installed> kKinds = {
      {"Deployment", {"apps", "v1", "deployments"}},
      {"ServiceMonitor", {"monitoring.coreos.com", "v1", "servicemonitors"}},
      {"PodDisruptionBudget", {"policy", "v1", "poddisruptionbudgets"}},
      {"Service", {"", "v1", "services"}},
      {"RoleBinding", {"rbac.authorization.k8s.io", "v1", "rolebindings"}},
      {"Role", {"rbac.authorization.k8s.io", "v1", "roles"}},
      {"ClusterRoleBinding", {"rbac.authorization.k8s.io", "v1", "clusterrolebindings"}},
      {"ClusterRole", {"rbac.authorization.k8s.io", "v1", "clusterroles"}},
      {"ServiceAccount", {"", "v1", "serviceaccounts"}},
      {"PriorityClass", {"scheduling.k8s.io", "v1", "priorityclasses"}},
  };
  return kKinds;
}

bool binds_account_in(const json::Document& binding, const std::string& ns) {
  return std::ranges::any_of(binding.array_at("subjects"),
                             [&](const json::Document& subject) { return subject.string_at("namespace") == ns; });
}

std::string api_version_of(const client::ResourceName& resource) {
  return resource.group.empty() ? resource.version : resource.group + "/" + resource.version;
}

/// A team without Prometheus' operator may have no right to see its objects either.
bool is_optional(const Installed& kind, const Error& error) {
  return kind.resource.group == "monitoring.coreos.com" &&
         (error.reason == Reason::kNotFound || error.reason == Reason::kForbidden);
}

Result<json::Array> list_of(cli::Session& session, const Installed& kind, const std::string& ns,
                            const std::vector<std::string>& namespaces) {
  client::ListOptions options;
  options.label_selector = kOurs;
  auto all = session.list(kind.resource, "", options);
  if (all) return all->array_at("items");
  if (all.error().reason == Reason::kNotFound) return json::Array{};  // such as ServiceMonitors
  if (all.error().reason != Reason::kForbidden) return all.error();
  if (std::string_view(kind.kind).starts_with("Cluster") || std::string_view(kind.kind) == "PriorityClass") {
    return json::Array{};
  }
  std::vector<std::string> places = namespaces;
  if (std::ranges::find(places, ns) == places.end()) places.push_back(ns);
  json::Array found;
  for (const std::string& place : places) {
    const auto items = session.list(kind.resource, place, options);
    if (!items && is_optional(kind, items.error())) continue;
    if (!items) return items.error();
    found.insert(found.end(), items->array_at("items").begin(), items->array_at("items").end());
  }
  return found;
}

}  // namespace

Result<std::vector<json::Document>> installed_objects(cli::Session& session, const std::string& ns,
                                                      const std::vector<std::string>& namespaces) {
  std::vector<json::Document> found;
  std::vector<std::string> bound;  // "NAMESPACE/NAME" of the roles that our account has
  bool whole_cluster = false;      // this installation has rights in the whole cluster
  bool another_has_them = false;
  for (const Installed& kind : installed_kinds()) {
    TRY_ASSIGN(const json::Array items, list_of(session, kind, ns, namespaces));
    for (json::Document object : items) {
      object["kind"] = kind.kind;
      object["apiVersion"] = api_version_of(kind.resource);
      const std::string name = object.string_at("metadata", "namespace") + "/" + object.string_at("metadata", "name");
      const std::string_view word = kind.kind;
      if (word.ends_with("Binding") && binds_account_in(object, ns)) {
        bound.push_back(name);
        whole_cluster |= word == "ClusterRoleBinding";
      } else if (word == "ClusterRole" || word == "PriorityClass") {
        if (another_has_them && !whole_cluster) continue;
      } else if (word == "Role") {
        if (std::ranges::find(bound, name) == bound.end()) continue;
      } else if (word == "ClusterRoleBinding") {
        another_has_them = true;
        continue;
      } else if (word == "RoleBinding" || object.string_at("metadata", "namespace") != ns) {
        continue;
      }
      found.push_back(std::move(object));
    }
  }
  return found;
}

}  // namespace muster::install
