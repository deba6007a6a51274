// The Node object: what this machine offers. It needs no heartbeat: the engine and its node live and die together.
#pragma once

#include <cstdint>
#include <string>

#include "agent/agent.h"
#include "base/time.h"
#include "json/document.h"

namespace muster::agent {

struct Machine {
  std::int64_t cpus = 1;
  std::int64_t memory = 0;  // bytes
  std::string kernel;
  bool is_root = false;
};
Machine look_at_machine();

json::Document node_object(const Options& options, const Machine& machine);
/// Returns the status, which is written to the subresource.
json::Document node_status(const Options& options, const Machine& machine, Time now);

}  // namespace muster::agent
