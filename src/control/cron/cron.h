// The Cron controller: creates a job from the template at each scheduled time. A start is an entry in status.active
// before the job exists, so that it happens exactly once whenever the controller stops; the job's name is a function of
// the time.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/time_zone.h"
#include "control/controller.h"
#include "jobs/kind.h"

namespace muster::control {

/// Returns the time zone with this name; "" is that of the machine.
using FindTimeZone = std::function<Result<TimeZone>(const std::string& name)>;

/// Total, pure and deterministic as long as `find_time_zone` is.
Plan plan_cron(const Snapshot& seen, const FindTimeZone& find_time_zone, std::span<const JobKind> kinds = job_kinds());

/// Its children are jobs of these kinds, which must outlive it.
Controller cron_controller(FindTimeZone find_time_zone, std::span<const JobKind> kinds = job_kinds());

}  // namespace muster::control
