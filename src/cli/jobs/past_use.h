// What the replicas of a job have used while they ran, from the measurements that the engine keeps.
#pragma once

#include <string>
#include <vector>

#include "cli/jobs/job_history.h"

namespace muster::cli {

struct PastUse {
  std::string replica;
  double mean_cpu = 0;  // cores
  double peak_cpu = 0;
  double mean_memory = 0;  // bytes
  double peak_memory = 0;
};

/// Returns the use of each replica in its last attempt. Replicas without measurements are left out: they ran for less
/// than a few seconds, or a limit has removed them.
Result<std::vector<PastUse>> past_use(Session& session, const Selected& job, const jobs::JobPods& pods);

}  // namespace muster::cli
