// What the user is told of the Python and the GPUs of a run.
#pragma once

#include <string>
#include <string_view>

#include "cli/connect/session.h"
#include "cli/run/prepare.h"

namespace muster::cli {

/// Returns "python: /usr/bin/python3 (first in PATH), 2 GPUs\n". A script that finds no GPU computes on the processors
/// without a word, so GPUs that it could have are mentioned, with the flag of `command` ("muster run") that takes them.
/// "" if there is nothing to say.
std::string programs_line(Session& session, const PreparedRun& prepared, std::string_view command);

}  // namespace muster::cli
