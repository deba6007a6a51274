// FieldCauses in the words a kube-apiserver uses, and the paths they carry. Used by validation here and by the rules
// over several fields in api/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::reflect {

/// "spec.containers" + "name", "" + "spec".
std::string child_path(std::string_view path, std::string_view member);
/// "spec.roles[worker]": how an API server writes the key of a map in what it finds by rules.
std::string key_path(std::string_view path, std::string_view key);
/// "spec.containers[0]".
std::string item_path(std::string_view path, std::size_t index);

FieldCause required_cause(std::string field, std::string_view detail = {});
FieldCause invalid_cause(std::string field, const json::Document& value, std::string_view detail);
FieldCause not_supported_cause(std::string field, const json::Document& value,
                               const std::vector<std::string>& supported);
FieldCause duplicate_cause(std::string field, const json::Document& value);
FieldCause not_found_cause(std::string field, const json::Document& value);
/// The value is of another JSON type than the shape asks for.
FieldCause type_cause(std::string field, Shape shape, const json::Document& value);

FieldCause forbidden_cause(std::string field, std::string_view detail);
/// "FieldValueRequired" and the like.
std::string_view fault_reason(Rule::Fault fault);
/// A rule over several fields of the object at `path` that does not hold.
FieldCause rule_cause(std::string_view path, const Rule& rule);

/// That an older spelling, where both are there, says what the current one says.
Rule same_in_both(const FieldDesc& field, const std::string& older);

/// The value as an API server shows it in a message: strings in quotes, numbers bare, the rest as Go would; of a long
/// one the beginning.
std::string shown(const json::Document& value);
/// "integer", "number", "string", "boolean", "array", "object", "null".
std::string_view json_type(const json::Document& value);
/// Accepts 3.0 for an integer, as JSON Schema does.
bool is_whole(const json::Document& value);
/// Of a value that is_whole.
std::int64_t whole_value(const json::Document& value);

/// The text of a quantity, whether it was written as text or as a number; nullopt for other kinds.
std::optional<std::string> quantity_text(const json::Document& value);

}  // namespace muster::reflect
