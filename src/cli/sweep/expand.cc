#include "cli/sweep/expand.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/strings.h"

namespace muster::cli {

namespace {

/// SplitMix64. The generators of the standard library may differ between its versions.
class Random {
 public:
  explicit Random(std::int64_t seed) : state_(static_cast<std::uint64_t>(seed)) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  double fraction() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

bool is_interval(const Parameter& parameter) {
  return std::holds_alternative<Interval>(parameter.values);
}

/// Returns the number of combinations, or the largest number.
std::uint64_t combinations(const std::vector<Parameter>& parameters) {
  std::uint64_t product = 1;
  for (const Parameter& parameter : parameters) {
    if (__builtin_mul_overflow(product, count_of(parameter), &product)) return UINT64_MAX;
  }
  return product;
}

/// "lr 10 x seed 100000 = 1000000 runs".
std::string arithmetic(const std::vector<Parameter>& parameters) {
  std::vector<std::string> factors;
  for (const Parameter& parameter : parameters) {
    factors.push_back(fmt::format("{} {}", parameter.name, count_of(parameter)));
  }
  const std::uint64_t product = combinations(parameters);
  const std::string total = product == UINT64_MAX ? "more than 10^19" : std::to_string(product);
  return fmt::format("{} = {} runs", join(factors, " x "), total);
}

RunValues combination(const std::vector<Parameter>& parameters, std::uint64_t index) {
  RunValues values;
  for (auto parameter = parameters.rbegin(); parameter != parameters.rend(); ++parameter) {
    const std::uint64_t count = count_of(*parameter);
    values.emplace_back(parameter->name, value_at(*parameter, index % count));
    index /= count;
  }
  std::ranges::reverse(values);
  return values;
}

std::string sample(const Interval& interval, Random& random) {
  const double at = random.fraction();
  const double value = interval.is_log ? interval.low * std::pow(interval.high / interval.low, at)
                                       : interval.low + at * (interval.high - interval.low);
  return fmt::format("{:.6g}", value);
}

RunValues sample(const std::vector<Parameter>& parameters, Random& random) {
  RunValues values;
  for (const Parameter& parameter : parameters) {
    const auto* interval = std::get_if<Interval>(&parameter.values);
    values.emplace_back(parameter.name, interval != nullptr ? sample(*interval, random)
                                                            : value_at(parameter, random.below(count_of(parameter))));
  }
  return values;
}

Error invalid(std::string message) {
  return Error{.reason = Reason::kInvalid, .message = std::move(message)};
}

Status check_names(const std::vector<Parameter>& parameters) {
  if (parameters.empty()) return invalid("a sweep needs a parameter: muster sweep --lr 0.1,0.01 -- train.py");
  std::set<std::string> names;
  for (const Parameter& parameter : parameters) {
    if (!names.insert(parameter.name).second) {
      return invalid(fmt::format("--{}: is given twice; write all of its values in one list", parameter.name));
    }
  }
  return ok();
}

Result<std::vector<RunValues>> grid(const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) {
    if (!is_interval(parameter)) continue;
    return invalid(
        fmt::format("--{}: the range has no step; add one, as in 0.1..0.5..0.1, or sample values with --random 20",
                    parameter.name));
  }
  const std::uint64_t total = combinations(parameters);
  if (total > static_cast<std::uint64_t>(kMostRuns)) {
    return invalid(fmt::format("{}, a sweep may have {}; give fewer values, or sample some with --random 100",
                               arithmetic(parameters), kMostRuns));
  }
  std::vector<RunValues> runs;
  for (std::uint64_t i = 0; i < total; ++i) runs.push_back(combination(parameters, i));
  return runs;
}

}  // namespace

Result<std::vector<RunValues>> expand(const SweepSpace& space) {
  TRY(check_names(space.parameters));
  if (!space.random) return grid(space.parameters);
  if (*space.random < 1 || *space.random > kMostRuns) {
    return invalid(fmt::format("--random: must be 1 to {}, got {}", kMostRuns, *space.random));
  }
  const auto wanted = static_cast<std::uint64_t>(*space.random);
  const bool is_countable = std::ranges::none_of(space.parameters, is_interval);
  const std::uint64_t total = is_countable ? combinations(space.parameters) : UINT64_MAX;
  if (total <= wanted) return grid(space.parameters);
  Random random(space.random_seed);
  std::vector<RunValues> runs;
  std::set<std::uint64_t> taken;
  while (runs.size() < wanted) {
    if (total == UINT64_MAX) {
      runs.push_back(sample(space.parameters, random));
    } else if (const std::uint64_t index = random.below(total); taken.insert(index).second) {
      runs.push_back(combination(space.parameters, index));
    }
  }
  return runs;
}

std::vector<std::string> with_values(const std::vector<std::string>& command, const RunValues& values) {
  std::vector<std::string> words = command;
  for (const auto& [name, value] : values) {
    const std::string place = "{" + name + "}";
    bool is_placed = false;
    for (std::string& word : words) {
      for (std::size_t at = word.find(place); at != std::string::npos; at = word.find(place, at + value.size())) {
        word.replace(at, place.size(), value);
        is_placed = true;
      }
    }
    if (is_placed) continue;
    words.push_back("--" + name);
    words.push_back(value);
  }
  return words;
}

}  // namespace muster::cli
