// Removes a training job with everything that `submit` created for it.
#pragma once

#include <string>
#include <vector>

#include "arena/requests/find_jobs.h"

namespace muster::arena {

/// Deletes the job, the objects that its record names and the record itself. Objects that are gone already are fine.
Status delete_job(Context& context, const FoundJob& job);

}  // namespace muster::arena
