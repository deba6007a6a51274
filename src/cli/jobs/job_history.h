// The pods of a job with those of the past, also of a job that is deleted, as the server remembers them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cli/jobs/find_job.h"
#include "jobs/history.h"

namespace muster::cli {

/// Returns the pods that the job has had. A cluster remembers none: there these are the pods that exist.
Result<jobs::JobPods> history_of_job(Session& session, const Selected& job, const std::string& uid);

/// A job, which may be deleted, with its pods.
struct JobWithPods {
  Selected job;
  jobs::JobPods pods;
};
/// Returns the newest deleted job of this name of each kind, where logs or measurements of one are kept.
Result<std::vector<JobWithPods>> deleted_jobs_named(Session& session, const std::string& name,
                                                    std::vector<ServedKind> kinds = job_kinds());

/// Returns one of the jobs that had the name of a job before it, which exists or is the newest deleted one: 1 is the
/// last of them.
Result<JobWithPods> earlier_job_named(Session& session, const std::string& name, std::vector<ServedKind> kinds,
                                      std::int64_t number);

/// Returns the one of which a pod was made last. `deleted` is not empty.
const JobWithPods& newest_of(const std::vector<JobWithPods>& deleted);

/// Returns the path of the log of a pod of a job, with a query to which more can be added.
std::string log_target_of(const std::string& ns, const jobs::JobPod& pod, const std::string& container);

}  // namespace muster::cli
