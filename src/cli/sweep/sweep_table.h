// A sweep as people see it: a table of its runs, one line about all of them, and the best one. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/sweep/expand.h"
#include "cli/sweep/metric.h"
#include "jobs/summary.h"
#include "json/document.h"

namespace muster::cli {

/// One job of a sweep.
struct SweepRun {
  std::string name;
  RunValues values;
  int number = 0;  // 1, 2, …
  int total = 0;   // as the sweep was planned
  jobs::State state = jobs::State::kPending;
  std::string cause;
  std::optional<Time> started;
  std::optional<Time> ended;
  std::optional<MetricValue> metric;
};
/// `object` is a job with the annotations of a sweep; what it lacks stays empty.
SweepRun run_of_job(const json::Document& object);

/// Returns the annotations of the jobs of a sweep: their number and their values.
json::Object annotations_of_run(int number, int total, const RunValues& values);

struct SweepMetric {
  std::string name = "loss";
  Goal goal = Goal::kMin;
};

/// Returns null when no run has the metric. Equal runs: the one with the smaller number.
const SweepRun* best_run(const std::vector<SweepRun>& runs, Goal goal);

/// "lr=0.1 seed=3".
std::string values_text(const RunValues& values);
/// Rows with a header, in the order of the runs. With more than `most` runs those that run or have the best values are
/// shown.
std::vector<std::vector<std::string>> sweep_rows(const std::vector<SweepRun>& runs, const SweepMetric& metric, Time now,
                                                 std::size_t most);
/// "6 runs: 2 running, 3 pending, 1 succeeded".
std::string sweep_counts(const std::vector<SweepRun>& runs);
/// "best: lr-3 (lr=0.1 seed=3), loss 0.0123"; "" when no run has the metric.
std::string best_text(const std::vector<SweepRun>& runs, const SweepMetric& metric);
/// "lr-3 (lr=0.1 seed=3) Succeeded in 12s, loss 0.0123".
std::string end_text(const SweepRun& run, const SweepMetric& metric);

}  // namespace muster::cli
