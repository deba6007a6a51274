#include "apiserver/list/attributes.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "api/resource.h"
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

bool is_in_key(const api::SelectableField& field) {
  return field.name == kNameField || field.name == kNamespaceField;
}

std::string field_value(const api::SelectableField& field, const json::Document& object) {
  std::string value = text_of(walk(object, field.path.empty() ? field.name : field.path));
  if (value.empty() && !field.second_path.empty()) value = text_of(walk(object, field.second_path));
  return value.empty() ? field.when_absent : value;
}

void add_owners(const json::Document& object, store::Attributes& out) {
  for (const json::Document& owner : object.array_at("metadata", "ownerReferences")) {
    out.add(std::string(kOwnerPrefix) + owner.string_at("uid"),
            fmt::format("{} {} {} {}", owner.string_at("apiVersion"), owner.string_at("kind"), owner.string_at("name"),
                        owner.bool_at("blockOwnerDeletion") ? 1 : 0));
  }
}

std::string collector_finalizer(const json::Document& object) {
  for (const json::Document& finalizer : object.array_at("metadata", "finalizers")) {
    const std::string text = text_of(&finalizer);
    if (text == "orphan" || text == "foregroundDeletion") return text;
  }
  return "";
}

/// The selectable fields of a resource, and the paths of everything that its attributes are extracted from.
struct Selectable {
  explicit Selectable(const std::vector<api::SelectableField>& all) : fields(all), needed(needed_paths(all)) {}

  static json::Excerpt needed_paths(const std::vector<api::SelectableField>& fields) {
    std::vector<std::string> paths = {"metadata.labels", "metadata.uid", "metadata.deletionTimestamp",
                                      "metadata.finalizers", "metadata.ownerReferences"};
    for (const api::SelectableField& field : fields) {
      if (is_in_key(field)) continue;
      for (const std::string& path : {field.path.empty() ? field.name : field.path, field.second_path}) {
        if (!path.empty() && std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
      }
    }
    return json::Excerpt(paths);
  }

  std::vector<api::SelectableField> fields;
  json::Excerpt needed;
};

const Selectable& selectable(std::string_view resource) {
  static const Selectable common(api::Resource().selectable_fields);
  static const auto known = [] {
    std::map<std::string, Selectable, std::less<>> all;
    for (const api::Resource& one : api::resources()) all.emplace(one.qualified_name(), one.selectable_fields);
    return all;
  }();
  const auto found = known.find(resource);
  return found == known.end() ? common : found->second;
}

/// Returns the index of the field among the selectable fields of the resource; their number when it is none of them.
std::size_t place_of(std::string_view resource, std::string_view field) {
  const auto& fields = selectable(resource).fields;
  const auto found = std::ranges::find(fields, field, &api::SelectableField::name);
  return static_cast<std::size_t>(found - fields.begin());
}

}  // namespace

bool is_selectable(std::string_view resource, std::string_view field) {
  return place_of(resource, field) < selectable(resource).fields.size();
}

std::string field_key(std::string_view resource, std::string_view field) {
  return std::string(kFieldPrefix) + static_cast<char>('a' + place_of(resource, field));
}

store::Attributes extract_attributes(std::string_view resource, std::string_view bytes) {
  const auto parsed = selectable(resource).needed.read(bytes);
  if (!parsed) return {};  // the store verifies its bytes; an object that is not JSON has no attributes
  return attributes_of(resource, *parsed);
}

store::Attributes attributes_of(std::string_view resource, const json::Document& object) {
  store::Attributes out;
  if (const json::Document* labels = object.at("metadata", "labels"); labels != nullptr && labels->is_object()) {
    for (const json::Member& label : labels->as_object()) {
      out.add(std::string(kLabelPrefix) + label.key, text_of(&label.value));
    }
  }
  for (const api::SelectableField& field : selectable(resource).fields) {
    if (is_in_key(field)) continue;
    const std::string value = field_value(field, object);
    if (!value.empty()) out.add(field_key(resource, field.name), value);
  }
  out.add(kUid, object.string_at("metadata", "uid"));
  if (!object.string_at("metadata", "deletionTimestamp").empty()) out.add(kDeleting, collector_finalizer(object));
  add_owners(object, out);
  out.shrink();
  return out;
}

}  // namespace muster::apiserver
