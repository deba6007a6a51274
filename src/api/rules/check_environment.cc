// Checks the environment variables of a container and their sources.
#include <algorithm>
#include <array>

#include "api/rules/check_pod_parts.h"
#include "api/rules/rule_texts.h"
#include "base/strings.h"

namespace muster::api {
namespace {

using json::Document;
using reflect::Place;

const std::vector<std::string>& env_fields() {
  static const std::vector<std::string> fields = {
      "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
      "status.hostIP", "status.hostIPs",     "status.podIP", "status.podIPs"};
  return fields;
}
// Fields that are valid in selectors, so Kubernetes knows them, but not as the value of a variable.
constexpr std::array<std::string_view, 7> kOtherFields = {
    "metadata.labels",    "metadata.annotations", "spec.hostNetwork",        "spec.restartPolicy",
    "spec.schedulerName", "status.phase",         "status.nominatedNodeName"};

/// Returns x for "metadata.labels['x']"; nullopt when the path has another form.
std::optional<std::string> subscript(std::string_view path) {
  for (const std::string_view start : {"metadata.labels['", "metadata.annotations['"}) {
    if (path.starts_with(start) && path.ends_with("']") && path.size() > start.size() + 2) {
      return std::string(path.substr(start.size(), path.size() - start.size() - 2));
    }
  }
  return std::nullopt;
}

void check_field_ref(const Document& ref, const Place& at, Findings& found) {
  if (!found.has_text(ref, "fieldPath", at)) return;
  const std::string& path = ref.string_at("fieldPath");
  if (const auto key = subscript(path)) {
    const bool annotation = path.starts_with("metadata.annotations");
    found.qualified_name(annotation ? to_lower(*key) : *key, at);
  } else if (contains(kOtherFields, path)) {
    found.not_supported(at.member("fieldPath"), path, env_fields());
  } else if (!contains(env_fields(), path)) {
    found.invalid(at.member("fieldPath"), path, "error converting fieldPath: field label not supported: " + path);
  }
}

void check_resource_ref(const Document& ref, const Place& at, Findings& found) {
  if (!found.has_text(ref, "resource", at)) return;
  if (ref.string_at("resource").find(".hugepages-") != std::string::npos) return;
  found.one_of(ref, "resource", at,
               {"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage",
                "requests.memory"});
}

void check_key_ref(const Document& ref, const Place& at, Findings& found) {
  if (!is_dns_subdomain(ref.string_at("name"))) found.invalid(at.member("name"), ref.string_at("name"), kSubdomainRule);
  if (found.has_text(ref, "key", at)) found.config_key(ref.string_at("key"), at.member("key"));
}

void check_env_source(const Document& variable, const Place& place, Findings& found) {
  const json::Object& source = members_of(variable, "valueFrom");
  const Place at = place.member("valueFrom");
  if (source.empty()) {
    found.invalid(at, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`");
  } else if (!variable.string_at("value").empty()) {
    found.invalid(at, "", "may not be specified when `value` is not empty");
  } else if (source.size() > 1) {
    found.invalid(at, "", "may not have more than one field specified at a time");
  }
  for (const auto& [key, ref] : source) {
    const Place ref_at = at.member(key);
    if (key == "fieldRef") check_field_ref(ref, ref_at, found);
    if (key == "resourceFieldRef") check_resource_ref(ref, ref_at, found);
    if (key == "configMapKeyRef" || key == "secretKeyRef") check_key_ref(ref, ref_at, found);
  }
}

bool may_be_in_name(char c) {
  return c >= ' ' && c <= '~' && c != '=';
}

}  // namespace

void check_environment(const Document& container, const Place& place, Findings& found) {
  visit_items(container, "env", place, [&](const Document& variable, const Place& at) {
    if (found.has_text(variable, "name", at) && !std::ranges::all_of(variable.string_at("name"), &may_be_in_name)) {
      found.invalid(at.member("name"), variable.string_at("name"),
                    "a valid environment variable name must consist only of printable ASCII characters other than '='");
    }
    found.without_nul(variable, "value", at);
    if (variable.find("valueFrom") != nullptr) check_env_source(variable, at, found);
  });
  const Place sources = place.member("envFrom");
  visit_items(container, "envFrom", place, [&](const Document& source, const Place& at) {
    int given = 0;
    for (const char* key : {"configMapRef", "secretRef"}) {
      const Document* ref = source.find(key);
      if (ref == nullptr) continue;
      ++given;
      found.has_text(*ref, "name", at.member(key));
    }
    if (given == 0) found.invalid(sources, "", "must specify one of: `configMapRef` or `secretRef`");
    if (given > 1) found.invalid(sources, "", "may not have more than one field specified at a time");
  });
}

}  // namespace muster::api
