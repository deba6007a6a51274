// Encodes structs as Documents.
#include <algorithm>

#include "base/quantity.h"
#include "base/time.h"
#include "reflect/reflect.h"

namespace muster::reflect {

namespace {

/// Whether the value equals that of a new struct: such a member need not be written.
bool is_blank(const TypeDesc& type, const void* value) {
  switch (type.shape) {
    case Shape::kString:
    case Shape::kBytes:
    case Shape::kIntOrString:
      return static_cast<const std::string*>(value)->empty();
    case Shape::kBool:
      return !*static_cast<const bool*>(value);
    case Shape::kInt32:
      return *static_cast<const std::int32_t*>(value) == 0;
    case Shape::kInt64:
      return *static_cast<const std::int64_t*>(value) == 0;
    case Shape::kNumber:
      return *static_cast<const double*>(value) == 0;
    case Shape::kQuantity:
      return static_cast<const Quantity*>(value)->is_zero();
    case Shape::kTime:
    case Shape::kMicroTime:
      return *static_cast<const Time*>(value) == Time{};
    case Shape::kAny:
      return static_cast<const json::Document*>(value)->is_null();
    case Shape::kArray:
    case Shape::kMap:
      return type.container.size(value) == 0;
    case Shape::kObject:
      break;
  }
  if (type.rest_const != nullptr && !type.rest_const(value)->is_null()) return false;
  return std::ranges::all_of(type.fields, [&](const FieldDesc& field) {
    if (field.read == nullptr) return true;
    const void* member = field.read(value);
    return member == nullptr || (!field.optional_member && is_blank(field.type(), member));
  });
}

/// The struct keeps the amount but not its text, so the shorter of the two forms is written: 4Gi, 500m, 8G.
std::string shortest_text(const Quantity& quantity) {
  std::string decimal = quantity.text(Quantity::Form::kDecimal);
  std::string binary = quantity.text(Quantity::Form::kBinary);
  return binary.size() < decimal.size() ? binary : decimal;
}

/// Whether the default differs from false or 0, so that leaving these out would change the meaning.
bool means_more_than_absent(const FieldDesc& field) {
  if (!field.default_value) return false;
  const json::Document& value = *field.default_value;
  return (value.is_bool() && value.as_bool()) || (value.is_number() && value.as_double() != 0);
}

bool left_out(const FieldDesc& field, const void* member) {
  if (field.required || field.always_written || field.optional_member) return false;
  return is_blank(field.type(), member) && !means_more_than_absent(field);
}

json::Document encode_object(const TypeDesc& type, const void* from) {
  json::Object out;
  for (const FieldDesc& field : type.fields) {
    if (!field.constant.empty()) {
      out.append(field.name, field.constant);
      continue;
    }
    const void* member = field.read(from);
    if (member != nullptr && !left_out(field, member)) out.append(field.name, encode_from(field.type(), member));
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
