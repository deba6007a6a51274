// FieldCauses in the words of a kube-apiserver, and the field paths in them. Validation here and the rules over several
// fields in api/ use them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::reflect {

/// Of one list or map: a request of a few megabytes could have a million problems, and nobody reads more than these.
inline constexpr std::size_t kMostCauses = 1000;

/// Joins "spec.containers" and "name"; with an empty path it is the member alone.
std::string child_path(std::string_view path, std::string_view member);
/// "spec.roles[worker]": the form in which an API server writes the key of a map in errors found by rules.
std::string key_path(std::string_view path, std::string_view key);
/// "spec.containers[0]".
std::string item_path(std::string_view path, std::size_t index);

FieldCause required_cause(std::string field, std::string_view detail = {});
FieldCause invalid_cause(std::string field, const json::Document& value, std::string_view detail);
FieldCause not_supported_cause(std::string field, const json::Document& value,
                               const std::vector<std::string>& supported);
FieldCause duplicate_cause(std::string field, const json::Document& value);
FieldCause not_found_cause(std::string field, const json::Document& value);
/// The value has another JSON type than the shape requires.
FieldCause type_cause(std::string field, Shape shape, const json::Document& value);

FieldCause forbidden_cause(std::string field, std::string_view detail);
/// "FieldValueRequired" and so on.
std::string_view fault_reason(Rule::Fault fault);
/// The cause for a rule that does not hold for the object at `path`.
FieldCause rule_cause(std::string_view path, const Rule& rule);

/// The rule that an older spelling has the same value as the current one when both are set.
Rule same_in_both(const FieldDesc& field, const std::string& older);

/// The value as an API server shows it in a message: strings in quotes, numbers bare, other kinds as Go prints them.
/// Only the beginning of a long value is shown.
std::string shown(const json::Document& value);
/// Accepts 3.0 as an integer, as JSON Schema does.
bool is_whole(const json::Document& value);
/// The integer; the value must be one that is_whole accepts.
std::int64_t whole_value(const json::Document& value);

/// The text of a quantity that was written as a string or as a number; nullopt for other kinds.
std::optional<std::string> quantity_text(const json::Document& value);

}  // namespace muster::reflect
