// The meaning of an unquoted YAML scalar. The reader uses it, and the writer does to know what must be quoted.
#pragma once

#include <string_view>

#include "json/document.h"

namespace muster::json {

/// Follows go-yaml v2, as kubectl does: null, YAML 1.1 booleans without y and n, integers in four bases, decimals, .inf
/// and .nan (as a double that is not finite); anything else is a string. Dates stay strings.
Document resolve_plain(std::string_view text);

}  // namespace muster::json
