// Variables of a job that lead to the loopback of this machine, where a job in a network of its own finds nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/connect/session.h"
#include "cli/run/prepare.h"

namespace muster::cli {

/// Returns the address and port of loopback that the value of a variable leads to, as the configuration names them:
/// "127.0.0.1:5000". nullopt for other values. Values without a scheme count only in proxy variables.
std::optional<std::string> loopback_address(const std::string& variable, std::string_view value);

/// Lines about the variables of the run that lead to ports of this machine which its job does not reach.
std::vector<std::string> loopback_notes(Session& session, const PreparedRun& prepared);

}  // namespace muster::cli
