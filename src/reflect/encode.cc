// Structs to Documents.
#include "base/quantity.h"
#include "base/time.h"
#include "reflect/reflect.h"

namespace muster::reflect {

namespace {

/// What a member holds before anybody sets it: such a member need not be written.
bool is_zero(const json::Document& value) {
  switch (value.kind()) {
    case json::Kind::kNull:
      return true;
    case json::Kind::kBool:
      return !value.as_bool();
    case json::Kind::kInt:
      return value.as_int() == 0;
    case json::Kind::kDouble:
      return value.as_double() == 0;
    case json::Kind::kString:
      return value.as_string().empty();
    case json::Kind::kArray:
      return value.as_array().empty();
    case json::Kind::kObject:
      return value.as_object().empty();
  }
  return false;
}

/// The struct keeps the amount and not its text, so the shorter of the two families is written: 4Gi, 500m, 8G.
std::string shortest_text(const Quantity& quantity) {
  std::string decimal = quantity.text(Quantity::Form::kDecimal);
  std::string binary = quantity.text(Quantity::Form::kBinary);
  return binary.size() < decimal.size() ? binary : decimal;
}

bool left_out(const FieldDesc& field, const json::Document& value) {
  if (field.required) return false;
  if (field.optional_member) return field.type().shape == Shape::kAny && value.is_null();
  if (!is_zero(value)) return false;
  return !field.default_value.has_value() || is_zero(*field.default_value);
}

json::Document encode_object(const TypeDesc& type, const void* from) {
  json::Object out;
  for (const FieldDesc& field : type.fields) {
    if (!field.constant.empty()) {
      out.append(field.name, field.constant);
      continue;
    }
    const void* member = field.read(from);
    if (member == nullptr) continue;
    json::Document value = encode_from(field.type(), member);
    if (!left_out(field, value)) out.append(field.name, std::move(value));
  }
  if (type.rest_const != nullptr) {
    const json::Document& rest = *type.rest_const(from);
    if (rest.is_object()) {
      for (const auto& [key, value] : rest.as_object()) out.set(key, value);
    }
  }
  return out;
}

}  // namespace

json::Document encode_from(const TypeDesc& type, const void* from) {
  switch (type.shape) {
    case Shape::kString:
    case Shape::kBytes:
    case Shape::kIntOrString:
      return *static_cast<const std::string*>(from);
    case Shape::kBool:
      return *static_cast<const bool*>(from);
    case Shape::kInt32:
      return std::int64_t{*static_cast<const std::int32_t*>(from)};
    case Shape::kInt64:
      return *static_cast<const std::int64_t*>(from);
    case Shape::kNumber:
      return *static_cast<const double*>(from);
    case Shape::kQuantity:
      return shortest_text(*static_cast<const Quantity*>(from));
    case Shape::kTime:
      return format_rfc3339(*static_cast<const Time*>(from));
    case Shape::kMicroTime:
      return format_rfc3339_micro(*static_cast<const Time*>(from));
    case Shape::kAny:
      return *static_cast<const json::Document*>(from);
    case Shape::kObject:
      return encode_object(type, from);
    case Shape::kArray: {
      json::Array out;
      out.reserve(type.container.size(from));
      type.container.each(
          from, [&](const std::string&, const void* element) { out.push_back(encode_from(type.element(), element)); });
      return out;
    }
    case Shape::kMap: {
      json::Object out;
      type.container.each(from, [&](const std::string& key, const void* element) {
        out.append(key, encode_from(type.element(), element));
      });
      return out;
    }
  }
  return {};
}

}  // namespace muster::reflect
