// Walks a document along its type, to find unknown and deprecated fields and changes of immutable ones.
#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "base/strings.h"
#include "json/members.h"
#include "reflect/causes.h"
#include "reflect/place.h"
#include "reflect/reflect.h"

namespace muster::reflect {

namespace {

std::vector<std::string> names_of(const TypeDesc& type) {
  std::vector<std::string> names = type.known_names;
  for (const FieldDesc& field : type.fields) names.push_back(field.name);
  return names;
}

void find_deprecated(const TypeDesc& type, const json::Document& document, const Place& place,
                     std::vector<DeprecatedField>& out) {
  if (type.shape == Shape::kArray && document.is_array()) {
    std::size_t index = 0;
    for (const json::Document& item : document.as_array()) {
      find_deprecated(type.element(), item, place.item(index++), out);
    }
  } else if (type.shape == Shape::kMap && document.is_object()) {
    for (const auto& [key, value] : document.as_object()) {
      find_deprecated(type.element(), value, place.member(key), out);
    }
  } else if (type.shape == Shape::kObject && document.is_object()) {
    for (const auto& [key, value] : document.as_object()) {
      const FieldDesc* field = type.field_or_alias(key);
      if (field == nullptr) continue;
      const Place at = place.member(key);
      if (key != field->name) {
        out.push_back({.path = at.text(), .use_instead = field->name});
      } else if (!field->use_instead.empty()) {
        out.push_back({.path = at.text(), .use_instead = field->use_instead});
      }
      find_deprecated(field->type(), value, at, out);
    }
  }
}

void find_unknown(const TypeDesc& type, const json::Document& document, const Place& place,
                  std::vector<UnknownField>& out) {
  if (type.shape == Shape::kArray && document.is_array()) {
    std::size_t index = 0;
    for (const json::Document& item : document.as_array()) {
      find_unknown(type.element(), item, place.item(index++), out);
    }
  } else if (type.shape == Shape::kMap && document.is_object()) {
    for (const auto& [key, value] : document.as_object()) {
      find_unknown(type.element(), value, place.member(key), out);
    }
  } else if (type.shape == Shape::kObject && document.is_object()) {
    for (const auto& [key, value] : document.as_object()) {
      if (const FieldDesc* field = type.field_or_alias(key)) {
        find_unknown(field->type(), value, place.member(key), out);
      } else if (!is_known(type, key)) {
        out.push_back({.path = place.member(key).text(), .suggestion = {}});
        if (out.size() <= kMostSuggestions) out.back().suggestion = did_you_mean(key, names_of(type)).value_or("");
      }
    }
  }
}

FieldCause immutable_cause(const Place& place, std::string_view shown_type) {
  const std::string path = place.text();
  return invalid_cause(path, shown_type, fmt::format("{} is immutable", path));
}

void find_changed(const TypeDesc& type, const json::Document& before, const json::Document& after, const Place& place,
                  std::vector<FieldCause>& out);

/// Items by the text of their key; of several with the same key, the first.
using ItemsByName = std::unordered_map<std::string, const json::Document*>;

ItemsByName by_name(const json::Array& items, const std::string& key) {
  ItemsByName named;
  if (key.empty()) return named;
  for (const json::Document& item : items) {
    if (const json::Document* name = item.find(key)) named.emplace(json::serialize(*name), &item);
  }
  return named;
}

/// Pairs items by key, or by position when the list has no key.
void find_changed_items(const FieldDesc& field, const json::Array& before, const json::Array& after, const Place& place,
                        std::vector<FieldCause>& out) {
  const std::string& key = field.list_map_key;
  const ItemsByName named = by_name(before, key);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const json::Document* name = key.empty() ? nullptr : after[i].find(key);
    const json::Document* old = nullptr;
    if (name != nullptr) {
      const auto found = named.find(json::serialize(*name));
      if (found != named.end()) old = found->second;
    } else if (key.empty() && i < before.size()) {
      old = &before[i];
    }
    if (old != nullptr) find_changed(field.type().element(), *old, after[i], place.item(i), out);
  }
}

void find_changed(const TypeDesc& type, const json::Document& before, const json::Document& after, const Place& place,
                  std::vector<FieldCause>& out) {
  if (type.shape == Shape::kMap && before.is_object() && after.is_object()) {
    const json::MemberIndex members(before.as_object());
    for (const auto& [key, value] : after.as_object()) {
      if (const json::Document* old = members.find(key)) {
        find_changed(type.element(), *old, value, place.member(key), out);
      }
    }
    return;
  }
  if (type.shape != Shape::kObject || !before.is_object() || !after.is_object()) return;
  for (const FieldDesc& field : type.fields) {
    const json::Document* old = field.in(before.as_object());
    const json::Document* now = field.in(after.as_object());
    const Place at = place.member(field.name);
    if (old == nullptr || now == nullptr) {
      const bool stays = field.immutable ? old != now : field.immutable_once_set && old != nullptr && now == nullptr;
      // An API server that has our definition finds this by a rule on the enclosing object, and shows that object.
      if (stays) out.push_back(immutable_cause(at, "object"));
      continue;
    }
    if ((field.immutable || field.immutable_once_set) && *old != *now) {
      out.push_back(immutable_cause(at, json::kind_name(now->kind())));
    } else if (old->is_array() && now->is_array() && field.type().shape == Shape::kArray) {
      find_changed_items(field, old->as_array(), now->as_array(), at, out);
    } else {
      find_changed(field.type(), *old, *now, at, out);
    }
  }
}

}  // namespace

std::vector<UnknownField> unknown_fields(const TypeDesc& type, const json::Document& document) {
  std::vector<UnknownField> out;
  find_unknown(type, document, kRoot, out);
  return out;
}

std::vector<DeprecatedField> deprecated_fields(const TypeDesc& type, const json::Document& document) {
  std::vector<DeprecatedField> out;
  find_deprecated(type, document, kRoot, out);
  return out;
}

std::vector<FieldCause> validate_update(const TypeDesc& type, const json::Document& before,
                                        const json::Document& after) {
  std::vector<FieldCause> out;
  find_changed(type, before, after, kRoot, out);
  return out;
}

}  // namespace muster::reflect
