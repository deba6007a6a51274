// What a schema can say about a document. Texts and reasons are those of a kube-apiserver that validates custom
// resources: null members count as absent, 3.0 is an integer, a value of the wrong type is reported once, by type.
#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "base/quantity.h"
#include "base/strings.h"
#include "base/time.h"
#include "reflect/causes.h"
#include "reflect/reflect.h"
#include "reflect/schema_text.h"

namespace muster::reflect {

namespace {

const json::Document* present(const json::Object& object, std::string_view key) {
  const json::Document* found = object.find(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

/// Under the current name, else under an older one; `key` says which.
const json::Document* present(const json::Object& object, const FieldDesc& field, std::string& key) {
  key = field.name;
  if (const json::Document* found = present(object, key)) return found;
  for (const std::string& alias : field.also_known_as) {
    if (const json::Document* found = present(object, alias)) {
      key = alias;
      return found;
    }
  }
  key = field.name;
  return nullptr;
}

class Validator {
 public:
  explicit Validator(const TypeDesc& root)
      // Kubernetes checks its own kinds by code that says a few things in other words.
      : built_in_(root.is_root() && root.fields[0].constant.find('/') == std::string::npos) {}

  void value(const TypeDesc& type, const json::Document& document, const std::string& path);
  std::vector<FieldCause> take_causes() && { return std::move(causes_); }

 private:
  void object(const TypeDesc& type, const json::Object& object, const std::string& path);
  void rules(const FieldDesc& field, const json::Document& value, const std::string& path);
  void range(const FieldDesc& field, const json::Document& value, const std::string& path);
  void unique(const FieldDesc& field, const json::Array& items, const std::string& path);
  bool has_type(const TypeDesc& type, const json::Document& value) const;

  bool built_in_;
  std::vector<FieldCause> causes_;
};

bool Validator::has_type(const TypeDesc& type, const json::Document& value) const {
  switch (type.shape) {
    case Shape::kString:
      return value.is_string();
    case Shape::kBool:
      return value.is_bool();
    case Shape::kInt32:
    case Shape::kInt64:
      return is_whole(value);
    case Shape::kNumber:
      return value.is_number();
    case Shape::kQuantity:
      return value.is_string() || value.is_number();
    case Shape::kIntOrString:
      return value.is_string() || is_whole(value);
    case Shape::kTime:
    case Shape::kMicroTime:
      return value.is_string() && parse_rfc3339(value.as_string()).has_value();
    case Shape::kBytes:
      return value.is_string() && base64_decode(value.as_string()).has_value();
    case Shape::kObject:
    case Shape::kMap:
      return value.is_object();
    case Shape::kArray:
      return value.is_array();
    case Shape::kAny:
      return true;
  }
  return false;
}

void Validator::value(const TypeDesc& type, const json::Document& document, const std::string& path) {
  if (!has_type(type, document)) {
    causes_.push_back(type_cause(path, type.shape, document));
    return;
  }
  switch (type.shape) {
    case Shape::kObject:
      object(type, document.as_object(), path);
      break;
    case Shape::kArray: {
      std::size_t index = 0;
      for (const json::Document& item : document.as_array()) value(type.element(), item, item_path(path, index++));
      break;
    }
    case Shape::kMap:
      for (const auto& [key, member] : document.as_object()) {
        if (!member.is_null()) value(type.element(), member, child_path(path, key));
      }
      break;
    case Shape::kQuantity:
      if (!Quantity::parse(*quantity_text(document))) {
        causes_.push_back(
            invalid_cause(path, document, fmt::format("{} in body should match '{}'", path, kQuantityPattern)));
      }
      break;
    default:
      break;
  }
}

void Validator::object(const TypeDesc& type, const json::Object& object, const std::string& path) {
  std::string key;
  for (const FieldDesc& field : type.fields) {
    const json::Document* member = present(object, field, key);
    std::string field_path = child_path(path, key);
    if (member == nullptr) {
      if (field.required) causes_.push_back(required_cause(std::move(field_path)));
      continue;
    }
    value(field.type(), *member, field_path);
    rules(field, *member, field_path);
  }
}

void Validator::range(const FieldDesc& field, const json::Document& value, const std::string& path) {
  if (!is_whole(value)) return;
  const std::int64_t number = whole_value(value);
  std::optional<std::int64_t> low = field.min;
  std::optional<std::int64_t> high = field.max;
  if (field.type().shape == Shape::kInt32) {
    low = low.value_or(std::numeric_limits<std::int32_t>::min());
    high = high.value_or(std::numeric_limits<std::int32_t>::max());
  }
  if (low && number < *low) {
    causes_.push_back(
        invalid_cause(path, number, fmt::format("{} in body should be greater than or equal to {}", path, *low)));
  }
  if (high && number > *high) {
    causes_.push_back(
        invalid_cause(path, number, fmt::format("{} in body should be less than or equal to {}", path, *high)));
  }
}

void Validator::unique(const FieldDesc& field, const json::Array& items, const std::string& path) {
  std::vector<const json::Document*> seen;
  std::vector<const json::Document*> reported;
  const auto is_same = [](const json::Document* key) { return [key](const json::Document* d) { return *d == *key; }; };
  for (std::size_t i = 0; i < items.size(); ++i) {
    const json::Document* key = items[i].find(field.list_map_key);
    if (key == nullptr || key->is_null()) continue;
    if (std::ranges::none_of(seen, is_same(key))) {
      seen.push_back(key);
    } else if (std::ranges::none_of(reported, is_same(key))) {
      reported.push_back(key);
      causes_.push_back({.reason = "FieldValueDuplicate",
                         .message = fmt::format("Duplicate value: map[string]interface {{}}{{{}:{}}}",
                                                quote(field.list_map_key), shown(*key)),
                         .field = item_path(path, i)});
    }
  }
}

void Validator::rules(const FieldDesc& field, const json::Document& value, const std::string& path) {
  range(field, value, path);
  if (!field.one_of.empty() &&
      (!value.is_string() || std::ranges::find(field.one_of, value.as_string()) == field.one_of.end())) {
    causes_.push_back(not_supported_cause(path, value, field.one_of));
  }
  if (field.matches != nullptr && value.is_string() && !field.matches(value.as_string())) {
    causes_.push_back(invalid_cause(path, value, fmt::format("{} in body should match '{}'", path, field.pattern)));
  }
  if (!value.is_array()) return;
  const auto count = static_cast<std::int64_t>(value.as_array().size());
  if (built_in_ && field.min_items && count == 0) {
    causes_.push_back(required_cause(path));
  } else if (field.min_items && count < *field.min_items) {
    causes_.push_back(
        invalid_cause(path, count, fmt::format("{} in body should have at least {} items", path, *field.min_items)));
  }
  if (!built_in_ && !field.list_map_key.empty()) unique(field, value.as_array(), path);
}

/// Whether a schema of the type has rules in CEL; those are not evaluated on an object that is wrong in itself.
bool has_rules(const TypeDesc& type) {
  if (type.element != nullptr) return has_rules(type.element());
  return std::ranges::any_of(type.fields, [](const FieldDesc& f) { return f.immutable || has_rules(f.type()); });
}

bool hides_rules(const FieldCause& cause) {
  return cause.reason == "FieldValueTypeInvalid" || cause.reason == "FieldValueRequired" ||
         cause.reason == "FieldValueNotSupported";
}

}  // namespace

std::vector<FieldCause> validate(const TypeDesc& type, const json::Document& document) {
  Validator validator(type);
  validator.value(type, document, "");
  std::vector<FieldCause> causes = std::move(validator).take_causes();
  if (std::ranges::any_of(causes, hides_rules) && has_rules(type)) {
    causes.push_back({.reason = "FieldValueInvalid",
                      .message = "Invalid value: \"null\": some validation rules were not checked because the object "
                                 "was invalid; correct the existing errors to complete validation",
                      .field = "<nil>"});
  }
  return causes;
}

}  // namespace muster::reflect
