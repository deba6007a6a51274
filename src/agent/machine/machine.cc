#include "agent/machine/machine.h"

#include <fmt/core.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/log.h"
#include "shim/format.h"

namespace muster::agent {
namespace {

std::vector<linux_os::Gpu> found_gpus(const Options& options) {
  if (options.gpus == nullptr) return {};
  auto found = options.gpus->devices();
  if (found) return *std::move(found);
  LOG_WARN("GPUs cannot be used", {"error", found.error().message});
  return {};
}

std::optional<std::int64_t> declared_gpus(const Options& options) {
  const auto declared = options.resources.find(kGpuResource);
  return declared == options.resources.end() ? std::nullopt : std::optional(declared->second.value());
}

}  // namespace

std::string cgroup_name(const std::string& data_directory) {
  return fmt::format("muster-{:016x}", muster_checksum(data_directory.data(), data_directory.size()));
}

std::string describe_limits(const linux_os::CgroupTree& cgroups) {
  using Version = linux_os::CgroupTree::Version;
  if (!cgroups.missing().empty()) {
    const std::string cpu = cgroups.has("cpu") ? "limits of CPU are enforced" : "limits of CPU are not enforced";
    const std::string memory =
        cgroups.has("memory")
            ? "limits of memory are enforced"
            : "the engine measures the memory of containers every 2 s and ends those over their limit";
    return fmt::format("{}, and {}: {}", cpu, memory, cgroups.missing());
  }
  return fmt::format("limits of CPU and memory are enforced by control groups version {}",
                     cgroups.version() == Version::kV2 ? 2 : 1);
}

Machine look_at_machine(const Options& options) {
  Machine machine;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  machine.cpus = ::sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : ::sysconf(_SC_NPROCESSORS_ONLN);
  machine.memory = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  utsname names{};
  if (::uname(&names) == 0) machine.kernel = names.release;
  machine.is_root = ::geteuid() == 0;
  machine.cgroups = linux_os::CgroupTree::find(cgroup_name(options.directory));
  machine.gpus = offered_gpus(found_gpus(options), declared_gpus(options));
  return machine;
}

std::string describe_network(const NetworkPolicy& policy) {
  if (!policy.own_networks) {
    return policy.missing.empty()
               ? "pods share the network of the machine, as `network: host` says"
               : "pods share the network of the machine, and reach its ports and each other's: " + policy.missing;
  }
  std::string text = policy.missing.empty()
                         ? "each job has a network of its own; pasta connects it with the outside"
                         : "each job has a network of its own, without a way to the outside: " + policy.missing;
  if (!policy.takes_ports.empty())
    text += "; pods of other jobs cannot listen on the port of a Service: " + policy.takes_ports;
  return text;
}

}  // namespace muster::agent
