#include "base/quantity.h"

#include <array>
#include <charconv>
#include <limits>

#include "base/strings.h"

namespace muster {
namespace {

__extension__ using Wide = __int128;

constexpr Wide kNano = 1'000'000'000;
constexpr Wide kMaxWhole = std::numeric_limits<std::int64_t>::max();
constexpr Wide kMaxNano = kMaxWhole * kNano;
// Larger exponents only move a number out of the representable range, at either end.
constexpr int kMaxExponent = 60;
// Digits kept after the point. Of those below, it only matters whether one is not zero, because amounts round up.
constexpr std::size_t kFractionDigits = 18;

struct Suffix {
  std::string_view text;
  int decimal_exponent;
  int binary_exponent;  // of 2
};

constexpr std::array kDecimalSuffixes = {
    Suffix{"n", -9, 0}, Suffix{"u", -6, 0}, Suffix{"m", -3, 0}, Suffix{"", 0, 0},   Suffix{"k", 3, 0},
    Suffix{"M", 6, 0},  Suffix{"G", 9, 0},  Suffix{"T", 12, 0}, Suffix{"P", 15, 0}, Suffix{"E", 18, 0},
};
constexpr std::array kBinarySuffixes = {
    Suffix{"", 0, 0},    Suffix{"Ki", 0, 10}, Suffix{"Mi", 0, 20}, Suffix{"Gi", 0, 30},
    Suffix{"Ti", 0, 40}, Suffix{"Pi", 0, 50}, Suffix{"Ei", 0, 60},
};

std::optional<Suffix> parse_suffix(std::string_view text) {
  for (const Suffix& suffix : kDecimalSuffixes) {
    if (suffix.text == text) return suffix;
  }
  for (const Suffix& suffix : kBinarySuffixes) {
    if (suffix.text == text) return suffix;
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(1);
  if (text[0] == '+') {
    text.remove_prefix(1);
    if (text.empty() || !is_digit(text[0])) return std::nullopt;
  }
  int exponent = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (exponent > kMaxExponent || exponent < -kMaxExponent) return std::nullopt;
  return Suffix{"", exponent, 0};
}

/// A number split at its decimal point, after the suffix has moved the point.
struct Split {
  Wide whole = 0;     // capped just above kMaxWhole
  Wide fraction = 0;  // the first kFractionDigits digits after the point
  bool rest = false;  // whether a digit below those is not zero
};

Split split_at_point(std::string_view digits, long point) {
  Split out;
  Wide scale = 1;
  for (std::size_t i = 1; i < kFractionDigits; ++i) scale *= 10;
  for (long i = point < 0 ? point : 0; i < static_cast<long>(digits.size()) || i < point; ++i) {
    const bool given = i >= 0 && i < static_cast<long>(digits.size());
    const int digit = given ? digits[static_cast<std::size_t>(i)] - '0' : 0;
    if (i < point) {
      if (out.whole <= kMaxWhole) out.whole = out.whole * 10 + digit;
    } else if (scale > 0) {
      out.fraction += scale * digit;
      scale /= 10;
    } else if (digit != 0) {
      out.rest = true;
    }
  }
  return out;
}

/// Rounds away from zero.
Wide round_up(Wide amount, Wide unit) {
  const Wide left = amount % unit;
  return amount / unit + (left > 0 ? 1 : 0) - (left < 0 ? 1 : 0);
}

std::int64_t saturate(Wide amount) {
  if (amount > kMaxWhole) return std::numeric_limits<std::int64_t>::max();
  if (amount < -kMaxWhole - 1) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(amount);
}

std::string wide_text(Wide amount) {
  if (amount == 0) return "0";
  std::string digits;
  const bool negative = amount < 0;
  for (; amount != 0; amount /= 10) {
    const int digit = static_cast<int>(amount % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
  }
  return negative ? "-" + digits : digits;
}

/// The amount divided by the largest power of 1000 that leaves no fraction.
struct Scaled {
  Wide mantissa;
  int exponent;  // of 10
};

Scaled scale_decimal(Wide nano) {
  if (nano == 0) return {0, 0};
  Scaled out{nano, -9};
  while (out.mantissa % 1000 == 0 && out.exponent < 18) {
    out.mantissa /= 1000;
    out.exponent += 3;
  }
  return out;
}

std::string decimal_text(Wide nano) {
  const Scaled scaled = scale_decimal(nano);
  for (const Suffix& suffix : kDecimalSuffixes) {
    if (suffix.decimal_exponent == scaled.exponent) return wide_text(scaled.mantissa) + std::string(suffix.text);
  }
  return wide_text(scaled.mantissa);
}

std::string exponent_text(Wide nano) {
  const Scaled scaled = scale_decimal(nano);
  if (scaled.exponent == 0) return wide_text(scaled.mantissa);
  return wide_text(scaled.mantissa) + "e" + std::to_string(scaled.exponent);
}

std::string binary_text(Wide nano) {
  Wide whole = nano / kNano;
  // Kubernetes shows small and fractional amounts in decimal even in this form, so that nothing is rounded away.
  if (nano % kNano != 0 || (whole > -1024 && whole < 1024)) return decimal_text(nano);
  std::size_t step = 0;
  while (whole % 1024 == 0 && step + 1 < kBinarySuffixes.size()) {
    whole /= 1024;
    ++step;
  }
  return wide_text(whole) + std::string(kBinarySuffixes[step].text);
}

}  // namespace

std::optional<Quantity> Quantity::parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::string digits;
  std::optional<long> point;
  std::size_t i = 0;
  for (; i < text.size() && (is_digit(text[i]) || text[i] == '.'); ++i) {
    if (text[i] != '.') {
      digits += text[i];
    } else if (point) {
      return std::nullopt;
    } else {
      point = static_cast<long>(digits.size());
    }
  }
  const std::optional<Suffix> suffix = parse_suffix(text.substr(i));
  if (digits.empty() || !suffix) return std::nullopt;
  const Split split =
      split_at_point(digits, point.value_or(static_cast<long>(digits.size())) + suffix->decimal_exponent);
  const Wide multiplier = Wide{1} << suffix->binary_exponent;
  Quantity out;
  if (split.whole > kMaxWhole / multiplier) {
    out.nano_ = kMaxNano;
  } else {
    const Wide below = split.fraction * multiplier;
    constexpr Wide kPerNano = kNano;  // kFractionDigits digits are 1e9 times finer than nano
    Wide fraction_nano = round_up(below, kPerNano);
    if (split.rest && below % kPerNano == 0) fraction_nano += 1;
    out.nano_ = split.whole * multiplier * kNano + fraction_nano;
    if (out.nano_ > kMaxNano) out.nano_ = kMaxNano;
  }
  if (negative) out.nano_ = -out.nano_;
  return out;
}

Quantity Quantity::of(std::int64_t whole) {
  Quantity out;
  out.nano_ = Nano{whole} * kNano;
  return out;
}

Quantity::Form Quantity::form_of(std::string_view text) {
  if (text.ends_with('i')) return Form::kBinary;
  const std::size_t mark = text.find_first_of("eE");
  return mark != std::string_view::npos && mark + 1 < text.size() ? Form::kExponent : Form::kDecimal;
}

std::int64_t Quantity::value() const {
  return saturate(round_up(nano_, kNano));
}

std::int64_t Quantity::milli_value() const {
  return saturate(round_up(nano_, kNano / 1000));
}

Quantity Quantity::rounded_to_milli() const {
  Quantity out;
  out.nano_ = round_up(nano_, kNano / 1000) * (kNano / 1000);
  return out;
}

Quantity Quantity::operator+(const Quantity& other) const {
  // The largest amount is 2^93 nano-units: 2^34 of them can be added before 128 bits run out.
  Quantity out;
  out.nano_ = nano_ + other.nano_;
  return out;
}

Quantity Quantity::operator-(const Quantity& other) const {
  Quantity out;
  out.nano_ = nano_ - other.nano_;
  return out;
}

std::string Quantity::text(Form form) const {
  switch (form) {
    case Form::kDecimal:
      return decimal_text(nano_);
    case Form::kBinary:
      return binary_text(nano_);
    case Form::kExponent:
      return exponent_text(nano_);
  }
  return decimal_text(nano_);
}

}  // namespace muster
