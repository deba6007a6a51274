// Sets defaults of absent fields, and drops unknown fields and meaningless nulls.
#include <algorithm>

#include "json/members.h"
#include "reflect/reflect.h"

namespace muster::reflect {

namespace {

enum class Defaults { kSet, kLeave };

void normalise(const TypeDesc& type, json::Document& document, Defaults defaults);

/// Drops nulls of modelled members, as an API server does. Members that are not modelled keep theirs.
void drop_nulls(const TypeDesc& type, json::Object& object) {
  std::vector<std::string> dropped;
  for (const auto& [key, value] : object) {
    if (!value.is_null()) continue;
    const FieldDesc* field = type.shape == Shape::kObject ? type.field_or_alias(key) : nullptr;
    const TypeRef member = type.shape == Shape::kMap ? type.element : field == nullptr ? nullptr : field->type;
    if (member != nullptr) dropped.push_back(key);
  }
  json::erase_members(object, dropped);
}

void normalise_object(const TypeDesc& type, json::Object& object, Defaults defaults) {
  drop_nulls(type, object);
  for (const FieldDesc& field : type.fields) {
    // A field with a default has no older spelling, because an API server would then set both.
    if (defaults == Defaults::kSet && field.default_value && !object.contains(field.name)) {
      object.append(field.name, *field.default_value);
    }
    field.each_spelling([&](const std::string& spelling) {
      json::Document* member = object.find(spelling);
      if (member != nullptr) normalise(field.type(), *member, field.as_written ? Defaults::kLeave : defaults);
    });
  }
}

void normalise(const TypeDesc& type, json::Document& document, Defaults defaults) {
  if (type.shape == Shape::kObject && document.is_object()) {
    normalise_object(type, document.as_object(), defaults);
  } else if (type.shape == Shape::kArray && document.is_array()) {
    for (json::Document& item : document.as_array()) normalise(type.element(), item, defaults);
  } else if (type.shape == Shape::kMap && document.is_object()) {
    drop_nulls(type, document.as_object());
    for (auto& member : document.as_object()) normalise(type.element(), member.value, defaults);
  }
}

void fill_null(const TypeDesc& type, json::Document& value) {
  if (type.shape == Shape::kString || type.shape == Shape::kBytes) value = "";
  if (type.shape == Shape::kQuantity) value = "0";
}

}  // namespace

void apply_defaults(const TypeDesc& type, json::Document& document) {
  normalise(type, document, Defaults::kSet);
}

void fill_null_members(const TypeDesc& type, json::Document& document) {
  if (type.shape == Shape::kArray && document.is_array()) {
    for (json::Document& item : document.as_array()) fill_null_members(type.element(), item);
  }
  if (!document.is_object()) return;
  for (json::Member& member : document.as_object()) {
    if (type.shape == Shape::kMap) {
      if (member.value.is_null()) fill_null(type.element(), member.value);
      fill_null_members(type.element(), member.value);
    } else if (const FieldDesc* field = type.shape == Shape::kObject ? type.field_or_alias(member.key) : nullptr) {
      fill_null_members(field->type(), member.value);
    }
  }
}

bool is_known(const TypeDesc& type, std::string_view name) {
  if (type.field_or_alias(name) != nullptr) return true;
  return type.open && (type.known_names.empty() || std::ranges::find(type.known_names, name) != type.known_names.end());
}

void prune(const TypeDesc& type, json::Document& document, OpenTypes open_types) {
  if (type.shape == Shape::kArray && document.is_array()) {
    for (json::Document& item : document.as_array()) prune(type.element(), item, open_types);
  } else if (type.shape == Shape::kMap && document.is_object()) {
    for (auto& member : document.as_object()) prune(type.element(), member.value, open_types);
  } else if (type.shape == Shape::kObject && document.is_object()) {
    std::vector<std::string> dropped;
    for (auto& [key, value] : document.as_object()) {
      if (const FieldDesc* field = type.field_or_alias(key)) {
        const bool own_metadata = type.is_root() && key == "metadata";
        prune(field->type(), value, own_metadata ? OpenTypes::kKnownNames : open_types);
      } else if (!type.open || (open_types == OpenTypes::kKnownNames && !is_known(type, key))) {
        dropped.push_back(key);
      }
    }
    json::erase_members(document.as_object(), dropped);
  }
}

}  // namespace muster::reflect
