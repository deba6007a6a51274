// The Node object: what this machine offers. It needs no heartbeat: the engine and its node live and die together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "agent/launch/gpu_device.h"
#include "base/time.h"
#include "json/document.h"
#include "linux/cgroup.h"

namespace muster::agent {

struct Machine {
  std::int64_t cpus = 1;
  std::int64_t memory = 0;  // bytes
  std::string kernel;
  bool is_root = false;
  linux_os::CgroupTree cgroups;
  std::vector<GpuDevice> gpus;
};
Machine look_at_machine(const Options& options);
/// The name of the parent of an engine's control groups: several engines on one machine do not share one.
std::string cgroup_name(const std::string& data_directory);
/// Says what keeps the limits of containers, or which are not kept and why.
std::string describe_limits(const linux_os::CgroupTree& cgroups);

json::Document node_object(const Options& options, const Machine& machine);
/// Returns the status, which is written to the subresource.
json::Document node_status(const Options& options, const Machine& machine, Time now);

}  // namespace muster::agent
