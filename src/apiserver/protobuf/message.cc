#include "apiserver/protobuf/message.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "apiserver/errors/status_error.h"
#include "base/protobuf_wire.h"
#include "base/strings.h"
#include "base/time.h"
#include "json/utf8.h"

namespace muster::apiserver::protobuf {
namespace {

using api::kubernetes::Field;
using api::kubernetes::Message;
using api::kubernetes::Shape;
using api::kubernetes::Type;
using json::Document;
using json::Object;

// Go's time.Time in the years 1 to 9999, the range of RFC 3339.
constexpr std::int64_t kFirstSecond = -62'135'596'800;
constexpr std::int64_t kLastSecond = 253'402'300'799;
// The range of a 64-bit count of nanoseconds: the years 1678 to 2261.
constexpr std::int64_t kNanoRange = 9'223'372'036;

Result<std::string> text(std::string_view bytes) {
  if (json::find_invalid_utf8(bytes) != std::string_view::npos) return bad_request("protobuf: text is not UTF-8");
  return std::string(bytes);
}

/// The numbers and texts of a message that has nothing else: field n is at index n - 1.
struct Scalars {
  std::uint64_t numbers[3] = {};
  std::string_view texts[3];
};

Result<Scalars> read_scalars(std::string_view bytes) {
  Scalars scalars;
  WireReader reader(bytes);
  while (!reader.at_end()) {
    TRY_ASSIGN(const WireField field, reader.next());
    if (field.number > 3) continue;
    scalars.numbers[field.number - 1] = field.varint;
    scalars.texts[field.number - 1] = field.bytes;
  }
  return scalars;
}

/// Empty bytes are Go's zero time, which is null in JSON.
Result<Document> decode_time(std::string_view bytes, bool micro) {
  if (bytes.empty()) return Document();
  TRY_ASSIGN(const Scalars scalars, read_scalars(bytes));
  const auto seconds = static_cast<std::int64_t>(scalars.numbers[0]);
  const auto nanos = static_cast<std::int64_t>(scalars.numbers[1]);
  if (seconds == kFirstSecond) return Document();
  const bool sayable = seconds >= kFirstSecond && seconds <= kLastSecond;
  if (!sayable || seconds < -kNanoRange || seconds >= kNanoRange || nanos < 0 || nanos > 999'999'999) {
    return bad_request(fmt::format("protobuf: {} s and {} ns are not a valid time", seconds, nanos));
  }
  const Time time{std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanos)};
  return Document(micro ? format_rfc3339_micro(time) : format_rfc3339(time));
}

Result<Document> decode_int_or_string(std::string_view bytes) {
  TRY_ASSIGN(const Scalars scalars, read_scalars(bytes));
  if (scalars.numbers[0] == 0) return Document(static_cast<std::int64_t>(scalars.numbers[1]));
  TRY_ASSIGN(std::string word, text(scalars.texts[2]));
  return Document(std::move(word));
}

Result<Document> decode_bytes(const Field& field, std::string_view bytes) {
  switch (field.type) {
    case Type::kString: {
      TRY_ASSIGN(std::string value, text(bytes));
      return Document(std::move(value));
    }
    case Type::kBytes:
      return Document(base64_encode(bytes));
    case Type::kTime:
    case Type::kMicroTime:
      return decode_time(bytes, field.type == Type::kMicroTime);
    case Type::kQuantity: {
      TRY_ASSIGN(const Scalars scalars, read_scalars(bytes));
      TRY_ASSIGN(std::string value, text(scalars.texts[0]));
      return Document(value.empty() ? "0" : std::move(value));
    }
    case Type::kIntOrString:
      return decode_int_or_string(bytes);
    case Type::kFields: {
      TRY_ASSIGN(const Scalars scalars, read_scalars(bytes));
      return scalars.texts[0].empty() ? Result<Document>(Document(Object())) : json::parse(scalars.texts[0]);
    }
    case Type::kMessage:
    case Type::kInline: {
      TRY_ASSIGN(Object object, decode_message(*field.message, bytes));
      return Document(std::move(object));
    }
    case Type::kInt:
    case Type::kBool:
      break;
  }
  return bad_request(fmt::format("protobuf: {}: must be a number on the wire, got bytes", field.name));
}

Document number(const Field& field, std::uint64_t value) {
  return field.type == Type::kBool ? Document(value != 0) : Document(static_cast<std::int64_t>(value));
}

bool is_numeric(const Field& field) {
  return field.type == Type::kInt || field.type == Type::kBool;
}

Result<Document> decode_value(const Field& field, const WireField& wire) {
  if (is_numeric(field) != (wire.kind == WireField::Kind::kVarint) || wire.kind == WireField::Kind::kFixed) {
    return bad_request(fmt::format("protobuf: {}: wrong wire type", field.name));
  }
  if (is_numeric(field)) return number(field, wire.varint);
  auto value = decode_bytes(field, wire.bytes);
  if (!value && !field.name.empty()) return in_context(field.name, std::move(value).error());
  return value;
}

bool is_zero(const Document& value) {
  return value.is_null() || (value.is_bool() && !value.as_bool()) || (value.is_int() && value.as_int() == 0) ||
         (value.is_string() && value.as_string().empty());
}

/// Collects the fields of one message. Maps are collected separately: the members of an Object are found by linear
/// search, which is too slow for many.
class Collector {
 public:
  Status add(const Field& field, const WireField& wire) {
    switch (field.shape) {
      case Shape::kList:
        return add_to_list(field, wire);
      case Shape::kMap:
        return add_to_map(field, wire);
      case Shape::kOne:
      case Shape::kOptional:
        break;
    }
    TRY_ASSIGN(Document value, decode_value(field, wire));
    if (field.type == Type::kInline) {
      for (json::Member& member : value.as_object()) object_.set(std::move(member.key), std::move(member.value));
    } else if (value.is_null() || (field.shape == Shape::kOptional && is_zero(value))) {
      object_.erase(field.name);
    } else {
      object_.set(std::string(field.name), std::move(value));
    }
    return ok();
  }

  Result<Object> finish() {
    for (auto& [field, entries] : maps_) {
      if (entries.size() > json::kMaxMembers) {
        return bad_request(fmt::format("protobuf: {}: has {} entries; at most {} are allowed", field->name,
                                       entries.size(), json::kMaxMembers));
      }
      Object members;
      for (auto& [key, value] : entries) members.append(key, std::move(value));
      object_.append(std::string(field->name), std::move(members));
    }
    return std::move(object_);
  }

 private:
  Status add_to_list(const Field& field, const WireField& wire) {
    Document& list = object_[field.name];
    if (list.is_null()) list = json::Array();
    if (is_numeric(field) && wire.kind == WireField::Kind::kBytes) {  // packed
      WireReader reader(wire.bytes);
      while (!reader.at_end()) {
        TRY_ASSIGN(const std::uint64_t value, reader.varint());
        list.as_array().push_back(number(field, value));
      }
      return ok();
    }
    TRY_ASSIGN(Document value, decode_value(field, wire));
    list.as_array().push_back(std::move(value));
    return ok();
  }

  Status add_to_map(const Field& field, const WireField& wire) {
    if (wire.kind != WireField::Kind::kBytes) {
      return bad_request(fmt::format("protobuf: {}: wrong wire type", field.name));
    }
    std::string key;
    WireField of_value;  // an entry without a value has the zero value of its type
    of_value.kind = is_numeric(field) ? WireField::Kind::kVarint : WireField::Kind::kBytes;
    WireReader reader(wire.bytes);
    while (!reader.at_end()) {
      TRY_ASSIGN(const WireField part, reader.next());
      if (part.number == 1) {
        TRY_ASSIGN(key, text(part.bytes));
      } else if (part.number == 2) {
        of_value = part;
      }
    }
    TRY_ASSIGN(Document value, decode_value(field, of_value));
    maps_[&field].insert_or_assign(std::move(key), std::move(value));
    return ok();
  }

  Object object_;
  std::map<const Field*, std::map<std::string, Document>> maps_;
};

}  // namespace

Result<Object> decode_message(const api::kubernetes::Message& message, std::string_view bytes) {
  Collector collector;
  WireReader reader(bytes);
  while (!reader.at_end()) {
    TRY_ASSIGN(const WireField wire, reader.next());
    const auto field = std::ranges::find(message.fields, wire.number, &Field::number);
    if (field != message.fields.end()) TRY(collector.add(*field, wire));
  }
  return collector.finish();
}

}  // namespace muster::apiserver::protobuf
