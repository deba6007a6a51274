#include "apiserver/apply/merge_schema.h"

#include <set>

#include "apiserver/apply/field_set.h"

namespace muster::apiserver::apply {
namespace {

using api::kubernetes::ItemKey;
using json::Document;
using reflect::Shape;

bool is_scalar(const Document* value) {
  return value != nullptr && !value->is_object() && !value->is_array() && !value->is_null();
}

/// Returns the element that identifies the item; "" when the item lacks a key.
std::string keyed_element(const Document& item, std::span<const ItemKey> keys) {
  std::string element = "k:";
  for (const ItemKey& key : keys) {
    if (key.name.empty()) continue;
    const Document* value = item.find(key.name);
    const bool is_given = is_scalar(value);
    if (!is_given && key.default_value.empty()) return "";
    element += element.size() == 2 ? '{' : ',';
    json::append_quoted(key.name, element);
    element += ':';
    is_given ? json::append_serialized(*value, element) : json::append_quoted(key.default_value, element);
  }
  return element += '}';
}

}  // namespace

MergeSchema::MergeSchema(const api::Resource& resource)
    : built_in_(resource.built_in),
      message_(resource.message()),
      type_(resource.built_in ? nullptr : resource.type),
      root_(true) {}

MergeSchema MergeSchema::member(std::string_view name) const {
  MergeSchema next;
  if (built_in_) {
    next.built_in_ = true;
    if (message_ != nullptr) next.field_ = find_field(*message_, name);
    if (next.field_ != nullptr) next.message_ = next.field_->message;
  } else if (root_ && name == "metadata") {
    next.built_in_ = true;
    next.message_ = &api::kubernetes::message_named("ObjectMeta");
  } else if (type_ != nullptr && type_->shape == Shape::kMap) {
    if (type_->element != nullptr) next.type_ = &type_->element();
  } else if (type_ != nullptr) {
    next.described_ = type_->field_or_alias(name);
    if (next.described_ != nullptr && next.described_->type != nullptr) next.type_ = &next.described_->type();
  }
  return next;
}

MergeSchema MergeSchema::item() const {
  MergeSchema next;
  next.built_in_ = built_in_;
  next.message_ = message_;
  if (type_ != nullptr && type_->element != nullptr) next.type_ = &type_->element();
  return next;
}

bool MergeSchema::declares(std::string_view name) const {
  if (built_in_) return field_ == nullptr || field_->shape != api::kubernetes::Shape::kMap;
  return type_ != nullptr && type_->shape == Shape::kObject && type_->field_or_alias(name) != nullptr;
}

bool MergeSchema::is_list() const {
  return field_ != nullptr && field_->shape == api::kubernetes::Shape::kList;
}

bool MergeSchema::is_set() const {
  return field_ != nullptr && field_->merging.is_set;
}

bool MergeSchema::is_atomic() const {
  if (field_ != nullptr && field_->merging.is_atomic) return true;
  return !is_list() && message_ != nullptr && message_->is_atomic;
}

MergeSchema::Keys MergeSchema::keys() const {
  if (field_ != nullptr) return std::to_array(field_->merging.apply_keys);
  if (described_ != nullptr) return {ItemKey{described_->list_map_key, ""}};
  return {};
}

Unit MergeSchema::unit_of(const Document& value) const {
  if (is_atomic()) return Unit::kWhole;
  if (value.is_object()) return Unit::kMembers;
  if (!value.is_array()) return Unit::kWhole;
  if (is_set()) return Unit::kSetItems;
  return keys()[0].name.empty() ? Unit::kWhole : Unit::kKeyedItems;
}

std::optional<std::vector<std::string>> MergeSchema::elements_of(const json::Array& items) const {
  const Keys item_keys = keys();
  std::vector<std::string> elements;
  elements.reserve(items.size());
  for (const Document& item : items) {
    elements.push_back(is_set() ? "v:" + json::serialize(item) : keyed_element(item, item_keys));
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
