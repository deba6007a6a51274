// TypeDesc: the single description of a type, from which decoding, encoding, schemas, defaults, validation and docs are
// derived. It is type-erased on purpose: everything derived is an ordinary function over (TypeDesc, void*) or
// (TypeDesc, Document), compiled once and easy to debug. Descriptors are written with reflect/describe.h in api/*.cc
// and nowhere else.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace muster::reflect {

enum class Shape {
  kString,
  kBool,
  kInt32,
  kInt64,
  kNumber,
  kQuantity,     // "500m", 4, "1Gi"
  kIntOrString,  // a number or a name, such as a port
  kTime,         // RFC 3339, whole seconds
  kMicroTime,
  kBytes,  // base64 text
  kObject,
  kArray,
  kMap,  // string keys, one type of element
  kAny,  // any JSON
};

struct TypeDesc;
using TypeRef = const TypeDesc& (*)();  // a function, so that types can refer to each other

struct FieldDesc {
  std::string name;  // the name in JSON
  std::string doc;   // one or more sentences, shown by `explain`
  TypeRef type = nullptr;
  bool required = false;
  bool immutable = false;           // cannot be changed, added or removed
  bool immutable_once_set = false;  // may be set later, and cannot be changed or removed then
  std::optional<json::Document> default_value;
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;
  std::optional<std::int64_t> min_items;
  std::vector<std::string> one_of;
  std::string pattern;                          // anchored, RE2 syntax, for schemas; on an array: applies to its items
  bool (*matches)(std::string_view) = nullptr;  // the same as code, for `validate`
  std::string pattern_in_words;                 // the pattern for people, "write NAME/PATH", or ""
  std::string list_map_key;                     // arrays of objects: the key of an item, unique in the array
  std::vector<std::string> also_known_as;       // older spellings with the same meaning, stored as they were written
  std::string use_instead;                      // not empty: the field is deprecated in favour of this one
  bool as_written = false;                      // no defaults are set anywhere below
  bool always_written = false;                  // encoded even when it is 0 or empty
  bool optional_member = false;                 // the C++ member is an optional: encoded if it is set
  // For apiVersion and kind of a served object, which have no C++ member: the value that encoding writes.
  std::string constant;

  // Access to the C++ member. `read` returns null for an empty optional; `write` fills it and returns its address.
  const void* (*read)(const void* object) = nullptr;
  void* (*write)(void* object) = nullptr;

  /// Calls `visit` with the name, then with each older spelling.
  template <typename Visit>
  void each_spelling(Visit visit) const {
    visit(name);
    for (const std::string& older : also_known_as) visit(older);
  }
  /// The member under any of its names, the current one first; nullptr when it is absent or null.
  const json::Document* in(const json::Object& object) const;
};

/// A rule between the members of an object, defined once: `holds` is checked here, `cel` by an API server that has our
/// CustomResourceDefinition, and both give the same message about the same field. Where a kind's own check reports more
/// than a fixed message can (which value, by how much), there is only `cel`, with the same reason and field.
struct Rule {
  enum class Fault { kInvalid, kRequired, kForbidden };
  std::string cel;      // "" where CEL cannot express it
  std::string message;  // "must …"
  std::string field;    // the member that is reported, "maxReplicas"; "": the object itself
  Fault fault = Fault::kInvalid;
  bool (*holds)(const json::Document& self) = nullptr;  // called only when all types are right; null: see above
};

/// Access to the elements of a vector or map; empty for other shapes.
struct ContainerOps {
  std::size_t (*size)(const void*) = nullptr;
  void (*each)(const void*, const std::function<void(const std::string& key, const void* element)>&) = nullptr;
  void* (*add)(void*, const std::string& key) = nullptr;
};

struct TypeDesc {
  Shape shape = Shape::kAny;
  std::string name;  // of objects: "PyTorchTrainingJobSpec"
  std::string doc;
  std::vector<FieldDesc> fields;
  // The index of each field in a table by the hash of its name: every write looks up every member several times.
  std::vector<std::uint16_t> fields_by_hash = {};
  std::vector<Rule> rules;        // of objects
  std::string name_pattern = {};  // of roots: the pattern of metadata.name, if it is stricter than usual
  TypeRef element = nullptr;      // of arrays and maps
  ContainerOps container;
  // An open type models only part of a Kubernetes type: members it does not model are kept and returned unchanged. They
  // are not reported as unknown, and the schema says x-kubernetes-preserve-unknown-fields.
  bool open = false;
  json::Document* (*rest)(void* object) = nullptr;
  const json::Document* (*rest_const)(const void* object) = nullptr;
  // The names that an open type has in Kubernetes beyond `fields`: known, but not modelled. They keep did-you-mean
  // useful: a member that is in neither list is unknown. When empty, every name is accepted.
  std::vector<std::string> known_names;

  /// Must be called after the fields have changed.
  void index_fields();
  void remove_field(std::string_view json_name);
  const FieldDesc* field(std::string_view json_name) const;
  /// For descriptions that differ from another one. The field must exist and keep its name.
  FieldDesc& field_to_change(std::string_view json_name);
  /// As `field`, but also accepts an older spelling.
  const FieldDesc* field_or_alias(std::string_view json_name) const;
  /// Whether the type has apiVersion and kind.
  bool is_root() const;
};

/// What values of a shape are called.
struct ShapeNames {
  std::string_view in_errors;
  std::string_view in_explain;     // "" where it depends on the type
  std::string_view in_typescript;  // the same
};
const ShapeNames& shape_names(Shape shape);

/// Calls `make` once and keeps what it describes.
template <TypeDesc (*make)()>
const TypeDesc& made() {
  static const TypeDesc desc = make();
  return desc;
}

/// Names the type that a function `describe` is about.
template <typename T>
struct Of {};

/// The description of T, made once by `TypeDesc describe(Of<T>)`, which is declared with T and defined in api/*.cc.
template <typename T>
const TypeDesc& type_of() {
  static const TypeDesc desc = describe(Of<T>());
  return desc;
}

}  // namespace muster::reflect
