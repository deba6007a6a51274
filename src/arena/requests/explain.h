// Why a job waits or failed: its events, and one sentence with the failing rank and the last lines of its log.
#pragma once

#include <string>
#include <vector>

#include "arena/jobs/jobs.h"
#include "arena/output/tables.h"
#include "cli/connect/session.h"

namespace muster::arena {

/// Returns the events of the job and of its pods, the oldest first.
Result<std::vector<EventRow>> events_of(cli::Session& session, const Job& job);

/// Returns "" for a job that runs or succeeded.
std::string explanation_of(cli::Session& session, const Job& job);

}  // namespace muster::arena
