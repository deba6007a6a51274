// The table of `muster get jobs`: jobs of all kinds, with what they wait for or why they failed.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "cli/jobs/find_job.h"
#include "cli/output/table.h"

namespace muster::cli {

struct JobRow {
  FoundJob found;
  std::string reason;
  bool deleted = false;
};

struct JobTableOptions {
  bool headers = true;
  bool with_namespace = false;
  std::size_t width = 0;  // of the terminal; 0: unlimited
};

/// Later rows, those of a watch, are aligned with the rows above. Pure.
class JobTable {
 public:
  explicit JobTable(JobTableOptions options);
  /// Returns a line for each row that says something new about its job, and the column names before the first line.
  std::string print(std::span<const JobRow> rows, Time now);

 private:
  std::vector<std::string> line(const std::string& ns, std::vector<std::string> cells) const;

  JobTableOptions options_;
  Columns columns_;
  std::map<std::string, std::vector<std::string>> shown_;  // by job: its last line without the age
};

}  // namespace muster::cli
