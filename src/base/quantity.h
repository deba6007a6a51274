// resource.Quantity: exact decimal amounts such as "500m", "4Gi", "1e3".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster {

/// The amount is kept in nano-units, so "1n" is exact. As in Kubernetes, an amount above 2^63-1 saturates to it.
class Quantity {
 public:
  Quantity() = default;
  static std::optional<Quantity> parse(std::string_view text);
  static Quantity of(std::int64_t whole);

  /// Rounds up, as Kubernetes does, and saturates.
  std::int64_t value() const;
  std::int64_t milli_value() const;
  /// Rounds up to the thousandth, as Kubernetes does for the amounts of resources.
  Quantity rounded_to_milli() const;
  bool is_zero() const { return nano_ == 0; }

  Quantity operator+(const Quantity& other) const;
  Quantity operator-(const Quantity& other) const;
  auto operator<=>(const Quantity&) const = default;

  /// The suffix family of a text. `text` gives Kubernetes' canonical text in it: the shortest one without a fraction.
  enum class Form { kDecimal, kBinary, kExponent };
  std::string text(Form form = Form::kDecimal) const;
  /// The family of a text that parses: "4Gi" is binary, "1e3" exponent, everything else decimal.
  static Form form_of(std::string_view text);

 private:
  __extension__ using Nano = __int128;
  Nano nano_ = 0;
};

}  // namespace muster
