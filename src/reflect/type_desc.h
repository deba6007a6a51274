// TypeDesc: the one description of a type, from which decoding, encoding, schemas, defaults, validation and docs
// derive. Type-erased on purpose: everything derived is an ordinary function over (TypeDesc, void*) or (TypeDesc,
// Document), compiled once and steppable. Descriptors are written with reflect/describe.h in api/*.cc, and nowhere
// else.
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
  kIntOrString,  // a port or a count by name
  kTime,         // RFC 3339, whole seconds
  kMicroTime,
  kBytes,  // base64 text
  kObject,
  kArray,
  kMap,  // string keys, one element type
  kAny,  // any JSON
};

struct TypeDesc;
using TypeRef = const TypeDesc& (*)();  // a function, so that types may refer to each other

struct FieldDesc {
  std::string name;  // in JSON
  std::string doc;   // one or more sentences, shown by `explain`
  TypeRef type = nullptr;
  bool required = false;
  bool immutable = false;           // neither its value nor whether it is there changes
  bool immutable_once_set = false;  // may be set later, and then stays
  std::optional<json::Document> default_value;
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;
  std::optional<std::int64_t> min_items;
  std::vector<std::string> one_of;
  std::string pattern;                          // anchored, RE2 syntax, for schemas; of an array: of its items
  bool (*matches)(std::string_view) = nullptr;  // the same as code, for `validate`
  std::string pattern_in_words;                 // "write NAME/PATH": how a person would say it, or ""
  std::string list_map_key;                     // arrays of objects: the key that names an item, unique in the array
  std::string merge_key;                        // arrays of objects: pairs items in strategic merge; may repeat
  bool merges_values = false;                   // arrays of texts: strategic merge adds to them
  bool retains_keys = false;                    // strategic merge can drop members beside those it sets
  std::vector<std::string> also_known_as;       // older spellings: kept as they were written, and they mean the same
  std::string use_instead;                      // not empty: out of date, and what is used now
  bool as_written = false;                      // no defaults are set anywhere below
  bool always_written = false;                  // encoded even when it is 0 or empty
  bool optional_member = false;                 // the C++ member is an optional: encoded whenever it is set
  // apiVersion and kind of a served object: no C++ member stands behind them, encoding writes this.
  std::string constant;

  // Access to the C++ member. `read` gives null when an optional is empty; `write` makes room and gives the place.
  const void* (*read)(const void* object) = nullptr;
  void* (*write)(void* object) = nullptr;

  /// Arrays of objects: the member by which two items are the same item; "" when the array is replaced as a whole.
  const std::string& item_key() const { return merge_key.empty() ? list_map_key : merge_key; }
  /// As in x-kubernetes-patch-strategy; "" for what every value does.
  std::string patch_strategy() const;
  /// `visit` gets the name, then the older spellings.
  template <typename Visit>
  void each_spelling(Visit visit) const {
    visit(name);
    for (const std::string& older : also_known_as) visit(older);
  }
  /// The member under whichever of its names it has there, the current one first; null when it is absent or null.
  const json::Document* in(const json::Object& object) const;
};

/// What must hold between the members of an object. Said once: `holds` is checked here, `cel` by an API server that has
/// our CustomResourceDefinition, and both give the same message about the same field. Where the check of a kind says
/// more than a fixed message can (which value, by how much), there is only `cel`, with the same reason and field.
struct Rule {
  enum class Fault { kInvalid, kRequired, kForbidden };
  std::string cel;      // "" where CEL cannot say it
  std::string message;  // "must …"
  std::string field;    // which member the fault is put on, "maxReplicas"; "": the object itself
  Fault fault = Fault::kInvalid;
  bool (*holds)(const json::Document& self) = nullptr;  // called only when all types are right; null: see above
};

/// How elements of a vector or map are reached; empty for other shapes.
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
  // Where each field is, in a table by the hash of its name: every write asks for every member several times.
  std::vector<std::uint16_t> fields_by_hash = {};
  std::vector<Rule> rules;        // of objects
  std::string name_pattern = {};  // of roots: what metadata.name matches, where any name of an object would not do
  TypeRef element = nullptr;      // arrays and maps
  ContainerOps container;
  // Open types model only part of a Kubernetes type: members they do not know are kept and given back unchanged. They
  // are not reported as unknown, and the schema says x-kubernetes-preserve-unknown-fields.
  bool open = false;
  json::Document* (*rest)(void* object) = nullptr;
  const json::Document* (*rest_const)(const void* object) = nullptr;
  // Names an open type has in Kubernetes beyond `fields`: known, though not modelled. They keep did-you-mean useful: a
  // member that is in neither list is unknown. Empty: anything goes.
  std::vector<std::string> known_names;

  /// To be called when all fields are there.
  void index_fields();
  void remove_field(std::string_view json_name);
  const FieldDesc* field(std::string_view json_name) const;
  /// The same, also by an older spelling.
  const FieldDesc* field_or_alias(std::string_view json_name) const;
  /// Has apiVersion and kind.
  bool is_root() const;
};

// The types that are not objects.
const TypeDesc& string_type();
const TypeDesc& bool_type();
const TypeDesc& int32_type();
const TypeDesc& int64_type();
const TypeDesc& number_type();
const TypeDesc& quantity_type();
const TypeDesc& int_or_string_type();  // held as std::string
const TypeDesc& time_type();
const TypeDesc& micro_time_type();
const TypeDesc& bytes_type();  // held as std::string, still base64
const TypeDesc& any_type();
const TypeDesc& bytes_map_type();  // held as std::map<std::string, std::string>

/// Specialised once per type, in api/*.cc; built-in types and containers in describe.h.
template <typename T>
const TypeDesc& type_of();

}  // namespace muster::reflect
