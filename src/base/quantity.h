// resource.Quantity: exact decimal amounts such as "500m", "4Gi", "1e3".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster {

/// Kept in nano-units, so "1n" is exact. Larger texts than 2^63-1 whole units are read as that, as Kubernetes does.
class Quantity {
 public:
  Quantity() = default;
  static std::optional<Quantity> parse(std::string_view text);
  static Quantity of(std::int64_t whole);

  /// Rounded up, as Kubernetes does; saturates.
  std::int64_t value() const;
  std::int64_t milli_value() const;
  /// To the thousandth, rounded up, as Kubernetes keeps the amounts of resources.
  Quantity rounded_to_milli() const;
  bool is_zero() const { return nano_ == 0; }

  Quantity operator+(const Quantity& other) const;
  Quantity operator-(const Quantity& other) const;
  auto operator<=>(const Quantity&) const = default;

  /// Kubernetes' canonical text in the given family: the shortest with no fraction.
  enum class Form { kDecimal, kBinary, kExponent };
  std::string text(Form form = Form::kDecimal) const;
  /// The family of a text that parses: "4Gi" is binary, "1e3" exponent, all others decimal.
  static Form form_of(std::string_view text);

 private:
  __extension__ using Nano = __int128;
  Nano nano_ = 0;
};

}  // namespace muster
