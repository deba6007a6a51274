// Which ports of pods the Services of a namespace name. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/network/networks.h"
#include "json/document.h"

namespace muster::agent {

/// Services that belong to an object, such as those of a job's replicas, are for the pods of that object, which share
/// its network; they are left out. `network_of` returns the network of a pod by its uid, "" for the machine's.
ServicePorts service_ports(const std::vector<const json::Document*>& services,
                           const std::vector<const json::Document*>& pods,
                           const std::function<std::string(const std::string& uid)>& network_of);

}  // namespace muster::agent
