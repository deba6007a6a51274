// What derives from a TypeDesc. Everything works on Documents, so what a user wrote is what is stored; structs are
// read-only views for code that decides.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reflect/type_desc.h"

namespace muster::reflect {

/// Fills the struct from the document. Lenient about unknown members; Invalid when a member has another type.
Status decode_into(const TypeDesc& type, const json::Document& from, void* to);
/// Optionals are written when they are set. Other members that hold what a new struct holds (false, 0, nothing) are
/// left out, unless the field is required or always_written. Roots get their apiVersion and kind.
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

/// Sets what is absent and has a default. Older spellings stay as they are.
void apply_defaults(const TypeDesc& type, json::Document& document);

/// Writes what null means to Kubernetes in a map of its own kinds: a text or an amount that is empty, not an absent
/// one.
void fill_null_members(const TypeDesc& type, json::Document& document);

/// All problems at once: wrong types, missing required fields, ranges, enums, patterns, duplicate list-map keys, older
/// spellings that say something else than the current ones.
std::vector<FieldCause> validate(const TypeDesc& type, const json::Document& document);
/// Fields that are immutable and were changed, added or removed.
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
/// Older spellings and fields that are out of date, wherever they are used.
std::vector<DeprecatedField> deprecated_fields(const TypeDesc& type, const json::Document& document);
/// A field, one of the names that an open type has beyond its fields, or anything where it lists none.
bool is_known(const TypeDesc& type, std::string_view name);
/// What open types keep: in Kubernetes' own kinds the names they have there, in custom resources whatever there is, as
/// their schema says. The metadata of an object is Kubernetes' own in every kind.
enum class OpenTypes { kKnownNames, kEverything };
/// Drops unknown members, as an API server does when fieldValidation is not Strict.
void prune(const TypeDesc& type, json::Document& document, OpenTypes open_types = OpenTypes::kEverything);

/// A structural schema as in a CRD: self-contained, no references.
json::Document crd_schema(const TypeDesc& type);
/// OpenAPI v3 components: adds the type and all that it refers to under `prefix` + name, returns the reference.
std::string add_openapi_schemas(const TypeDesc& type, std::string_view prefix, json::Object& schemas);

}  // namespace muster::reflect
