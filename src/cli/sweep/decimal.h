// Decimal numbers as people write them. 0.1 + 0.2 is 0.3 here, so that a range gives the values that its author
// expects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::cli {

/// digits * 10^exponent.
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;
};

/// Reads "3", "-0.25" and "1e-4"; nullopt for anything else, and for more than 15 digits.
std::optional<Decimal> parse_decimal(std::string_view text);
/// Without an exponent: 1e-4 is "0.0001".
std::string decimal_text(Decimal number);
double decimal_value(Decimal number);
bool is_whole(Decimal number);

/// first, first + step, … up to last. Numbers that are too far apart in size cannot be added exactly: nullopt.
struct Progression {
  Decimal first;
  Decimal step;
  std::uint64_t count = 0;

  Decimal at(std::uint64_t index) const;
};
std::optional<Progression> make_progression(Decimal first, Decimal last, Decimal step);

}  // namespace muster::cli
