#include "cli/sweep/parameter.h"

#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "base/check.h"
#include "base/strings.h"

namespace muster::cli {

namespace {

Error wrong(const std::string& where, std::string_view text, std::string_view what) {
  return Error{.reason = Reason::kInvalid, .message = fmt::format("{}: {}, got {}", where, what, quote(text))};
}

/// Splits at each "..".
std::vector<std::string> range_parts(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0;;) {
    const std::size_t dots = text.find("..", at);
    parts.emplace_back(text.substr(at, dots - at));
    if (dots == std::string_view::npos) return parts;
    at = dots + 2;
  }
}

/// "1..3" begins with a number; "../data" does not.
bool looks_like_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  return dots != std::string_view::npos && parse_decimal(text.substr(0, dots));
}

Result<Parameter> parse_range(const std::string& name, std::string_view text, const std::string& where) {
  constexpr const char* kForm = "must be FIRST..LAST or FIRST..LAST..STEP in numbers";
  const std::vector<std::string> parts = range_parts(text);
  if (parts.size() > 3) return wrong(where, text, kForm);
  std::vector<Decimal> numbers;
  for (const std::string& part : parts) {
    const auto number = parse_decimal(part);
    if (!number) return wrong(where, text, kForm);
    numbers.push_back(*number);
  }
  const bool has_step = numbers.size() == 3;
  if (!has_step && !(is_whole(numbers[0]) && is_whole(numbers[1]))) {
    const Interval interval{.low = decimal_value(numbers[0]), .high = decimal_value(numbers[1])};
    TRY(check_interval(interval, where));
    return Parameter{.name = name, .values = interval};
  }
  const Decimal step = has_step ? numbers[2] : Decimal{.digits = 1};
  if (step.digits == 0) return wrong(where, text, "the step must not be 0");
  const auto progression = make_progression(numbers[0], numbers[1], step);
  if (!progression) return wrong(where, text, "must be numbers of similar size");
  if (progression->count == 0) return wrong(where, text, "the step must lead from the first number to the last");
  return Parameter{.name = name, .values = *progression};
}

}  // namespace

Result<Parameter> parse_parameter(const std::string& name, std::string_view text, const std::string& where) {
  if (text.find(',') == std::string_view::npos && looks_like_range(text)) return parse_range(name, text, where);
  Choices choices{.items = split(text, ',')};
  for (const std::string& item : choices.items) {
    if (item.empty()) return wrong(where, text, "has an empty value");
    if (choices.items.size() > 1 && looks_like_range(item)) {
      return wrong(where, text, "must be either a list or a range, not a list with a range in it");
    }
  }
  return Parameter{.name = name, .values = std::move(choices)};
}

Status check_interval(const Interval& interval, const std::string& where) {
  const auto text = [&] { return fmt::format("{:g}..{:g}", interval.low, interval.high); };
  if (!std::isfinite(interval.low) || !std::isfinite(interval.high) || interval.low >= interval.high) {
    return wrong(where, text(), "the first number must be less than the last");
  }
  if (interval.is_log && interval.low <= 0) return wrong(where, text(), "a logarithmic scale begins above 0");
  return ok();
}

std::uint64_t count_of(const Parameter& parameter) {
  if (const auto* choices = std::get_if<Choices>(&parameter.values)) return choices->items.size();
  if (const auto* progression = std::get_if<Progression>(&parameter.values)) return progression->count;
  return 0;
}

std::string value_at(const Parameter& parameter, std::uint64_t index) {
  CHECK(index < count_of(parameter));
  if (const auto* choices = std::get_if<Choices>(&parameter.values)) return choices->items[index];
  return decimal_text(std::get<Progression>(parameter.values).at(index));
}

}  // namespace muster::cli
