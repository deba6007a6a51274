// The PodGroup of a job: by it the scheduler knows the job's queue and priority, and users see why its pods wait.
#pragma once

#include "control/job/model.h"
#include "json/document.h"

namespace muster::control {

/// Returns the group as one of Job::objects. Queue and priority are read from the manifest, where all kinds of a family
/// have them in the same place.
json::Document pod_group_for(const Job& job, const json::Document& manifest);

}  // namespace muster::control
