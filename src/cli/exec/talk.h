// Connects the user's terminal to the script of a job of `muster run -i` or `-t`, and reports how the job ended.
#pragma once

#include "cli/connect/session.h"
#include "cli/objects/selection.h"
#include "cli/terminal/console.h"

namespace muster::cli {

/// Shows what the script has written since it started, also when it ends before it can be connected. Returns the exit
/// code as follow_job does.
int talk_to_job(Session& session, const Selected& job, const json::Document& object, const Console& console);

}  // namespace muster::cli
