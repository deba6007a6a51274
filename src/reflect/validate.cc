// Checks a document against its schema, with the texts and reasons of a kube-apiserver for custom resources: a null
// member counts as absent, 3.0 is an integer, and a value of the wrong type is reported once, by type.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/quantity.h"
#include "base/quantity_hint.h"
#include "base/strings.h"
#include "base/time.h"
#include "reflect/causes.h"
#include "reflect/place.h"
#include "reflect/reflect.h"
#include "reflect/schema_text.h"

namespace muster::reflect {

namespace {

const json::Document* present(const json::Object& object, std::string_view key) {
  const json::Document* found = object.find(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

/// Whether the type has rules between its members, including older spellings.
bool has_own_rules(const TypeDesc& type) {
  return !type.rules.empty() ||
         std::ranges::any_of(type.fields, [](const FieldDesc& field) { return !field.also_known_as.empty(); });
}

class Validator {
 public:
  explicit Validator(const TypeDesc& root)
      // Kubernetes validates its own kinds with code whose messages differ in a few places.
      : built_in_(root.is_root() && (root.fields[0].constant.find('/') == std::string::npos ||
                                     root.fields[0].constant.starts_with("apps/"))) {}

  void value(const TypeDesc& type, const json::Document& document, const Place& place);
  /// Checks the rules over several fields; the object must be valid otherwise.
  void rules_over_fields();
  const std::vector<FieldCause>& causes() const { return causes_; }
  std::vector<FieldCause> take_causes() && { return std::move(causes_); }

 private:
  struct Ruled {
    const TypeDesc* type;
    const json::Document* object;
    std::string path;
  };

  void object(const TypeDesc& type, const json::Object& object, const Place& place);
  void older_spellings(const FieldDesc& field, const Ruled& ruled);
  void pattern(const FieldDesc& field, const json::Document& value, const Place& place);
  void rules(const FieldDesc& field, const json::Document& value, const Place& place);
  void range(const FieldDesc& field, const json::Document& value, const Place& place);
  void items(const FieldDesc& field, const json::Array& items, const Place& place);
  void unique(const FieldDesc& field, const json::Array& items, const Place& place);
  void add_invalid(const Place& place, const json::Document& value, const std::string& rule);
  bool has_type(const TypeDesc& type, const json::Document& value) const;

  bool built_in_;
  std::vector<FieldCause> causes_;
  std::vector<Ruled> ruled_;  // objects seen so far whose type has rules
};

void Validator::rules_over_fields() {
  for (const Ruled& ruled : ruled_) {
    for (const Rule& rule : ruled.type->rules) {
      if (rule.holds != nullptr && !rule.holds(*ruled.object)) causes_.push_back(rule_cause(ruled.path, rule));
    }
    for (const FieldDesc& field : ruled.type->fields) older_spellings(field, ruled);
  }
}

void Validator::older_spellings(const FieldDesc& field, const Ruled& ruled) {
  const json::Document* current = present(ruled.object->as_object(), field.name);
  if (current == nullptr) return;
  for (const std::string& older : field.also_known_as) {
    const json::Document* said = present(ruled.object->as_object(), older);
    if (said != nullptr && *said != *current) causes_.push_back(rule_cause(ruled.path, same_in_both(field, older)));
  }
}

void Validator::add_invalid(const Place& place, const json::Document& value, const std::string& rule) {
  std::string path = place.text();
  const std::string detail = fmt::format("{} in body should {}", path, rule);
  causes_.push_back(invalid_cause(std::move(path), value, detail));
}

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
      // Kubernetes accepts 0.5 in its own kinds, but the schema of a custom resource cannot express that.
      return value.is_string() || is_whole(value) || (built_in_ && value.is_number());
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

bool is_time(Shape shape) {
  return shape == Shape::kTime || shape == Shape::kMicroTime;
}

void Validator::value(const TypeDesc& type, const json::Document& document, const Place& place) {
  if (!has_type(type, document)) {
    causes_.push_back(type_cause(place.text(), type.shape, document));
    if (type.shape == Shape::kQuantity && document.is_number()) {
      causes_.back().message += fmt::format("; write it in quotes: {}", quote(*quantity_text(document)));
    } else if (is_time(type.shape) && document.is_string()) {
      causes_.back().message += fmt::format("; write a time such as 2006-01-02T15:04:05Z, {}", kTimeRange);
    }
    return;
  }
  switch (type.shape) {
    case Shape::kObject:
      if (has_own_rules(type)) ruled_.push_back({&type, &document, place.text()});
      object(type, document.as_object(), place);
      break;
    case Shape::kArray: {
      std::size_t index = 0;
      const std::size_t most = causes_.size() + kMostCauses;
      for (const json::Document& item : document.as_array()) {
        if (causes_.size() >= most) break;
        value(type.element(), item, place.item(index++));
      }
      break;
    }
    case Shape::kMap: {
      const std::size_t most = causes_.size() + kMostCauses;
      for (const auto& [key, member] : document.as_object()) {
        if (causes_.size() >= most) break;
        if (!member.is_null()) value(type.element(), member, place.key(key));
      }
      break;
    }
    case Shape::kQuantity:
      if (!Quantity::parse(*quantity_text(document))) {
        causes_.push_back(invalid_cause(place.text(), document, quantity_advice(*quantity_text(document))));
      }
      break;
    default:
      break;
  }
}

void Validator::object(const TypeDesc& type, const json::Object& object, const Place& place) {
  for (const FieldDesc& field : type.fields) {
    bool found = false;
    field.each_spelling([&](const std::string& spelling) {
      const json::Document* member = present(object, spelling);
      if (member == nullptr) return;
      found = true;
      const Place at = place.member(spelling);
      value(field.type(), *member, at);
      rules(field, *member, at);
    });
    if (!found && field.required) causes_.push_back(required_cause(place.member(field.name).text()));
  }
}

void Validator::range(const FieldDesc& field, const json::Document& value, const Place& place) {
  if (!is_whole(value)) return;
  const std::int64_t number = whole_value(value);
  std::optional<std::int64_t> low = field.min;
  std::optional<std::int64_t> high = field.max;
  if (field.type().shape == Shape::kInt32) {
    low = low.value_or(std::numeric_limits<std::int32_t>::min());
    high = high.value_or(std::numeric_limits<std::int32_t>::max());
  }
  if (built_in_ && field.min && field.max && (number < *low || number > *high)) {
    causes_.push_back(
        invalid_cause(place.text(), number, fmt::format("must be between {} and {}, inclusive", *low, *high)));
    return;
  }
  if (low && number < *low) add_invalid(place, number, fmt::format("be greater than or equal to {}", *low));
  if (high && number > *high) add_invalid(place, number, fmt::format("be less than or equal to {}", *high));
}

void Validator::unique(const FieldDesc& field, const json::Array& items, const Place& place) {
  static const json::Document absent;
  std::unordered_map<std::string, int> times;  // how often each key occurs
  const std::size_t most = causes_.size() + kMostCauses;
  for (std::size_t i = 0; i < items.size() && causes_.size() < most; ++i) {
    if (items[i].is_null()) continue;
    if (!items[i].is_object()) {
      causes_.push_back(
          invalid_cause(place.item(i).keyed_text(), items[i], "must be an object for an array of list-type map"));
      continue;
    }
    const json::Document* key = items[i].find(field.list_map_key);
    if (key == nullptr) key = &absent;  // items without the key all have the same key
    if (++times[json::serialize(*key)] == 2) {
      json::Object shown_key;
      if (key != &absent) shown_key.set(field.list_map_key, *key);
      causes_.push_back(duplicate_cause(place.item(i).keyed_text(), std::move(shown_key)));
    }
  }
}

void Validator::items(const FieldDesc& field, const json::Array& items, const Place& place) {
  const auto count = static_cast<std::int64_t>(items.size());
  if (field.min_items && count < *field.min_items) {
    if (built_in_ && count == 0) {
      causes_.push_back(required_cause(place.text()));
    } else {
      add_invalid(place, count, fmt::format("have at least {} items", *field.min_items));
    }
  }
  if (!built_in_ && !field.list_map_key.empty()) unique(field, items, place);
}

void Validator::pattern(const FieldDesc& field, const json::Document& value, const Place& place) {
  if (value.is_string() && !field.matches(value.as_string())) {
    add_invalid(place, value, fmt::format("match '{}'", field.pattern));
    if (!field.pattern_in_words.empty()) causes_.back().message += "; " + field.pattern_in_words;
  }
  if (!value.is_array()) return;
  std::size_t index = 0;
  const std::size_t most = causes_.size() + kMostCauses;
  for (const json::Document& item : value.as_array()) {
    if (causes_.size() >= most) break;
    pattern(field, item, place.item(index++));
  }
}

void Validator::rules(const FieldDesc& field, const json::Document& value, const Place& place) {
  range(field, value, place);
  if (!field.one_of.empty() &&
      (!value.is_string() || std::ranges::find(field.one_of, value.as_string()) == field.one_of.end())) {
    causes_.push_back(not_supported_cause(place.text(), value, field.one_of));
  }
  if (field.matches != nullptr) pattern(field, value, place);
  if (value.is_array() && field.type().shape == Shape::kArray) items(field, value.as_array(), place);
}

/// Whether a schema of the type has CEL rules; an API server skips those when the object is otherwise invalid.
bool has_rules(const TypeDesc& type) {
  if (type.element != nullptr) return has_rules(type.element());
  if (std::ranges::any_of(type.rules, [](const Rule& rule) { return !rule.cel.empty(); })) return true;
  return std::ranges::any_of(type.fields, [](const FieldDesc& f) {
    return f.immutable || f.immutable_once_set || !f.also_known_as.empty() || has_rules(f.type());
  });
}

bool hides_rules(const FieldCause& cause) {
  return cause.reason == "FieldValueTypeInvalid" || cause.reason == "FieldValueRequired" ||
         cause.reason == "FieldValueNotSupported";
}

}  // namespace

std::vector<FieldCause> validate(const TypeDesc& type, const json::Document& document) {
  Validator validator(type);
  validator.value(type, document, kRoot);
  const bool hidden = std::ranges::any_of(validator.causes(), hides_rules);
  if (!hidden) validator.rules_over_fields();
  std::vector<FieldCause> causes = std::move(validator).take_causes();
  if (hidden && has_rules(type)) {
    causes.push_back({.reason = "FieldValueInvalid",
                      .message = "Invalid value: \"null\": some validation rules were not checked because the object "
                                 "was invalid; correct the existing errors to complete validation",
                      .field = "<nil>"});
  }
  return causes;
}

}  // namespace muster::reflect
