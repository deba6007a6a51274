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

std::size_t size_of(const Document* value) {
  if (value == nullptr) return 0;
  return value->is_object() ? value->as_object().size() : value->is_array() ? value->as_array().size() : 0;
}

std::string labels_text(const Document* labels) {
  std::vector<std::string> parts;
  if (labels != nullptr && labels->is_object()) {
    std::map<std::string, std::string> sorted;
    for (const json::Member& m : labels->as_object()) sorted[m.key] = m.value.is_string() ? m.value.as_string() : "";
    for (const auto& [key, value] : sorted) parts.push_back(key + "=" + value);
  }
  return or_none(join(parts, ","));
}

void service_cells(const Document& object, Time now, Array& cells) {
  const std::string& type = object.string_at("spec", "type");
  std::vector<std::string> ports;
  if (const Document* list = object.at("spec", "ports"); list != nullptr && list->is_array()) {
    for (const Document& port : list->as_array()) {
      const std::string protocol = or_none(port.string_at("protocol"), "TCP");
      const std::int64_t node_port = port.int_at("nodePort");
      ports.push_back(node_port > 0 ? fmt::format("{}:{}/{}", port.int_at("port"), node_port, protocol)
                                    : fmt::format("{}/{}", port.int_at("port"), protocol));
    }
  }
  std::vector<std::string> external;
  if (const Document* list = object.at("spec", "externalIPs"); list != nullptr && list->is_array()) {
    for (const Document& ip : list->as_array()) external.push_back(ip.is_string() ? ip.as_string() : "");
  }
  if (type == "ExternalName") external = {object.string_at("spec", "externalName")};
  cells.emplace_back(or_none(type, "ClusterIP"));
  cells.emplace_back(or_none(object.string_at("spec", "clusterIP"), "<none>"));
  cells.emplace_back(or_none(join(external, ",")));
  cells.emplace_back(or_none(join(ports, ",")));
  cells.emplace_back(age(object, now));
  cells.emplace_back(labels_text(object.at("spec", "selector")));
}

void namespace_cells(const Document& object, Time now, Array& cells) {
  cells.emplace_back(object.string_at("status", "phase"));
  cells.emplace_back(age(object, now));
}

std::string node_status(const Document& object) {
  std::string status = "Unknown";
  if (const Document* list = object.at("status", "conditions"); list != nullptr && list->is_array()) {
    for (const Document& condition : list->as_array()) {
      if (condition.string_at("type") == "Ready") {
        status = condition.string_at("status") == "True" ? "Ready" : "NotReady";
      }
    }
  }
  return object.bool_at("spec", "unschedulable") ? status + ",SchedulingDisabled" : status;
}

std::string node_roles(const Document& object) {
  constexpr std::string_view prefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  if (const Document* labels = object.at("metadata", "labels"); labels != nullptr && labels->is_object()) {
    for (const json::Member& label : labels->as_object()) {
      if (label.key.starts_with(prefix)) roles.push_back(label.key.substr(prefix.size()));
    }
  }
  return or_none(join(roles, ","));
}

void node_cells(const Document& object, Time now, Array& cells) {
  const auto address = [&](std::string_view type) {
    if (const Document* list = object.at("status", "addresses"); list != nullptr && list->is_array()) {
      for (const Document& item : list->as_array()) {
        if (item.string_at("type") == type) return item.string_at("address");
      }
    }
    return std::string();
  };
  const auto told = [&](std::string_view field) {
    return or_none(object.string_at("status", "nodeInfo", field), "<unknown>");
  };
  cells.emplace_back(node_status(object));
  cells.emplace_back(node_roles(object));
  cells.emplace_back(age(object, now));
  cells.emplace_back(object.string_at("status", "nodeInfo", "kubeletVersion"));
  cells.emplace_back(or_none(address("InternalIP")));
  cells.emplace_back(or_none(address("ExternalIP")));
  cells.emplace_back(told("osImage"));
  cells.emplace_back(told("kernelVersion"));
  cells.emplace_back(told("containerRuntimeVersion"));
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
  cells.emplace_back(age_text(last, now));
  cells.emplace_back(object.string_at("type"));
  cells.emplace_back(object.string_at("reason"));
  cells.emplace_back(to_lower(object.string_at("involvedObject", "kind")) + "/" +
                     object.string_at("involvedObject", "name"));
  cells.emplace_back(object.string_at("involvedObject", "fieldPath"));
  cells.emplace_back(source);
  cells.emplace_back(std::string(trim(object.string_at("message"))));
  cells.emplace_back(age_text(first, now));
  cells.emplace_back(count == 0 ? 1 : count);
  cells.emplace_back(object.string_at("metadata", "name"));
}

void config_map_cells(const Document& object, Time now, Array& cells) {
  cells.emplace_back(static_cast<std::int64_t>(size_of(object.find("data")) + size_of(object.find("binaryData"))));
  cells.emplace_back(age(object, now));
}

void secret_cells(const Document& object, Time now, Array& cells) {
  cells.emplace_back(object.string_at("type"));
  cells.emplace_back(static_cast<std::int64_t>(size_of(object.find("data"))));
  cells.emplace_back(age(object, now));
}

std::string access_modes_text(const Document* modes) {
  static const std::map<std::string, std::string> shorts = {
      {"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}};
  std::vector<std::string> parts;
  if (modes != nullptr && modes->is_array()) {
    for (const Document& mode : modes->as_array()) {
      const auto found = mode.is_string() ? shorts.find(mode.as_string()) : shorts.end();
      if (found != shorts.end()) parts.push_back(found->second);
    }
  }
  return join(parts, ",");
}

void volume_claim_cells(const Document& object, Time now, Array& cells) {
  const bool terminating = !object.string_at("metadata", "deletionTimestamp").empty();
  const bool bound = !object.string_at("spec", "volumeName").empty();
  const Document* capacity = object.at("status", "capacity", "storage");
  const bool known = bound && capacity != nullptr && capacity->is_string();
  cells.emplace_back(terminating ? "Terminating" : object.string_at("status", "phase"));
  cells.emplace_back(object.string_at("spec", "volumeName"));
  cells.emplace_back(known ? capacity->as_string() : "");
  cells.emplace_back(bound ? access_modes_text(object.at("status", "accessModes")) : "");
  cells.emplace_back(object.string_at("spec", "storageClassName"));
  cells.emplace_back(or_none(object.string_at("spec", "volumeAttributesClassName"), "<unset>"));
  cells.emplace_back(age(object, now));
  cells.emplace_back(or_none(object.string_at("spec", "volumeMode"), "<unset>"));
}

void volume_cells(const Document& object, Time now, Array& cells) {
  const bool terminating = !object.string_at("metadata", "deletionTimestamp").empty();
  const std::string& claim = object.string_at("spec", "claimRef", "name");
  cells.emplace_back(object.string_at("spec", "capacity", "storage"));
  cells.emplace_back(access_modes_text(object.at("spec", "accessModes")));
  cells.emplace_back(object.string_at("spec", "persistentVolumeReclaimPolicy"));
  cells.emplace_back(terminating ? "Terminating" : object.string_at("status", "phase"));
  cells.emplace_back(claim.empty() ? "" : object.string_at("spec", "claimRef", "namespace") + "/" + claim);
  cells.emplace_back(object.string_at("spec", "storageClassName"));
  cells.emplace_back(or_none(object.string_at("spec", "volumeAttributesClassName"), "<unset>"));
  cells.emplace_back(object.string_at("status", "reason"));
  cells.emplace_back(age(object, now));
  cells.emplace_back(or_none(object.string_at("spec", "volumeMode"), "<unset>"));
}

void service_account_cells(const Document& object, Time now, Array& cells) {
  cells.emplace_back(static_cast<std::int64_t>(size_of(object.find("secrets"))));
  cells.emplace_back(age(object, now));
}

void lease_cells(const Document& object, Time now, Array& cells) {
  cells.emplace_back(object.string_at("spec", "holderIdentity"));
  cells.emplace_back(age(object, now));
}

void priority_class_cells(const Document& object, Time now, Array& cells) {
  cells.emplace_back(object.int_at("value"));
  cells.emplace_back(object.bool_at("globalDefault"));
  cells.emplace_back(age(object, now));
  cells.emplace_back(object.string_at("preemptionPolicy"));
}

/// Names and images of the containers that a deployment's pods have.
std::string containers_text(const Document& object, std::string_view member) {
  std::vector<std::string> words;
  const Document* list = object.at("spec", "template", "spec", "containers");
  if (list != nullptr && list->is_array()) {
    for (const Document& container : list->as_array()) words.push_back(container.string_at(member));
  }
  return join(words, ",");
}

void deployment_cells(const Document& object, Time now, Array& cells) {
  cells.emplace_back(fmt::format("{}/{}", object.int_at("status", "readyReplicas"), object.int_at("spec", "replicas")));
  cells.emplace_back(object.int_at("status", "updatedReplicas"));
  cells.emplace_back(object.int_at("status", "availableReplicas"));
  cells.emplace_back(age(object, now));
  cells.emplace_back(containers_text(object, "name"));
  cells.emplace_back(containers_text(object, "image"));
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
  if (const Document* all = object.at("status", "hard"); all != nullptr && all->is_object()) {
    for (const json::Member& one : all->as_object()) hard[one.key] = amount(&one.value);
  }
  for (const auto& [name, most] : hard) {
    (name.starts_with("limits.") ? limits : requests)
        .push_back(fmt::format("{}: {}/{}", name, amount(object.at("status", "used", name)), most));
  }
  cells.emplace_back(join(requests, ", "));
  cells.emplace_back(join(limits, ", "));
  cells.emplace_back(age(object, now));
}

void definition_cells(const Document& object, Time, Array& cells) {
  cells.emplace_back(object.string_at("metadata", "creationTimestamp"));
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
  if (const json::Document* list = expression.find("values"); list != nullptr && list->is_array()) {
    for (const json::Document& value : list->as_array()) values.push_back(value.is_string() ? value.as_string() : "");
  }
  std::ranges::sort(values);
  return fmt::format("{} {} ({})", key, op == "In" ? "in" : "notin", join(values, ","));
}

}  // namespace

Printer config_map_printer() {
  return {{number("Data"), text("Age")}, &config_map_cells};
}

Printer definition_printer() {
  return {{Column{"Created At", "date", "", "", 0}}, &definition_cells};
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
  return {{text("Holder"), text("Age")}, &lease_cells};
}

Printer namespace_printer() {
  return {{text("Status"), text("Age")}, &namespace_cells};
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
          &priority_class_cells};
}

Printer resource_quota_printer() {
  return {{text("Request"), text("Limit"), text("Age")}, &resource_quota_cells};
}

Printer secret_printer() {
  return {{text("Type"), number("Data"), text("Age")}, &secret_cells};
}

Printer service_account_printer() {
  return {{number("Secrets"), text("Age")}, &service_account_cells};
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
  if (const json::Document* labels = selector.find("matchLabels"); labels != nullptr && labels->is_object()) {
    for (const json::Member& label : labels->as_object()) {
      parts.emplace(label.key, label.key + "=" + (label.value.is_string() ? label.value.as_string() : ""));
    }
  }
  if (const json::Document* list = selector.find("matchExpressions"); list != nullptr && list->is_array()) {
    for (const json::Document& one : list->as_array()) parts.emplace(one.string_at("key"), expression_text(one));
  }
  std::vector<std::string> texts;
  for (auto& [key, text] : parts) texts.push_back(std::move(text));
  return join(texts, ",");
}

}  // namespace muster::api
