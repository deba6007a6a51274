#include "base/quantity_hint.h"

#include <algorithm>

#include "base/quantity.h"
#include "base/strings.h"

namespace muster {
namespace {

/// The suffix as Kubernetes spells it; nullopt when it is not a suffix.
std::optional<std::string> spelled(std::string suffix) {
  if (suffix.empty() || suffix == "b") return "";
  if (suffix.ends_with('b')) suffix.pop_back();
  if (suffix == "k" || suffix == "m") return suffix == "k" ? "k" : "M";
  constexpr std::string_view kLetters = "kmgtpe";
  const bool known = kLetters.find(suffix[0]) != std::string_view::npos;
  if (!known || suffix.size() > 2 || (suffix.size() == 2 && suffix[1] != 'i')) return std::nullopt;
  suffix[0] = static_cast<char>(suffix[0] - 'a' + 'A');
  return suffix;
}

}  // namespace

std::optional<std::string> meant_quantity(std::string_view text) {
  std::string plain(text);
  std::erase_if(plain, [](char c) { return c == ' ' || c == '_'; });
  const std::size_t end = plain.find_first_not_of("+-.,0123456789");
  std::string number = plain.substr(0, end);
  const auto suffix = spelled(end == std::string::npos ? "" : to_lower(plain.substr(end)));
  if (number.empty() || !suffix) return std::nullopt;
  std::ranges::replace(number, ',', '.');
  std::string meant = number + *suffix;
  if (meant == text || !Quantity::parse(meant)) return std::nullopt;
  return meant;
}

std::string quantity_advice(std::string_view text) {
  std::string out(kQuantityRule);
  if (const auto meant = meant_quantity(text)) out += "; did you mean " + quote(*meant) + "?";
  return out;
}

}  // namespace muster
