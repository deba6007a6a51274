// Parameter: what a sweep varies, and the values that it may have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "cli/sweep/decimal.h"

namespace muster::cli {

/// Values that are written down one by one.
struct Choices {
  std::vector<std::string> items;
};

/// All numbers between two; a sweep can only sample them.
struct Interval {
  double low = 0;
  double high = 0;
  bool is_log = false;  // every order of magnitude is as likely as any other
};

struct Parameter {
  std::string name;  // without dashes: "lr"
  std::variant<Choices, Progression, Interval> values;
};

/// Reads `0.1,0.01`, `1..3`, `0..1..0.25` (the last is the step) and `0.1..0.5`, an interval. Other texts are one
/// value. `where` precedes the messages of errors.
Result<Parameter> parse_parameter(const std::string& name, std::string_view text, const std::string& where);

/// Invalid unless the interval has numbers in it, all above zero when it is logarithmic.
Status check_interval(const Interval& interval, const std::string& where);

/// Returns how many values there are; 0 for an interval.
std::uint64_t count_of(const Parameter& parameter);
/// Returns one of them. CHECKs that the parameter is not an interval.
std::string value_at(const Parameter& parameter, std::uint64_t index);

}  // namespace muster::cli
