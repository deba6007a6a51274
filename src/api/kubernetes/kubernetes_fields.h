// The fields of Kubernetes' own kinds as Kubernetes publishes them: numbers in protobuf, names and types in JSON, and
// how their values merge. tools/update_kubernetes_fields generates the tables in kubernetes_fields.gen.cc.
// The tables are complete, while our descriptors model only a part. No message contains itself, so a walk over the
// tables alongside a document has a bounded depth.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::api::kubernetes {

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
  kInline,   // an object whose members belong to the enclosing object
};

enum class Shape {
  kOne,       // written to JSON even when zero: Go has a pointer there, or no omitempty
  kOptional,  // omitted from JSON when zero, although Go writes the zero to the wire
  kList,
  kMap,  // keys are strings
};

/// A member that identifies an item of a list.
struct ItemKey {
  std::string_view name;           // "" when the list has no such member
  std::string_view default_value;  // assumed for an item that lacks the member; "" when there is no default
};

/// How a value merges with another one, where this differs from the general rule: objects and maps merge member by
/// member, and everything else is replaced as a whole.
struct Merging {
  std::string_view patch_strategy;  // for strategic merge: "merge", "retainKeys", or both with a comma
  std::string_view patch_key;       // the member by which such a patch pairs the items of a list
  ItemKey apply_keys[2];            // the members by which server-side apply pairs the items of a list
  bool is_set = false;              // server-side apply tracks the owner of each value of the list
  bool is_atomic = false;           // in server-side apply, one manager owns the whole map
};

struct Message;

struct Field {
  constexpr Field(std::uint32_t n, std::string_view json, Shape s, Type t, Merging m = {})
      : number(n), name(json), shape(s), type(t), merging(m) {}
  constexpr Field(std::uint32_t n, std::string_view json, Shape s, const Message* of, Merging m = {})
      : number(n), name(json), shape(s), type(Type::kMessage), message(of), merging(m) {}
  constexpr Field(std::uint32_t n, const Message* of) : number(n), type(Type::kInline), message(of) {}

  std::uint32_t number;
  std::string_view name;
  Shape shape = Shape::kOne;
  Type type;
  const Message* message = nullptr;
  Merging merging;
};

struct Message {
  std::string_view name;  // of the Go type
  std::span<const Field> fields;
  bool is_atomic = false;  // in server-side apply, one manager owns the whole object
};

struct Kind {
  std::string_view api_version;
  const Message* message;
};

extern const std::span<const Message* const> kMessages;
extern const std::span<const Kind> kKinds;

/// Finds the message of a built-in kind; null for custom resources, which are not in the tables.
const Message* find_message(std::string_view api_version, std::string_view kind);

/// Finds a message by the name of its Go type, which must be in the tables.
const Message& message_named(std::string_view name);

/// Finds a field by its name in JSON, also among the fields of inline messages; null when there is none.
const Field* find_field(const Message& message, std::string_view name);

/// Returns the JSON names of all fields of the message, in alphabetical order.
std::vector<std::string> field_names(const Message& message);

}  // namespace muster::api::kubernetes
