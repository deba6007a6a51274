// expand turns the parameters of a sweep into its runs. It is pure: the same space and the same seed give the same
// runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/sweep/parameter.h"

namespace muster::cli {

/// Each run is a job with a pod, a Service and Events, which all exist from the start.
inline constexpr std::int64_t kMostRuns = 1000;

struct SweepSpace {
  std::vector<Parameter> parameters;
  std::optional<std::int64_t> random = {};  // how many runs to sample; absent: all combinations
  std::int64_t random_seed = 1;
};

/// Names and values of one run, in the order of the parameters.
using RunValues = std::vector<std::pair<std::string, std::string>>;

/// All combinations, where the last parameter changes fastest, or a sample of them. Combinations that can be counted
/// are sampled at most once each. Invalid when there are none, or more than kMostRuns; the message has the arithmetic.
Result<std::vector<RunValues>> expand(const SweepSpace& space);

/// Appends the values to the words of a command as flags: `--lr 0.1`. A word with {lr} in it gets the value there
/// instead, for programs that have other spellings.
std::vector<std::string> with_values(const std::vector<std::string>& command, const RunValues& values);

}  // namespace muster::cli
