// Suggestions for error messages about a text that is not a valid quantity.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

inline constexpr std::string_view kQuantityRule = "must be a number with a suffix such as m, k, M, G, Ki, Mi or Gi";

/// The quantity that was probably meant: "1Gi" for "1GiB", "1gb" or "1 Gi"; nullopt when none is close.
std::optional<std::string> meant_quantity(std::string_view text);

/// The text for the message: "must be a number with …; did you mean \"1Gi\"?"
std::string quantity_advice(std::string_view text);

}  // namespace muster
