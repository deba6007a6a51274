#include "api/check_pod_values.h"

#include <fmt/core.h>

#include <limits>
#include <set>

#include "api/rule_texts.h"
#include "base/strings.h"

namespace muster::api {
namespace {

using json::Document;
using reflect::Place;

constexpr std::int64_t kMaxId = std::numeric_limits<std::int32_t>::max();

void check_pod_security(const Document& spec, const Place& place, Findings& found) {
  const Document* security = spec.find("securityContext");
  if (security == nullptr) return;
  const Place at = place.member("securityContext");
  for (const char* key : {"fsGroup", "runAsUser", "runAsGroup"}) found.between(*security, key, at, 0, kMaxId);
  const Place groups = at.member("supplementalGroups");
  std::size_t index = 0;
  for (const Document& group : security->array_at("supplementalGroups")) {
    const Place item = groups.item(index++);
    if (group.is_int() && (group.as_int() < 0 || group.as_int() > kMaxId)) {
      found.invalid(item, group, "must be between 0 and 2147483647, inclusive");
    }
  }
  found.one_of(*security, "fsGroupChangePolicy", at, {"Always", "OnRootMismatch"});
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

/// Two containers cannot listen on the same port of their host.
void check_host_ports(const Document& spec, const Place& place, Findings& found) {
  std::set<std::string> taken;
  const Place containers = place.member("containers");
  std::size_t index = 0;
  for (const Document& container : spec.array_at("containers")) {
    const Place at = containers.item(index++);
    const Place ports = at.member("ports");
    std::size_t number = 0;
    for (const Document& port : container.array_at("ports")) {
      const Place port_at = ports.item(number++);
      if (port.int_at("hostPort") == 0) continue;
      const std::string key =
          fmt::format("{}/{}/{}", port.string_at("protocol"), port.string_at("hostIP"), port.int_at("hostPort"));
      if (!taken.insert(key).second) found.duplicate(port_at.member("hostPort"), key);
    }
  }
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

}  // namespace

void check_pod_values(const Document& spec, const Place& place, Findings& found) {
  const bool host_network = spec.bool_at("hostNetwork");
  const auto each = [&](const char* key, const auto& check) {
    const Place list = place.member(key);
    std::size_t index = 0;
    for (const Document& item : spec.array_at(key)) check(item, list.item(index++));
  };
  each("volumes", [&](const Document& volume, const Place& at) { check_volume_sources(volume, at, found); });
  each("containers", [&](const Document& container, const Place& at) {
    check_container_values(container, ContainerRole::kMain, host_network, at, found);
  });
  each("initContainers", [&](const Document& container, const Place& at) {
    check_container_values(container, ContainerRole::kInit, host_network, at, found);
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

void check_container_values(const Document& container, ContainerRole role, bool host_network, const Place& place,
                            Findings& found) {
  const std::string& image = container.string_at("image");
  if (trim(image) != image) found.invalid(place.member("image"), image, "must not have leading or trailing whitespace");
  found.one_of(container, "imagePullPolicy", place, {"Always", "IfNotPresent", "Never"});
  found.one_of(container, "terminationMessagePolicy", place, {"FallbackToLogsOnError", "File"});
  if (role == ContainerRole::kInit) {
    found.one_of(container, "restartPolicy", place, {"Always"});
  } else if (!container.string_at("restartPolicy").empty()) {
    found.forbidden(place.member("restartPolicy"), "may not be set for non-init containers");
  }
  const Place ports = place.member("ports");
  std::set<std::string> names;
  std::size_t index = 0;
  for (const Document& port : container.array_at("ports")) {
    const Place at = ports.item(index++);
    const std::string& name = port.string_at("name");
    if (!name.empty()) found.port_name(name, at.member("name"));
    if (!name.empty() && !names.insert(name).second) found.duplicate(at.member("name"), name);
    found.one_of(port, "protocol", at, {"SCTP", "TCP", "UDP"});
    const std::int64_t on_host = port.int_at("hostPort");
    if (on_host != 0) found.between(port, "hostPort", at, 1, 65535);
    if (host_network && on_host != 0 && on_host != port.int_at("containerPort")) {
      found.invalid(at.member("hostPort"), on_host, "must match `containerPort` when `hostNetwork` is true");
    }
  }
  if (const Document* security = container.find("securityContext")) {
    const Place at = place.member("securityContext");
    for (const char* key : {"runAsUser", "runAsGroup"}) found.between(*security, key, at, 0, kMaxId);
    found.one_of(*security, "procMount", at, {"Default", "Unmasked"});
  }
  const Place mounts = place.member("volumeMounts");
  index = 0;
  for (const Document& mount : container.array_at("volumeMounts")) {
    const Place at = mounts.item(index++);
    if (mount.find("mountPath") != nullptr) found.has_text(mount, "mountPath", at);
    if (!mount.string_at("subPath").empty() && !mount.string_at("subPathExpr").empty()) {
      found.invalid(at.member("subPathExpr"), mount.string_at("subPathExpr"),
                    "subPathExpr and subPath are mutually exclusive");
    }
    found.one_of(mount, "mountPropagation", mounts, {"Bidirectional", "HostToContainer", "None"});
  }
  check_environment(container, place, found);
  check_amounts(container, place, found);
  check_probes(container, role, place, found);
}

}  // namespace muster::api
