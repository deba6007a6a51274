// Tables of protobuf messages, and the decoder that follows them: bytes in, a Document out, equal to the JSON of the
// same Go object. Knows no kinds; those are in tables.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver::protobuf {

enum class Type {
  kString,
  kBytes,  // base64 in JSON
  kInt,
  kBool,
  kTime,
  kMicroTime,
  kQuantity,
  kIntOrString,
  kFields,   // metav1.FieldsV1: JSON in bytes
  kMessage,  // an object
  kInline,   // an object whose members belong to the enclosing one
};

enum class Shape {
  kOne,       // in JSON even when zero: a pointer in Go, or no omitempty
  kOptional,  // not in JSON when zero: Go writes such zeros to the wire only
  kList,
  kMap,  // keys are strings
};

struct Message;

struct Field {
  constexpr Field(std::uint32_t n, std::string_view json, Shape s, Type t) : number(n), name(json), shape(s), type(t) {}
  constexpr Field(std::uint32_t n, std::string_view json, Shape s, const Message* m)
      : number(n), name(json), shape(s), type(Type::kMessage), message(m) {}
  constexpr Field(std::uint32_t n, const Message* m) : number(n), type(Type::kInline), message(m) {}

  std::uint32_t number;
  std::string_view name;
  Shape shape = Shape::kOne;
  Type type;
  const Message* message = nullptr;
};

struct Message {
  std::span<const Field> fields;
};

/// Finds a field by its JSON name, also inside inline messages; null when there is none.
const Field* find_field(const Message& message, std::string_view name);

/// Skips fields that are not in the table. BadRequest for bytes that are not such a message.
Result<json::Object> decode_message(const Message& message, std::string_view bytes);

}  // namespace muster::apiserver::protobuf
