// The statuses of PodGroups and Queues, computed from what the scheduler knows.
#pragma once

#include <string>

#include "control/scheduler/ledger.h"
#include "control/scheduler/schedule.h"

namespace muster::control {

/// `reason` is why the group's pods wait; "" when they do not. Times change only together with what they belong to.
api::PodGroupStatus group_status(const api::PodGroup& group, const Ledger& ledger, const std::string& reason, Time now);

/// Returns what the pods of the queue hold, and how many gangs run and wait there.
api::QueueStatus queue_status(const api::Queue& queue, const Ledger& ledger, const ClusterObjects& objects);

}  // namespace muster::control
