#include "api/print/printers.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "api/print/pod_row.h"
#include "base/strings.h"

namespace muster::api {
namespace {

using json::Array;
using json::Document;

std::string age(const Document& object, Time now) {
  return age_text(object.string_at("metadata", "creationTimestamp"), now);
}

std::string or_none(std::string text, std::string_view none = "<none>") {
  return text.empty() ? std::string(none) : text;
}

/// Returns the members of the value; none when it is absent or not an object.
const json::Object& members(const Document* value) {
  static const json::Object none;
  return value != nullptr && value->is_object() ? value->as_object() : none;
}

/// Appends the cells of neighbouring columns.
template <typename... Values>
void add(Array& cells, Values&&... values) {
  (cells.emplace_back(std::forward<Values>(values)), ...);
}

std::string labels_text(const json::Object& labels) {
  std::vector<std::string> parts;
  std::map<std::string, std::string> sorted;
  for (const json::Member& m : labels) sorted[m.key] = m.value.is_string() ? m.value.as_string() : "";
  for (const auto& [key, value] : sorted) parts.push_back(key + "=" + value);
  return or_none(join(parts, ","));
}

void service_cells(const Document& object, Time now, Array& cells) {
  const std::string& type = object.string_at("spec", "type");
  std::vector<std::string> ports;
  for (const Document& port : object.array_at("spec", "ports")) {
    const std::string protocol = or_none(port.string_at("protocol"), "TCP");
    const std::int64_t node_port = port.int_at("nodePort");
    ports.push_back(node_port > 0 ? fmt::format("{}:{}/{}", port.int_at("port"), node_port, protocol)
                                  : fmt::format("{}/{}", port.int_at("port"), protocol));
  }
  std::vector<std::string> external;
  for (const Document& ip : object.array_at("spec", "externalIPs"))
    external.push_back(ip.is_string() ? ip.as_string() : "");
  if (type == "ExternalName") external = {object.string_at("spec", "externalName")};
  add(cells, or_none(type, "ClusterIP"), or_none(object.string_at("spec", "clusterIP"), "<none>"),
      or_none(join(external, ",")), or_none(join(ports, ",")), age(object, now),
      labels_text(members(object.at("spec", "selector"))));
}

std::string node_status(const Document& object) {
  std::string status = "Unknown";
  for (const Document& condition : object.array_at("status", "conditions")) {
    if (condition.string_at("type") == "Ready") {
      status = condition.string_at("status") == "True" ? "Ready" : "NotReady";
    }
  }
  return object.bool_at("spec", "unschedulable") ? status + ",SchedulingDisabled" : status;
}

std::string node_roles(const Document& object) {
  constexpr std::string_view prefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  for (const json::Member& label : members(object.at("metadata", "labels"))) {
    if (label.key.starts_with(prefix)) roles.push_back(label.key.substr(prefix.size()));
  }
  return or_none(join(roles, ","));
}

void node_cells(const Document& object, Time now, Array& cells) {
  const auto address = [&](std::string_view type) {
    for (const Document& item : object.array_at("status", "addresses")) {
      if (item.string_at("type") == type) return item.string_at("address");
    }
    return std::string();
  };
  const auto told = [&](std::string_view field) {
    return or_none(object.string_at("status", "nodeInfo", field), "<unknown>");
  };
  add(cells, node_status(object), node_roles(object), age(object, now),
      object.string_at("status", "nodeInfo", "kubeletVersion"), or_none(address("InternalIP")),
      or_none(address("ExternalIP")), told("osImage"), told("kernelVersion"), told("containerRuntimeVersion"));
}

void event_cells(const Document& object, Time now, Array& cells) {
  const std::int64_t count = object.int_at("count");
  std::string first = object.string_at("firstTimestamp");
  if (first.empty()) first = object.string_at("eventTime");
  std::string last = object.string_at("series", "lastObservedTime");
  if (last.empty()) last = object.string_at("lastTimestamp");
  if (last.empty()) last = first;
  std::string source = object.string_at("source", "component");
  if (source.empty()) source = object.string_at("reportingComponent");
  if (const std::string& host = object.string_at("source", "host"); !host.empty()) source += ", " + host;
  add(cells, age_text(last, now), object.string_at("type"), object.string_at("reason"),
      to_lower(object.string_at("involvedObject", "kind")) + "/" + object.string_at("involvedObject", "name"),
      object.string_at("involvedObject", "fieldPath"), source, std::string(trim(object.string_at("message"))),
      age_text(first, now), count == 0 ? 1 : count, object.string_at("metadata", "name"));
}

std::string access_modes_text(const Array& modes) {
  static const std::map<std::string, std::string> shorts = {
      {"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}};
  std::vector<std::string> parts;
  for (const Document& mode : modes) {
    const auto found = mode.is_string() ? shorts.find(mode.as_string()) : shorts.end();
    if (found != shorts.end()) parts.push_back(found->second);
  }
  return join(parts, ",");
}

void volume_claim_cells(const Document& object, Time now, Array& cells) {
  const bool terminating = !object.string_at("metadata", "deletionTimestamp").empty();
  const bool bound = !object.string_at("spec", "volumeName").empty();
  const Document* capacity = object.at("status", "capacity", "storage");
  const bool known = bound && capacity != nullptr && capacity->is_string();
  add(cells, terminating ? "Terminating" : object.string_at("status", "phase"), object.string_at("spec", "volumeName"),
      known ? capacity->as_string() : "", bound ? access_modes_text(object.array_at("status", "accessModes")) : "",
      object.string_at("spec", "storageClassName"),
      or_none(object.string_at("spec", "volumeAttributesClassName"), "<unset>"), age(object, now),
      or_none(object.string_at("spec", "volumeMode"), "<unset>"));
}

void volume_cells(const Document& object, Time now, Array& cells) {
  const bool terminating = !object.string_at("metadata", "deletionTimestamp").empty();
  const std::string& claim = object.string_at("spec", "claimRef", "name");
  add(cells, object.string_at("spec", "capacity", "storage"), access_modes_text(object.array_at("spec", "accessModes")),
      object.string_at("spec", "persistentVolumeReclaimPolicy"),
      terminating ? "Terminating" : object.string_at("status", "phase"),
      claim.empty() ? "" : object.string_at("spec", "claimRef", "namespace") + "/" + claim,
      object.string_at("spec", "storageClassName"),
      or_none(object.string_at("spec", "volumeAttributesClassName"), "<unset>"), object.string_at("status", "reason"),
      age(object, now), or_none(object.string_at("spec", "volumeMode"), "<unset>"));
}

/// Lists the names or images (`member`) of the containers in a deployment's template.
std::string containers_text(const Document& object, std::string_view member) {
  std::vector<std::string> words;
  for (const Document& container : object.array_at("spec", "template", "spec", "containers"))
    words.push_back(container.string_at(member));
  return join(words, ",");
}

void deployment_cells(const Document& object, Time now, Array& cells) {
  add(cells, fmt::format("{}/{}", object.int_at("status", "readyReplicas"), object.int_at("spec", "replicas")),
      object.int_at("status", "updatedReplicas"), object.int_at("status", "availableReplicas"), age(object, now),
      containers_text(object, "name"), containers_text(object, "image"));
  const Document* selector = object.at("spec", "selector");
  cells.emplace_back(selector == nullptr ? "<none>" : selector_text(*selector));
}

void resource_quota_cells(const Document& object, Time now, Array& cells) {
  std::vector<std::string> requests;
  std::vector<std::string> limits;
  std::map<std::string, std::string> hard;
  const auto amount = [](const Document* value) {
    if (value == nullptr) return std::string("0");
    return value->is_string() ? value->as_string() : json::serialize(*value);
  };
  for (const json::Member& one : members(object.at("status", "hard"))) hard[one.key] = amount(&one.value);
  for (const auto& [name, most] : hard) {
    (name.starts_with("limits.") ? limits : requests)
        .push_back(fmt::format("{}: {}/{}", name, amount(object.at("status", "used", name)), most));
  }
  add(cells, join(requests, ", "), join(limits, ", "), age(object, now));
}

Column text(std::string name, int priority = 0) {
  return {std::move(name), "string", "", "", priority};
}

Column number(std::string name, int priority = 0) {
  return {std::move(name), "integer", "", "", priority};
}

std::string expression_text(const json::Document& expression) {
  const std::string& key = expression.string_at("key");
  const std::string& op = expression.string_at("operator");
  if (op == "Exists") return key;
  if (op == "DoesNotExist") return "!" + key;
  std::vector<std::string> values;
  for (const json::Document& value : expression.array_at("values"))
    values.push_back(value.is_string() ? value.as_string() : "");
  std::ranges::sort(values);
  return fmt::format("{} {} ({})", key, op == "In" ? "in" : "notin", join(values, ","));
}

}  // namespace

Printer config_map_printer() {
  return {{number("Data"), text("Age")}, [](const Document& object, Time now, Array& cells) {
            add(cells,
                static_cast<std::int64_t>(members(object.at("data")).size() + members(object.at("binaryData")).size()),
                age(object, now));
          }};
}

Printer definition_printer() {
  return {{Column{"Created At", "date", "", "", 0}}, [](const Document& object, Time, Array& cells) {
            cells.emplace_back(object.string_at("metadata", "creationTimestamp"));
          }};
}

Printer deployment_printer() {
  return {{text("Ready"), text("Up-to-date"), text("Available"), text("Age"), text("Containers", 1), text("Images", 1),
           text("Selector", 1)},
          &deployment_cells};
}

Printer event_printer() {
  return {{text("Last Seen"), text("Type"), text("Reason"), text("Object"), text("Subobject", 1), text("Source", 1),
           text("Message"), text("First Seen", 1), number("Count", 1), Column{"Name", "string", "name", "", 1}},
          &event_cells,
          false};
}

Printer lease_printer() {
  return {{text("Holder"), text("Age")}, [](const Document& object, Time now, Array& cells) {
            add(cells, object.string_at("spec", "holderIdentity"), age(object, now));
          }};
}

Printer namespace_printer() {
  return {{text("Status"), text("Age")}, [](const Document& object, Time now, Array& cells) {
            add(cells, object.string_at("status", "phase"), age(object, now));
          }};
}

Printer node_printer() {
  return {{text("Status"), text("Roles"), text("Age"), text("Version"), text("Internal-IP", 1), text("External-IP", 1),
           text("OS-Image", 1), text("Kernel-Version", 1), text("Container-Runtime", 1)},
          &node_cells};
}

Printer pod_printer() {
  return {{text("Ready"), text("Status"), text("Restarts"), text("Age"), text("IP", 1), text("Node", 1),
           text("Nominated Node", 1), text("Readiness Gates", 1)},
          &add_pod_cells};
}

Printer priority_class_printer() {
  return {{number("Value"), Column{"Global-Default", "boolean", "", "", 0}, text("Age"), text("PreemptionPolicy")},
          [](const Document& object, Time now, Array& cells) {
            add(cells, object.int_at("value"), object.bool_at("globalDefault"), age(object, now),
                object.string_at("preemptionPolicy"));
          }};
}

Printer resource_quota_printer() {
  return {{text("Request"), text("Limit"), text("Age")}, &resource_quota_cells};
}

Printer secret_printer() {
  return {{text("Type"), number("Data"), text("Age")}, [](const Document& object, Time now, Array& cells) {
            add(cells, object.string_at("type"), static_cast<std::int64_t>(members(object.at("data")).size()),
                age(object, now));
          }};
}

Printer service_account_printer() {
  return {{number("Secrets"), text("Age")}, [](const Document& object, Time now, Array& cells) {
            add(cells, static_cast<std::int64_t>(object.array_at("secrets").size()), age(object, now));
          }};
}

Printer service_printer() {
  return {{text("Type"), text("Cluster-IP"), text("External-IP"), text("Port(s)"), text("Age"), text("Selector", 1)},
          &service_cells};
}

Printer volume_claim_printer() {
  return {{text("Status"), text("Volume"), text("Capacity"), text("Access Modes"), text("StorageClass"),
           text("VolumeAttributesClass"), text("Age"), text("VolumeMode", 1)},
          &volume_claim_cells};
}

Printer volume_printer() {
  return {{text("Capacity"), text("Access Modes"), text("Reclaim Policy"), text("Status"), text("Claim"),
           text("StorageClass"), text("VolumeAttributesClass"), text("Reason"), text("Age"), text("VolumeMode", 1)},
          &volume_cells};
}

std::string age_text(const std::string& timestamp, Time now) {
  const auto then = parse_rfc3339(timestamp);
  return then ? human_duration(now - *then) : "<unknown>";
}

std::string selector_text(const json::Document& selector) {
  std::multimap<std::string, std::string> parts;  // by key
  for (const json::Member& label : members(selector.at("matchLabels"))) {
    parts.emplace(label.key, label.key + "=" + (label.value.is_string() ? label.value.as_string() : ""));
  }
  for (const json::Document& one : selector.array_at("matchExpressions"))
    parts.emplace(one.string_at("key"), expression_text(one));
  std::vector<std::string> texts;
  for (auto& [key, text] : parts) texts.push_back(std::move(text));
  return join(texts, ",");
}

}  // namespace muster::api
