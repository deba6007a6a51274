// The fields of Kubernetes' own kinds as Kubernetes publishes them: numbers in protobuf, names and types in JSON, and
// how their values merge. kubernetes_fields.gen.cc holds the tables, which tools/update_kubernetes_fields generates.
// They are complete where our descriptors model only a part. No message contains itself, so whatever walks the tables
// beside a document has a bounded depth.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::api {
struct Resource;
}

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
  kInline,   // an object whose members are those of the one around it
};

enum class Shape {
  kOne,       // in JSON even when zero: Go has a pointer there, or no omitempty
  kOptional,  // not in JSON when zero: Go writes zeros to the wire that it leaves out of JSON
  kList,
  kMap,  // keys are strings
};

/// A member that tells the items of a list apart.
struct ItemKey {
  std::string_view name;           // "" where there is none
  std::string_view default_value;  // of an item that lacks the member; "" where it has no default
};

/// How a value merges with another one, where it differs from most: objects and maps merge member by member, and
/// everything else is replaced as a whole.
struct Merging {
  std::string_view patch_strategy;  // of a strategic merge patch: "merge", "retainKeys" or both with a comma
  std::string_view patch_key;       // the member by which such a patch pairs the items of a list
  ItemKey apply_keys[2];            // the members by which server-side apply pairs the items of a list
  bool is_set = false;              // server-side apply knows who owns which value of the list
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

/// The message of a kind; null when it is not in the tables, as no custom resource is.
const Message* find_message(std::string_view api_version, std::string_view kind);
const Message* find_message(const Resource& resource);

/// By the name of its Go type, which must be in the tables.
const Message& message_named(std::string_view name);

/// By its name in JSON, also among those of inline messages; null when there is none.
const Field* find_field(const Message& message, std::string_view name);

/// All names that members of the message have in JSON, in alphabetical order.
std::vector<std::string> field_names(const Message& message);

}  // namespace muster::api::kubernetes
