#include "apiserver/admission/builtin_types.h"

#include <fmt/core.h>

#include "apiserver/errors/status_error.h"
#include "base/quantity.h"
#include "base/strings.h"
#include "base/time.h"
#include "json/members.h"
#include "reflect/causes.h"
#include "reflect/place.h"

namespace muster::apiserver {
namespace {

using api::kubernetes::Field;
using api::kubernetes::Message;
using api::kubernetes::Shape;
using api::kubernetes::Type;
using json::Document;
using reflect::Place;

std::string wanted(Type type) {
  switch (type) {
    case Type::kString:
      return "a string";
    case Type::kBytes:
      return "a string in base64";
    case Type::kInt:
      return "an integer";
    case Type::kBool:
      return "true or false";
    case Type::kTime:
      return fmt::format("a time such as 2006-01-02T15:04:05Z, {}", kTimeRange);
    case Type::kMicroTime:
      return fmt::format("a time with six digits after the point, such as 2006-01-02T15:04:05.000000Z, {}", kTimeRange);
    case Type::kQuantity:
      return "a quantity such as 500m, 2 or 4Gi";
    case Type::kIntOrString:
      return "an integer or a string";
    case Type::kFields:
    case Type::kMessage:
    case Type::kInline:
      break;
  }
  return "an object";
}

/// Returns the value that Go's decoder produces for a null in a list.
Document zero(Type type) {
  switch (type) {
    case Type::kString:
    case Type::kBytes:
      return "";
    case Type::kInt:
    case Type::kIntOrString:
      return 0;
    case Type::kBool:
      return false;
    case Type::kQuantity:
      return "0";
    case Type::kFields:
    case Type::kMessage:
    case Type::kInline:
      return json::Object();
    case Type::kTime:
    case Type::kMicroTime:
      break;
  }
  return {};
}

/// Rewrites a quantity to its canonical text. Quantities in a list of resources are rounded to thousandths.
bool normalise_quantity(Document& value, bool of_resources) {
  const auto given = reflect::quantity_text(value);
  const std::string_view text = given ? trim(*given) : "";
  const auto amount = Quantity::parse(text);
  if (!amount) return false;
  value = (of_resources ? amount->rounded_to_milli() : *amount).text(Quantity::form_of(text));
  return true;
}

bool normalise_time(Document& value, Type type) {
  if (!value.is_string()) return false;
  const std::string& text = value.as_string();
  const auto time = parse_rfc3339(text);
  if (!time) return false;
  if (type == Type::kTime) {
    value = format_rfc3339(*time);
    return true;
  }
  constexpr std::size_t point = std::string_view("2006-01-02T15:04:05").size();
  const std::size_t end = text.find_first_not_of("0123456789", point + 1);
  if (text[point] != '.' || end != point + 7) return false;
  value = format_rfc3339_micro(*time);
  return true;
}

bool normalise_bytes(Document& value) {
  const auto bytes = value.is_string() ? base64_decode_leniently(value.as_string()) : std::nullopt;
  if (bytes) value = base64_encode(*bytes);
  return bytes.has_value();
}

class Normaliser {
 public:
  explicit Normaliser(Echo echo) : echo_(echo) {}

  void object(const Message& message, json::Object& object, const Place& place) {
    std::vector<std::string> dropped;
    for (auto& [key, value] : object) {
      const Field* field = api::kubernetes::find_field(message, key);
      if (field == nullptr) {
        if (&place == &reflect::kRoot && (key == "apiVersion" || key == "kind")) continue;
        dropped.push_back(key);
        found_.unknown.push_back({.path = place.member(key).text(), .suggestion = {}});
        if (found_.unknown.size() <= reflect::kMostSuggestions)
          found_.unknown.back().suggestion = did_you_mean(key, field_names(message)).value_or("");
      } else if (!value.is_null()) {
        member(*field, value, place.member(key));
      }
    }
    json::erase_members(object, dropped);
  }

  TypeFindings take() && { return std::move(found_); }

 private:
  void wrong(std::string_view what, const Document& value, const Place& place, Echo echo) {
    std::string message = fmt::format("must be {}", what);
    if (echo == Echo::kValues) message += fmt::format(", got {}", brief(value));
    found_.wrong.push_back(wrong_type(place.text(), std::move(message)));
  }

  void member(const Field& field, Document& value, const Place& place) {
    if (field.shape == Shape::kList) {
      if (!value.is_array()) return wrong("a list", value, place, echo_);
      std::size_t index = 0;
      for (Document& item : value.as_array()) {
        if (item.is_null()) item = zero(field.type);
        one(field, item, place.item(index++));
      }
    } else if (field.shape == Shape::kMap) {
      if (!value.is_object()) return wrong("an object", value, place, echo_);
      for (auto& [key, item] : value.as_object()) one(field, item, place.key(key));
    } else {
      one(field, value, place);
    }
  }

  void one(const Field& field, Document& value, const Place& place) {
    if (field.message != nullptr && value.is_object()) return object(*field.message, value.as_object(), place);
    if (normalise(field, value)) return;
    // A value that is not valid base64 is probably an unencoded secret, so the message must not contain it.
    const bool unencoded = field.type == Type::kBytes && value.is_string();
    wrong(wanted(field.type), value, place, unencoded ? Echo::kNoValues : echo_);
  }

  static bool normalise(const Field& field, Document& value) {
    switch (field.type) {
      case Type::kString:
        return value.is_string();
      case Type::kBytes:
        return normalise_bytes(value);
      case Type::kInt:
        return value.is_int();
      case Type::kBool:
        return value.is_bool();
      case Type::kTime:
      case Type::kMicroTime:
        return normalise_time(value, field.type);
      case Type::kQuantity:
        return normalise_quantity(value, field.shape == Shape::kMap);
      case Type::kIntOrString:
        return value.is_string() || value.is_int();
      case Type::kFields:
        return value.is_object();
      case Type::kMessage:
      case Type::kInline:
        break;
    }
    return false;
  }

  Echo echo_;
  TypeFindings found_;
};

}  // namespace

TypeFindings normalise_types(const Message& message, Document& object, Echo echo) {
  Normaliser normaliser(echo);
  normaliser.object(message, object.as_object(), reflect::kRoot);
  return std::move(normaliser).take();
}

}  // namespace muster::apiserver
