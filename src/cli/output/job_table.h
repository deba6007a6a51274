// The table of `muster get jobs`: jobs of all kinds, with what they wait for or why they failed.
#pragma once

#include <span>
#include <string>

#include "base/time.h"
#include "cli/objects/find_job.h"

namespace muster::cli {

struct JobTableOptions {
  bool headers = true;
  bool with_namespace = false;
  Time now;
  std::size_t width = 0;  // of the terminal; 0: unlimited
};

/// `reasons` has one text per job. Pure.
std::string job_table(std::span<const FoundJob> jobs, std::span<const std::string> reasons,
                      const JobTableOptions& options);

}  // namespace muster::cli
