// The PodGroup of a job: by it the scheduler knows the job's queue and priority, and users see why its pods wait.
#pragma once

#include "api/tensorstack/scheduler_v1beta1.h"
#include "jobs/model/model.h"
#include "json/document.h"

namespace muster::control {

/// Returns the group as one of Job::objects.
json::Document pod_group_for(const jobs::Job& job);

/// Returns the name of the job's PodGroup: that of the job, unless a job of another kind, or a user, has a group of
/// that name. `own` is the group that the job has, `holder` the one that has the job's name; either may be null. A
/// group of a deleted job of the same kind and name is about to go, so its name is waited for.
std::string group_name_for(const jobs::Job& job, const api::PodGroup* own, const api::PodGroup* holder);

}  // namespace muster::control
