// What this machine can do about networks of jobs.
#pragma once

#include <string>

#include "agent/settings/options.h"
#include "base/result.h"

namespace muster::agent {

/// `mode` is `network` of the configuration: auto, job or host. Makes a network to see whether that works; `directory`
/// is the data folder. Fails when the mode asks for what the machine does not have.
Result<NetworkPolicy> find_network_policy(const std::string& mode, const std::string& directory);

}  // namespace muster::agent
