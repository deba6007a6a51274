// A sweep as a file: what the flags of `muster sweep` say, and intervals with a logarithmic scale.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/sweep/expand.h"

namespace muster::cli {

struct SweepFile {
  std::string name = {};
  std::vector<std::string> command = {};
  SweepSpace space = {};
  std::optional<std::int64_t> parallel = {};
  std::string metric = {};
  std::string goal = {};
};

/// `file` is used only in messages, which name lines. Unknown keys get a suggestion.
Result<SweepFile> parse_sweep_file(std::string_view yaml, const std::string& file);

}  // namespace muster::cli
