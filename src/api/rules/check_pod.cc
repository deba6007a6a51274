// Checks the spec of a pod or of a pod template.
#include <fmt/core.h>

#include <set>

#include "api/rules/check_pod_parts.h"
#include "api/rules/checks.h"
#include "api/rules/rule_texts.h"

namespace muster::api {
namespace {

using json::Document;
using reflect::Place;

void check_pod_security(const Document& spec, const Place& place, Findings& found) {
  const Document* security = spec.find("securityContext");
  if (security == nullptr) return;
  const Place at = place.member("securityContext");
  for (const char* key : {"fsGroup", "runAsUser", "runAsGroup"}) found.between(*security, key, at, 0, kMaxId);
  visit_items(*security, "supplementalGroups", at, [&](const Document& group, const Place& item) {
    if (group.is_int() && (group.as_int() < 0 || group.as_int() > kMaxId)) {
      found.invalid(item, group, "must be between 0 and 2147483647, inclusive");
    }
  });
}

void check_toleration(const Document& toleration, const Place& at, Findings& found) {
  const std::string& key = toleration.string_at("key");
  const std::string& op = toleration.string_at("operator");
  const std::string& value = toleration.string_at("value");
  if (!key.empty()) found.qualified_name(key, at.member("key"));
  if (key.empty() && op != "Exists") {
    found.invalid(at.member("operator"), op,
                  "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
  }
  if (toleration.find("tolerationSeconds") != nullptr && toleration.string_at("effect") != "NoExecute") {
    found.invalid(at.member("effect"), toleration.string_at("effect"),
                  "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  if (op.empty() || op == "Equal") {
    for (const std::string& problem : label_value_problems(value)) found.invalid(at.member("operator"), value, problem);
  } else if (op == "Exists") {
    if (!value.empty()) found.invalid(at.member("operator"), value, "value must be empty when `operator` is 'Exists'");
  } else {
    found.not_supported(at.member("operator"), op, {"Equal", "Exists"});
  }
  if (!toleration.string_at("effect").empty()) {
    found.one_of(toleration, "effect", at, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
  }
}

void check_spread(const Document& constraint, const Place& at, Findings& found) {
  if (constraint.int_at("maxSkew") <= 0) {
    found.invalid(at.member("maxSkew"), constraint.int_at("maxSkew"), "must be greater than zero");
  }
  found.has_text(constraint, "topologyKey", at);
  const std::string& otherwise = constraint.string_at("whenUnsatisfiable");
  if (otherwise != "DoNotSchedule" && otherwise != "ScheduleAnyway") {
    found.not_supported(at.member("whenUnsatisfiable"), otherwise, {"DoNotSchedule", "ScheduleAnyway"});
  }
}

void check_names(const Document& spec, const Place& place, Findings& found) {
  found.subdomain(spec, "nodeName", place);
  found.subdomain(spec, "serviceAccountName", place);
  found.subdomain(spec, "priorityClassName", place);
  found.dns_label(spec, "hostname", place);
  found.dns_label(spec, "subdomain", place);
  found.labels(spec.find("nodeSelector"), place.member("nodeSelector"));
}

/// Two containers cannot listen on the same port of the host.
void check_host_ports(const Document& spec, const Place& place, Findings& found) {
  std::set<std::string> taken;
  visit_items(spec, "containers", place, [&](const Document& container, const Place& at) {
    visit_items(container, "ports", at, [&](const Document& port, const Place& port_at) {
      if (port.int_at("hostPort") == 0) return;
      const std::string key =
          fmt::format("{}/{}/{}", port.string_at("protocol"), port.string_at("hostIP"), port.int_at("hostPort"));
      if (!taken.insert(key).second) found.duplicate(port_at.member("hostPort"), key);
    });
  });
}

void check_os(const Document& spec, const Place& place, Findings& found) {
  const Document* os = spec.find("os");
  if (os == nullptr) return;
  const std::string& name = os->string_at("name");
  if (name.empty()) {
    found.required(place.member("os").member("name"), "cannot be empty");
  } else if (name != "linux" && name != "windows") {
    found.not_supported(place.member("os"), name, {"linux", "windows"});
  }
}

void check_dns(const Document& spec, const Place& place, Findings& found) {
  found.one_of(spec, "dnsPolicy", place, {"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"});
  if (spec.string_at("dnsPolicy") == "None" && spec.find("dnsConfig") == nullptr) {
    found.required(place.member("dnsConfig"), "must provide `dnsConfig` when `dnsPolicy` is None");
  }
}

/// Checks that the name is a DNS label that no earlier item has.
void check_own_name(const Document& item, const Place& at, std::set<std::string>& taken, Findings& found) {
  found.dns_label(item, "name", at);
  const std::string& name = item.string_at("name");
  if (name.empty() && item.find("name") != nullptr)
    found.required(at.member("name"));  // the schema reports a missing one
  if (!name.empty() && !taken.insert(name).second) found.duplicate(at.member("name"), name);
}

}  // namespace

void check_pod_spec(const Document& spec, const Place& place, Findings& found) {
  const auto each = [&](const char* key, const auto& check) { visit_items(spec, key, place, check); };
  std::set<std::string> volumes;
  each("volumes", [&](const Document& volume, const Place& at) {
    check_own_name(volume, at, volumes, found);
    check_volume_sources(volume, at, found);
  });
  // Containers come first: when two share a name, Kubernetes reports the init container.
  std::set<std::string> names;
  each("containers", [&](const Document& container, const Place& at) {
    check_own_name(container, at, names, found);
    check_container(spec, container, ContainerRole::kMain, at, found);
  });
  each("initContainers", [&](const Document& container, const Place& at) {
    check_own_name(container, at, names, found);
    check_container(spec, container, ContainerRole::kInit, at, found);
  });
  each("tolerations", [&](const Document& item, const Place& at) { check_toleration(item, at, found); });
  each("topologySpreadConstraints", [&](const Document& item, const Place& at) { check_spread(item, at, found); });
  check_affinity(spec, place, found);
  check_host_ports(spec, place, found);
  check_names(spec, place, found);
  check_dns(spec, place, found);
  check_os(spec, place, found);
  check_pod_security(spec, place, found);
  found.between(spec, "activeDeadlineSeconds", place, 1, kMaxId);
}

void check_pod(const Document& pod, Findings& found) {
  if (const Document* spec = pod.find("spec")) check_pod_spec(*spec, reflect::kRoot.member("spec"), found);
}

}  // namespace muster::api
