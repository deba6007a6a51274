#include "apiserver/attributes.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "apiserver/api_server.h"
#include "base/strings.h"
#include "json/document.h"
#include "json/excerpt.h"

namespace muster::apiserver {
namespace {

std::string text_of(const json::Document* value) {
  if (value == nullptr || value->is_null()) return "";
  if (value->is_string()) return value->as_string();
  if (value->is_bool()) return value->as_bool() ? "true" : "false";
  if (value->is_int()) return std::to_string(value->as_int());
  return "";
}

const json::Document* walk(const json::Document& object, std::string_view path) {
  const json::Document* at = &object;
  for (const std::string& step : split(path, '.')) {
    at = at->find(step);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string field_value(std::string_view resource, const json::Document& object, std::string_view path) {
  if (resource == "events") {
    // Kubernetes selects events by these short names.
    if (path == "source") {
      const std::string component = text_of(object.at("source", "component"));
      return component.empty() ? text_of(object.find("reportingComponent")) : component;
    }
  }
  std::string value = text_of(walk(object, path));
  // Go's zero values: an absent boolean compares as "false".
  if (value.empty() && (path == "spec.hostNetwork" || path == "spec.unschedulable")) value = "false";
  return value;
}

void add_owners(const json::Document& object, store::Attributes& out) {
  const json::Document* owners = object.at("metadata", "ownerReferences");
  if (owners == nullptr || !owners->is_array()) return;
  for (const json::Document& owner : owners->as_array()) {
    out.add(std::string(kOwnerPrefix) + owner.string_at("uid"),
            fmt::format("{} {} {} {}", owner.string_at("apiVersion"), owner.string_at("kind"), owner.string_at("name"),
                        owner.bool_at("blockOwnerDeletion") ? 1 : 0));
  }
}

std::string collector_finalizer(const json::Document& object) {
  const json::Document* finalizers = object.at("metadata", "finalizers");
  if (finalizers == nullptr || !finalizers->is_array()) return "";
  for (const json::Document& finalizer : finalizers->as_array()) {
    const std::string text = text_of(&finalizer);
    if (text == "orphan" || text == "foregroundDeletion") return text;
  }
  return "";
}

/// What can be selected by in a resource, and all that attributes are made of.
struct Selectable {
  explicit Selectable(std::vector<std::string> names) : fields(std::move(names)), needed(needed_paths(fields)) {}

  static json::Excerpt needed_paths(const std::vector<std::string>& fields) {
    std::vector<std::string> paths = {"metadata.labels", "metadata.uid", "metadata.deletionTimestamp",
                                      "metadata.finalizers", "metadata.ownerReferences"};
    std::ranges::copy_if(fields, std::back_inserter(paths),
                         [](const auto& field) { return field != kNameField && field != kNamespaceField; });
    return json::Excerpt(paths);
  }

  std::vector<std::string> fields;
  json::Excerpt needed;
};

const Selectable& selectable(std::string_view resource) {
  static const Selectable common({"metadata.name", "metadata.namespace"});
  static const std::map<std::string, Selectable, std::less<>> special = {
      {"pods", Selectable({"metadata.name", "metadata.namespace", "spec.nodeName", "spec.restartPolicy",
                           "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork", "status.phase",
                           "status.podIP", "status.nominatedNodeName"})},
      {"events", Selectable({"metadata.name", "metadata.namespace", "involvedObject.kind", "involvedObject.namespace",
                             "involvedObject.name", "involvedObject.uid", "involvedObject.apiVersion",
                             "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
                             "reportingComponent", "source", "type"})},
      {"namespaces", Selectable({"metadata.name", "status.phase"})},
      {"nodes", Selectable({"metadata.name", "spec.unschedulable"})},
      {"secrets", Selectable({"metadata.name", "metadata.namespace", "type"})},
      {"services", Selectable({"metadata.name", "metadata.namespace", "spec.clusterIP", "spec.type"})},
  };
  const auto found = special.find(resource);
  return found == special.end() ? common : found->second;
}

}  // namespace

const std::vector<std::string>& selectable_fields(std::string_view resource) {
  return selectable(resource).fields;
}

std::string field_key(std::string_view resource, std::string_view field) {
  const std::vector<std::string>& fields = selectable_fields(resource);
  const auto place = std::ranges::find(fields, field) - fields.begin();
  return std::string(kFieldPrefix) + static_cast<char>('a' + place);
}

store::Attributes extract_attributes(std::string_view resource, std::string_view bytes) {
  const auto parsed = selectable(resource).needed.read(bytes);
  if (!parsed) return {};  // the store has checked its bytes; what is no JSON has nothing to select by
  return attributes_of(resource, *parsed);
}

store::Attributes attributes_of(std::string_view resource, const json::Document& object) {
  store::Attributes out;
  if (const json::Document* labels = object.at("metadata", "labels"); labels != nullptr && labels->is_object()) {
    for (const json::Member& label : labels->as_object()) {
      out.add(std::string(kLabelPrefix) + label.key, text_of(&label.value));
    }
  }
  for (const std::string& field : selectable_fields(resource)) {
    if (field == kNameField || field == kNamespaceField) continue;
    const std::string value = field_value(resource, object, field);
    if (!value.empty()) out.add(field_key(resource, field), value);
  }
  out.add(kUid, object.string_at("metadata", "uid"));
  if (!object.string_at("metadata", "deletionTimestamp").empty()) out.add(kDeleting, collector_finalizer(object));
  add_owners(object, out);
  out.shrink();
  return out;
}

}  // namespace muster::apiserver
