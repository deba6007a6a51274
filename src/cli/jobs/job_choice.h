// Which jobs `muster get jobs` shows, and in which order. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/jobs/job_table.h"
#include "cli/output/sort_objects.h"

namespace muster::cli {

class JobChoice {
 public:
  struct Flags {
    std::string phases;
    std::optional<Duration> since;
    std::string sort_by;
  };
  static Result<JobChoice> parse(const Flags& flags);

  bool admits(const json::Document& job, Time now) const;
  /// Sorts by what the rows say, or by a field of the jobs. Rows that say nothing of it come last.
  Status sort(std::vector<JobRow>& rows, Time now) const;

 private:
  std::set<std::string> phases_;  // empty: all
  std::optional<Duration> since_;
  std::string word_;  // what to sort by; "": by `field_` or not at all
  std::optional<SortBy> field_;
};

}  // namespace muster::cli
