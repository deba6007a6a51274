// Creates the jobs of a sweep.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/run/prepare.h"
#include "cli/sweep/expand.h"

namespace muster::cli {

/// Returns how many runs of so many ranks this server's processors take at a time. Runs with GPUs have no limit: the
/// GPUs are one. 0 stands for no limit.
std::int64_t usual_parallel(Session& session, const RunShape& shape);

/// A Kubernetes cluster has a scheduler of its own, which does not know of sweeps.
bool is_own_engine(Session& session);

struct SweepToCreate {
  std::string name;
  std::vector<RunValues> runs;
  std::int64_t parallel = 0;  // 0: no limit
};
/// Creates one job after the other, so that they start in this order. `base` is the job without values.
std::optional<Failure> create_sweep(Session& session, const PreparedRun& base, const SweepToCreate& sweep);

/// Returns "NAME-07", with as many digits as the number of the last run has.
std::string name_of_run(const std::string& sweep, std::size_t number, std::size_t total);

}  // namespace muster::cli
