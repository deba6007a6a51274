// The functions derived from a TypeDesc. They work on Documents, so that what a user wrote is what is stored; structs
// are read-only views for code that makes decisions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reflect/type_desc.h"

namespace muster::reflect {

/// Fills the struct from the document. Unknown members are ignored; a member of another type is Invalid.
Status decode_into(const TypeDesc& type, const json::Document& from, void* to);
/// Writes optionals that are set. Other members that hold the value of a new struct (false, 0, empty) are left out,
/// unless the field is required or always_written. Roots get their apiVersion and kind.
json::Document encode_from(const TypeDesc& type, const void* from);

template <typename T>
Result<T> decode(const json::Document& from) {
  T value{};
  TRY(decode_into(type_of<T>(), from, &value));
  return value;
}
template <typename T>
json::Document encode(const T& value) {
  return encode_from(type_of<T>(), &value);
}

/// Sets the defaults of absent fields. Older spellings are kept as they are.
void apply_defaults(const TypeDesc& type, json::Document& document);

/// Replaces null in a map of a Kubernetes kind by what it means there: an empty text or amount, not an absent
/// one.
void fill_null_members(const TypeDesc& type, json::Document& document);

/// Reports all problems at once: wrong types, missing required fields, ranges, enums, patterns, duplicate list-map
/// keys, and older spellings that contradict the current ones.
std::vector<FieldCause> validate(const TypeDesc& type, const json::Document& document);
/// Reports immutable fields that were changed, added or removed.
std::vector<FieldCause> validate_update(const TypeDesc& type, const json::Document& before,
                                        const json::Document& after);

struct UnknownField {
  std::string path;        // "spec.replicaSpecs[0].replica"
  std::string suggestion;  // "replicas", or ""
};
/// As many unknown fields of an object get a suggestion: looking for one costs more than all the rest.
inline constexpr std::size_t kMostSuggestions = 16;
std::vector<UnknownField> unknown_fields(const TypeDesc& type, const json::Document& document);
struct DeprecatedField {
  std::string path;         // "spec.torchrunConfig.enable"
  std::string use_instead;  // "enabled"
};
/// Returns all uses of older spellings and of deprecated fields.
std::vector<DeprecatedField> deprecated_fields(const TypeDesc& type, const json::Document& document);
/// Whether the name is a field, or one of an open type's known names; an open type without a list knows every name.
bool is_known(const TypeDesc& type, std::string_view name);
/// Which unknown members open types keep: in Kubernetes' own kinds only known names, in custom resources everything, as
/// their schema says. The metadata of an object is Kubernetes' own type in every kind.
enum class OpenTypes { kKnownNames, kEverything };
/// Drops unknown members, as an API server does unless fieldValidation is Strict.
void prune(const TypeDesc& type, json::Document& document, OpenTypes open_types = OpenTypes::kEverything);

/// Returns a structural schema as in a CRD: self-contained, without references.
json::Document crd_schema(const TypeDesc& type);
/// Adds the type and all types it refers to as OpenAPI v3 components, named `prefix` + name. Returns the reference.
std::string add_openapi_schemas(const TypeDesc& type, std::string_view prefix, json::Object& schemas);

}  // namespace muster::reflect
