// Removes a training job with everything that `submit` created for it.
#pragma once

#include <string>
#include <vector>

#include "arena/find_jobs.h"

namespace muster::arena {

/// The ConfigMap in which Arena records a job: its flags, and the objects that belong to it.
std::string record_name(const std::string& job, const JobType& type);

/// Deletes the job, the objects that its record names and the record itself. Objects that are gone already are fine.
Status delete_job(Context& context, const FoundJob& job);

}  // namespace muster::arena
