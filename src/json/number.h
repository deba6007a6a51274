// How both parsers turn the text of a number into a Document.
#pragma once

#include <optional>
#include <string_view>

#include "json/document.h"

namespace muster::json {

/// Decimal text, with or without fraction and exponent. A whole number that fits 64 bits becomes an integer even when
/// it was written 1.0 or 1e3: that is what it would be after one more trip through text. nullopt when it is no number
/// or its magnitude is beyond a double.
std::optional<Document> number_from_text(std::string_view text);

}  // namespace muster::json
