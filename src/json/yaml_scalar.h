// What an unquoted YAML scalar means. Shared by the reader, and by the writer to know what must be quoted.
#pragma once

#include <string_view>

#include "json/document.h"

namespace muster::json {

/// As go-yaml v2 reads it, which is how kubectl does: null, YAML 1.1 booleans without y and n, integers in four bases,
/// decimals, .inf and .nan (as a double that is not finite), else a string. Dates stay strings.
Document resolve_plain(std::string_view text);

}  // namespace muster::json
