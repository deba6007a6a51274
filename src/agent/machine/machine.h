// What this machine has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/machine/gpu_device.h"
#include "agent/settings/options.h"
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
/// Says which network pods have, and why not one of their own.
std::string describe_network(const NetworkPolicy& policy);

}  // namespace muster::agent
