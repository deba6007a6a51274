#include "reflect/causes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/shortened.h"
#include "base/strings.h"
#include "reflect/place.h"

namespace muster::reflect {

std::string child_path(std::string_view path, std::string_view member) {
  std::string child(path);
  if (!path.empty()) child += '.';
  return child += member;
}

std::string item_path(std::string_view path, std::size_t index) {
  std::string item(path);
  item += '[';
  item += std::to_string(index);
  return item += ']';
}

std::string key_path(std::string_view path, std::string_view key) {
  std::string out(path);
  out += '[';
  out += key;
  return out += ']';
}

std::string Place::text() const {
  if (step == Step::kRoot) return {};
  return step == Step::kItem ? item_path(parent->text(), index) : child_path(parent->text(), name);
}

std::string Place::keyed_text() const {
  if (step == Step::kRoot) return {};
  if (step == Step::kItem) return item_path(parent->keyed_text(), index);
  return step == Step::kKey ? key_path(parent->keyed_text(), name) : child_path(parent->keyed_text(), name);
}

namespace {

/// Appends Go's %#v of a decoded JSON value, which is how an API server shows lists and objects.
void append_go_value(const json::Document& value, std::string& out) {
  if (value.is_array()) {
    out += "[]interface {}{";
    std::string_view separator;
    for (const json::Document& item : value.as_array()) {
      out += separator;
      append_go_value(item, out);
      separator = ", ";
    }
    out += '}';
  } else if (value.is_object()) {
    std::map<std::string, const json::Document*> sorted;
    for (const auto& [key, member] : value.as_object()) sorted[key] = &member;
    out += "map[string]interface {}{";
    std::string_view separator;
    for (const auto& [key, member] : sorted) {
      out += separator;
      out += quote(key);
      out += ':';
      append_go_value(*member, out);
      separator = ", ";
    }
    out += '}';
  } else if (value.is_null()) {
    out += "interface {}(nil)";
  } else {
    out += shown(value);
  }
}

}  // namespace

std::string shown(const json::Document& value) {
  if (value.is_string()) return quote(shortened(value.as_string()));
  if (value.is_null()) return "null";
  if (value.is_number()) return is_whole(value) ? fmt::format("{}", whole_value(value)) : json::serialize(value);
  if (value.is_bool()) return value.as_bool() ? "true" : "false";
  std::string out;
  append_go_value(value, out);
  return shortened(out);
}

bool is_whole(const json::Document& value) {
  if (value.is_int()) return true;
  if (!value.is_number()) return false;
  const double number = value.as_double();
  return std::trunc(number) == number && std::abs(number) <= 9007199254740992.0;
}

std::int64_t whole_value(const json::Document& value) {
  return value.is_int() ? value.as_int() : static_cast<std::int64_t>(value.as_double());
}

std::optional<std::string> quantity_text(const json::Document& value) {
  if (value.is_string()) return value.as_string();
  if (value.is_number()) return json::serialize(value);
  return std::nullopt;
}

FieldCause required_cause(std::string field, std::string_view detail) {
  return {.reason = "FieldValueRequired",
          .message = detail.empty() ? "Required value" : fmt::format("Required value: {}", detail),
          .field = std::move(field)};
}

FieldCause invalid_cause(std::string field, const json::Document& value, std::string_view detail) {
  return {.reason = "FieldValueInvalid",
          .message = fmt::format("Invalid value: {}: {}", shown(value), detail),
          .field = std::move(field)};
}

FieldCause not_supported_cause(std::string field, const json::Document& value,
                               const std::vector<std::string>& supported) {
  std::vector<std::string> quoted;
  quoted.reserve(supported.size());
  for (const std::string& word : supported) quoted.push_back(quote(word));
  std::string message = fmt::format("Unsupported value: {}: supported values: {}", shown(value), join(quoted, ", "));
  if (value.is_string()) {
    if (const auto near = did_you_mean(value.as_string(), supported)) {
      message += fmt::format("; did you mean {}?", quote(*near));
    }
  }
  return {.reason = "FieldValueNotSupported", .message = std::move(message), .field = std::move(field)};
}

FieldCause duplicate_cause(std::string field, const json::Document& value) {
  return {.reason = "FieldValueDuplicate",
          .message = fmt::format("Duplicate value: {}", shown(value)),
          .field = std::move(field)};
}

FieldCause not_found_cause(std::string field, const json::Document& value) {
  return {
      .reason = "FieldValueNotFound", .message = fmt::format("Not found: {}", shown(value)), .field = std::move(field)};
}

FieldCause forbidden_cause(std::string field, std::string_view detail) {
  return {.reason = "FieldValueForbidden", .message = fmt::format("Forbidden: {}", detail), .field = std::move(field)};
}

std::string_view fault_reason(Rule::Fault fault) {
  switch (fault) {
    case Rule::Fault::kInvalid:
      return "FieldValueInvalid";
    case Rule::Fault::kRequired:
      return "FieldValueRequired";
    case Rule::Fault::kForbidden:
      return "FieldValueForbidden";
  }
  return "";
}

Rule same_in_both(const FieldDesc& field, const std::string& older) {
  // Comparing lists in CEL would exceed the cost that an API server allows a rule.
  const bool in_cel = field.type().shape != Shape::kArray;
  return {
      .cel = in_cel ? fmt::format("!has(self.{0}) || !has(self.{1}) || self.{0} == self.{1}", older, field.name) : "",
      .message = fmt::format("{0} and {1} must not differ; {0} is the older spelling of {1}", older, field.name),
      .field = older};
}

FieldCause rule_cause(std::string_view path, const Rule& rule) {
  std::string field = rule.field.empty() ? std::string(path) : child_path(path, rule.field);
  switch (rule.fault) {
    case Rule::Fault::kRequired:
      return required_cause(std::move(field), rule.message);
    case Rule::Fault::kForbidden:
      return forbidden_cause(std::move(field), rule.message);
    case Rule::Fault::kInvalid:
      break;
  }
  // An API server shows the type of the object that a rule is about, not its value.
  return invalid_cause(std::move(field), "object", rule.message);
}

FieldCause type_cause(std::string field, Shape shape, const json::Document& value) {
  // A text in the wrong format is shown as it is; any other value is shown as the name of its type.
  const bool formatted = shape == Shape::kTime || shape == Shape::kMicroTime || shape == Shape::kBytes;
  const std::string got =
      quote(formatted && value.is_string() ? shortened(value.as_string()) : json::kind_name(value.kind()));
  std::string message = fmt::format("Invalid value: {}: {} in body must be of type {}: {}", got, field,
                                    shape_names(shape).in_errors, got);
  return {.reason = "FieldValueTypeInvalid", .message = std::move(message), .field = std::move(field)};
}

}  // namespace muster::reflect
