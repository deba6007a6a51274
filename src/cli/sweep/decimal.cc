#include "cli/sweep/decimal.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/strings.h"

namespace muster::cli {

namespace {

constexpr std::size_t kMostDigits = 15;
constexpr std::int64_t kLargestExponent = 30;

/// Returns the digits of the number at a smaller exponent; nullopt when they do not fit.
std::optional<std::int64_t> digits_at(Decimal number, int exponent) {
  std::int64_t digits = number.digits;
  for (int e = number.exponent; e > exponent; --e) {
    if (__builtin_mul_overflow(digits, std::int64_t{10}, &digits)) return std::nullopt;
  }
  return digits;
}

}  // namespace

std::optional<Decimal> parse_decimal(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  Decimal number;
  if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view written = text.substr(e + 1);
    if (written.starts_with('+')) written.remove_prefix(1);
    const auto exponent = parse_int(written);
    if (!exponent || std::abs(*exponent) > kLargestExponent) return std::nullopt;
    number.exponent = static_cast<int>(*exponent);
    text = text.substr(0, e);
  }
  const std::size_t point = text.find('.');
  std::string digits(text.substr(0, point));
  if (point != std::string_view::npos) {
    digits += text.substr(point + 1);
    number.exponent -= static_cast<int>(text.size() - point - 1);
  }
  if (digits.empty() || digits.size() > kMostDigits || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
  number.digits = *parse_int(digits) * (is_negative ? -1 : 1);
  return number;
}

std::string decimal_text(Decimal number) {
  while (number.exponent < 0 && number.digits % 10 == 0) {
    number.digits /= 10;
    ++number.exponent;
  }
  if (number.digits == 0) return "0";
  std::string digits = std::to_string(std::abs(number.digits));
  if (number.exponent >= 0) {
    digits.append(static_cast<std::size_t>(number.exponent), '0');
  } else {
    const auto after_point = static_cast<std::size_t>(-number.exponent);
    if (digits.size() <= after_point) digits.insert(0, after_point + 1 - digits.size(), '0');
    digits.insert(digits.size() - after_point, ".");
  }
  return (number.digits < 0 ? "-" : "") + digits;
}

double decimal_value(Decimal number) {
  return static_cast<double>(number.digits) * std::pow(10.0, number.exponent);
}

bool is_whole(Decimal number) {
  for (; number.exponent < 0; ++number.exponent, number.digits /= 10) {
    if (number.digits % 10 != 0) return false;
  }
  return true;
}

Decimal Progression::at(std::uint64_t index) const {
  return {.digits = first.digits + static_cast<std::int64_t>(index) * step.digits, .exponent = first.exponent};
}

std::optional<Progression> make_progression(Decimal first, Decimal last, Decimal step) {
  const int exponent = std::min({first.exponent, last.exponent, step.exponent});
  const auto from = digits_at(first, exponent);
  const auto to = digits_at(last, exponent);
  const auto by = digits_at(step, exponent);
  std::int64_t distance = 0;
  if (!from || !to || !by || *by == 0 || __builtin_sub_overflow(*to, *from, &distance)) return std::nullopt;
  Progression out{.first = {*from, exponent}, .step = {*by, exponent}};
  if (distance == 0 || (distance > 0) == (*by > 0)) out.count = static_cast<std::uint64_t>(distance / *by) + 1;
  return out;
}

}  // namespace muster::cli
