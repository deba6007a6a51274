// Decodes Documents into structs.
#include <fmt/core.h>

#include <limits>

#include "base/quantity.h"
#include "base/strings.h"
#include "base/time.h"
#include "reflect/causes.h"
#include "reflect/reflect.h"

namespace muster::reflect {

namespace {

class Decoder {
 public:
  void value(const TypeDesc& type, const json::Document& from, void* to, const std::string& path);
  std::vector<FieldCause> take_causes() && { return std::move(causes_); }

 private:
  bool scalar(const TypeDesc& type, const json::Document& from, void* to);
  bool integer(const json::Document& from, std::int64_t low, std::int64_t high, std::int64_t& to);
  bool time(const json::Document& from, void* to);
  void object(const TypeDesc& type, const json::Object& from, void* to, const std::string& path);

  std::vector<FieldCause> causes_;
};

bool Decoder::integer(const json::Document& from, std::int64_t low, std::int64_t high, std::int64_t& to) {
  if (!is_whole(from)) return false;
  to = whole_value(from);
  return low <= to && to <= high;
}

bool Decoder::time(const json::Document& from, void* to) {
  if (!from.is_string()) return false;
  const auto parsed = parse_rfc3339(from.as_string());
  if (parsed) *static_cast<Time*>(to) = *parsed;
  return parsed.has_value();
}

bool Decoder::scalar(const TypeDesc& type, const json::Document& from, void* to) {
  std::int64_t number = 0;
  switch (type.shape) {
    case Shape::kString:
    case Shape::kBytes:
      if (!from.is_string()) return false;
      *static_cast<std::string*>(to) = from.as_string();
      return true;
    case Shape::kBool:
      if (!from.is_bool()) return false;
      *static_cast<bool*>(to) = from.as_bool();
      return true;
    case Shape::kInt32:
      if (!integer(from, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max(), number)) {
        return false;
      }
      *static_cast<std::int32_t*>(to) = static_cast<std::int32_t>(number);
      return true;
    case Shape::kInt64:
      if (!integer(from, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), number)) {
        return false;
      }
      *static_cast<std::int64_t*>(to) = number;
      return true;
    case Shape::kNumber:
      if (!from.is_number()) return false;
      *static_cast<double*>(to) = from.as_double();
      return true;
    case Shape::kQuantity: {
      const auto text = quantity_text(from);
      const auto parsed = text ? Quantity::parse(*text) : std::nullopt;
      if (parsed) *static_cast<Quantity*>(to) = *parsed;
      return parsed.has_value();
    }
    case Shape::kIntOrString:
      if (!from.is_string() && !is_whole(from)) return false;
      *static_cast<std::string*>(to) = from.is_string() ? from.as_string() : fmt::format("{}", whole_value(from));
      return true;
    case Shape::kTime:
    case Shape::kMicroTime:
      return time(from, to);
    case Shape::kAny:
      *static_cast<json::Document*>(to) = from;
      return true;
    case Shape::kObject:
    case Shape::kArray:
    case Shape::kMap:
      return false;
  }
  return false;
}

void Decoder::object(const TypeDesc& type, const json::Object& from, void* to, const std::string& path) {
  for (const auto& [key, member] : from) {
    const FieldDesc* field = type.field_or_alias(key);
    if (field == nullptr) {
      if (type.rest != nullptr) (*type.rest(to))[key] = member;
      continue;
    }
    if (field->write == nullptr || member.is_null()) continue;
    if (field->name != key && from.contains(field->name)) continue;  // the current spelling wins
    value(field->type(), member, field->write(to), child_path(path, key));
  }
}

void Decoder::value(const TypeDesc& type, const json::Document& from, void* to, const std::string& path) {
  switch (type.shape) {
    case Shape::kObject:
      if (!from.is_object()) break;
      return object(type, from.as_object(), to, path);
    case Shape::kArray: {
      if (!from.is_array()) break;
      std::size_t index = 0;
      for (const json::Document& item : from.as_array()) {
        value(type.element(), item, type.container.add(to, {}), item_path(path, index++));
      }
      return;
    }
    case Shape::kMap:
      if (!from.is_object()) break;
      for (const auto& [key, member] : from.as_object()) {
        if (member.is_null()) continue;
        value(type.element(), member, type.container.add(to, key), child_path(path, key));
      }
      return;
    default:
      if (scalar(type, from, to)) return;
      break;
  }
  causes_.push_back(type_cause(path, type.shape, from));
}

}  // namespace

Status decode_into(const TypeDesc& type, const json::Document& from, void* to) {
  Decoder decoder;
  decoder.value(type, from, to, "");
  std::vector<FieldCause> causes = std::move(decoder).take_causes();
  if (causes.empty()) return ok();
  std::vector<std::string> texts;
  texts.reserve(causes.size());
  for (const FieldCause& cause : causes) {
    texts.push_back(cause.field.empty() ? cause.message : fmt::format("{}: {}", cause.field, cause.message));
  }
  return Error{.reason = Reason::kInvalid, .message = join(texts, ", "), .causes = std::move(causes)};
}

}  // namespace muster::reflect
