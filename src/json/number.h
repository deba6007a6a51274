// Turns the text of a number into a Document, for the JSON parser and the YAML parser.
#pragma once

#include <optional>
#include <string_view>

#include "json/document.h"

namespace muster::json {

/// Reads decimal text, with or without fraction and exponent. A whole number that fits 64 bits becomes an integer even
/// when it was written 1.0 or 1e3: that is what one more trip through text would make of it. Returns nullopt when the
/// text is not a number or its magnitude exceeds a double.
std::optional<Document> number_from_text(std::string_view text);

}  // namespace muster::json
