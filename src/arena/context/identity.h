// Who the server takes the user for.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/connect/session.h"

namespace muster::arena {

/// Asks the server for the name of the user.
Result<std::string> user_name(cli::Session& session);
/// Returns the identifier that Arena makes of a name, for labels.
std::string user_id(const std::string& name);

}  // namespace muster::arena
