#include "agent/node.h"

#include <fmt/core.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/shim/format.h"
#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

using json::Document;
using json::Object;

// Loopback addresses, descriptors and inotify watches allow far more, but a scheduler needs a number.
constexpr int kMaxPods = 1000;

Object resources_of(const Options& options, const Machine& machine) {
  Object resources{{"cpu", std::to_string(machine.cpus)},
                   {"memory", fmt::format("{}Ki", machine.memory / 1024)},
                   {"pods", std::to_string(kMaxPods)}};
  if (!machine.gpus.empty()) resources.set(kGpuResource, std::to_string(machine.gpus.size()));
  for (const auto& [name, quantity] : options.resources) resources.set(name, quantity.text());
  return resources;
}

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

Document condition(const char* type, bool is_true, const char* reason, const std::string& message,
                   const std::string& time) {
  return Document{Object{{"type", type},
                         {"status", is_true ? "True" : "False"},
                         {"reason", reason},
                         {"message", message},
                         {"lastHeartbeatTime", time},
                         {"lastTransitionTime", time}}};
}

}  // namespace

std::string cgroup_name(const std::string& data_directory) {
  return fmt::format("muster-{:016x}", muster_checksum(data_directory.data(), data_directory.size()));
}

std::string describe_limits(const linux_os::CgroupTree& cgroups) {
  using Version = linux_os::CgroupTree::Version;
  if (!cgroups.missing().empty()) return "not all limits of CPU and memory are enforced: " + cgroups.missing();
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

Document node_object(const Options& options, const Machine& machine) {
  Document node{Object{}};
  node["apiVersion"] = "v1";
  node["kind"] = "Node";
  node["metadata"] = Object{{"name", options.node_name},
                            {"labels", Object{{"kubernetes.io/hostname", options.node_name},
                                              {"kubernetes.io/os", "linux"},
                                              {"kubernetes.io/arch", "amd64"},
                                              {"muster.dev/runtime", "process"},
                                              {"node-role.kubernetes.io/master", ""},
                                              // With a user namespace, the pods' root is the engine's user.
                                              {"muster.dev/pod-user", machine.is_root ? "root" : "user-namespace"}}}};
  node["spec"] = Object{};
  return node;
}

Document node_status(const Options& options, const Machine& machine, Time now) {
  const std::string time = format_rfc3339(now);
  Document status{Object{}};
  status["capacity"] = resources_of(options, machine);
  status["allocatable"] = resources_of(options, machine);
  status["conditions"] =
      json::Array{condition("Ready", true, "AgentReady", "the engine's agent runs pods as processes", time),
                  condition("LimitsEnforced", machine.cgroups.missing().empty(), "ControlGroups",
                            describe_limits(machine.cgroups), time)};
  status["addresses"] = json::Array{Document{Object{{"type", "InternalIP"}, {"address", "127.0.0.1"}}},
                                    Document{Object{{"type", "Hostname"}, {"address", options.node_name}}}};
  status["nodeInfo"] = Object{{"operatingSystem", "linux"},      {"architecture", "amd64"},
                              {"kernelVersion", machine.kernel}, {"containerRuntimeVersion", "muster://process"},
                              {"kubeletVersion", "v1.33.4"},     {"osImage", "linux"}};
  return status;
}

}  // namespace muster::agent
