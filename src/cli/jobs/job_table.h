// The table of `muster get jobs`: jobs of all kinds, how far they are, and what they wait for or why they failed. Pure.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "cli/jobs/find_job.h"
#include "cli/output/table.h"
#include "jobs/progress.h"
#include "jobs/summary.h"

namespace muster::cli {

struct JobRow {
  FoundJob found;
  std::string reason;
  bool deleted = false;
  jobs::Progress progress = {};
  std::string arguments = {};  // those that other jobs of the list do not have
};

struct JobTableOptions {
  bool headers = true;
  bool with_namespace = false;
  std::size_t width = 0;  // of the terminal; 0: unlimited
  bool wide = false;
  bool color = false;
  bool is_watch = false;  // more rows follow, with cells in columns that are empty now
};

/// Later rows, those of a watch, are aligned with the rows above.
class JobTable {
 public:
  explicit JobTable(JobTableOptions options);
  /// Returns a line for each row that says something new about its job, and the column names before the first line. The
  /// text holds nothing from outside that a terminal would interpret.
  std::string print(std::span<const JobRow> rows, Time now);

 private:
  using Cells = std::vector<std::string>;
  void choose_columns(const std::vector<Cells>& all);
  Cells chosen(const Cells& all) const;

  JobTableOptions options_;
  std::vector<std::size_t> columns_;  // those that fit; empty until the first row
  std::optional<Columns> layout_;
  std::map<std::string, Cells> shown_;  // by job: its last cells without those that time changes
};

/// What the column PHASE says: the state, or Stalled for a job that runs and does nothing.
std::string phase_cell(const jobs::Summary& summary);
/// Leaves of a cause what tells most in few words: the exception, or what happened without the pod's name.
std::string short_cause(const std::string& cause);
/// How long the job has run; nullopt when it has not started.
std::optional<Duration> run_time(const jobs::Summary& summary, Time now);

/// "3 jobs: 1 Running, 2 Succeeded", in the order of a job's life.
std::string count_by_phase(std::span<const FoundJob> jobs);

}  // namespace muster::cli
