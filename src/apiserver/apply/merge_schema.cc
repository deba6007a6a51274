#include "apiserver/apply/merge_schema.h"

#include <algorithm>
#include <array>
#include <set>

#include "apiserver/apply/field_set.h"
#include "apiserver/list_keys.h"

namespace muster::apiserver::apply {
namespace {

using json::Document;
using reflect::Shape;

/// Objects of Kubernetes' own kinds that have one owner each: references and selectors.
bool is_whole(std::string_view name) {
  static constexpr std::array kNames = {
      std::string_view("selector"),       std::string_view("nodeSelector"),
      std::string_view("labelSelector"),  std::string_view("scopeSelector"),
      std::string_view("secretKeyRef"),   std::string_view("configMapKeyRef"),
      std::string_view("fieldRef"),       std::string_view("resourceFieldRef"),
      std::string_view("secretRef"),      std::string_view("dataSource"),
      std::string_view("involvedObject"), std::string_view("requiredDuringSchedulingIgnoredDuringExecution")};
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace

MergeSchema MergeSchema::member(std::string_view name) const {
  MergeSchema next;
  next.built_in_ = built_in_;
  next.own_metadata_ = root_ && name == "metadata";
  next.name_ = name;
  if (type_ != nullptr && type_->shape == Shape::kMap) {
    next.name_ = {};
    if (type_->element != nullptr) next.type_ = &type_->element();
  } else if (type_ != nullptr) {
    next.field_ = type_->field_or_alias(name);
    if (next.field_ != nullptr) {
      next.name_ = next.field_->name;
      if (next.field_->type != nullptr) next.type_ = &next.field_->type();
    }
  }
  next.whole_ = built_in_ && is_whole(next.name_);
  // Metadata is Kubernetes' own in every kind; the metadata of a template in a custom resource is what its schema says.
  next.set_ = (own_metadata_ || (built_in_ && type_ != nullptr && type_->name == "ObjectMeta")) && name == "finalizers";
  return next;
}

MergeSchema MergeSchema::item() const {
  MergeSchema next;
  next.built_in_ = built_in_;
  if (type_ != nullptr && type_->element != nullptr) next.type_ = &type_->element();
  next.whole_ = built_in_ && name_ == "imagePullSecrets";
  return next;
}

bool MergeSchema::declares(std::string_view name) const {
  if (type_ == nullptr || type_->shape == Shape::kAny) return built_in_;
  if (type_->shape != Shape::kObject) return false;
  return built_in_ || type_->field_or_alias(name) != nullptr;
}

MergeSchema::Keys MergeSchema::keys() const {
  if (!built_in_) return {field_ == nullptr ? std::string_view() : field_->list_map_key, ""};
  if (field_ != nullptr && !field_->item_key().empty()) return {field_->item_key(), name_ == "ports" ? "protocol" : ""};
  const ListKeys known = well_known_keys(name_);
  return {known.apply, known.second_apply};
}

Unit MergeSchema::unit_of(const Document& value) const {
  if (whole_) return Unit::kWhole;
  if (value.is_object()) return Unit::kMembers;
  if (!value.is_array()) return Unit::kWhole;
  if (set_) return Unit::kSetItems;
  return keys().first.empty() ? Unit::kWhole : Unit::kKeyedItems;
}

std::string MergeSchema::element_of(const Document& item, Keys keys) const {
  if (keys.first.empty()) return "v:" + json::serialize(item);
  static const Document kDefaultProtocol = "TCP";  // the default is part of the schema
  std::string element = "k:";
  for (const std::string_view key : {keys.first, keys.second}) {
    if (key.empty()) continue;
    const Document* value = item.find(key);
    if (value == nullptr || value->is_object() || value->is_array() || value->is_null()) {
      if (key != "protocol") return "";
      value = &kDefaultProtocol;
    }
    element += element.size() == 2 ? '{' : ',';
    json::append_quoted(key, element);
    element += ':';
    json::append_serialized(*value, element);
  }
  return element += '}';
}

std::optional<std::vector<std::string>> MergeSchema::elements_of(const json::Array& items) const {
  const Keys item_keys = set_ ? Keys{} : keys();
  std::vector<std::string> elements;
  elements.reserve(items.size());
  for (const Document& item : items) {
    elements.push_back(element_of(item, item_keys));
    if (elements.back().empty()) return std::nullopt;
  }
  if (elements.size() < 2) return elements;
  std::set<std::string_view> seen;
  for (const std::string& element : elements) {
    if (!seen.insert(element).second) return std::nullopt;
  }
  return elements;
}

}  // namespace muster::apiserver::apply
