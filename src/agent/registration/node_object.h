// The Node object: what this machine offers. It needs no heartbeat: the engine and its node live and die together.
#pragma once

#include <string>
#include <string_view>

#include "agent/machine/machine.h"
#include "agent/settings/options.h"
#include "base/time.h"
#include "json/document.h"

namespace muster::agent {

/// Returns the name of the machine's Node, which is a label as well. Linux permits host names that are neither.
std::string node_name_of(std::string_view host_name);
json::Document node_object(const Options& options, const Machine& machine);
/// When the conditions got their values.
struct NodeTimes {
  Time started{};
  Time disk_changed{};
};
/// Returns the status, which is written to the subresource. `disk_problem` is "" while the disk has space.
json::Document node_status(const Options& options, const Machine& machine, const std::string& disk_problem,
                           const NodeTimes& times);

}  // namespace muster::agent
