#include "agent/node.h"

#include <fmt/core.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/files.h"
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
  for (const auto& [name, quantity] : options.resources) resources.set(name, quantity.text());
  return resources;
}

}  // namespace

Machine look_at_machine() {
  Machine machine;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  machine.cpus = ::sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : ::sysconf(_SC_NPROCESSORS_ONLN);
  machine.memory = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  utsname names{};
  if (::uname(&names) == 0) machine.kernel = names.release;
  machine.is_root = ::geteuid() == 0;
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
  status["conditions"] = json::Array{Document{Object{{"type", "Ready"},
                                                     {"status", "True"},
                                                     {"reason", "AgentReady"},
                                                     {"message", "the engine's agent runs pods as processes"},
                                                     {"lastHeartbeatTime", time},
                                                     {"lastTransitionTime", time}}}};
  status["addresses"] = json::Array{Document{Object{{"type", "InternalIP"}, {"address", "127.0.0.1"}}},
                                    Document{Object{{"type", "Hostname"}, {"address", options.node_name}}}};
  status["nodeInfo"] = Object{{"operatingSystem", "linux"},      {"architecture", "amd64"},
                              {"kernelVersion", machine.kernel}, {"containerRuntimeVersion", "muster://process"},
                              {"kubeletVersion", "v1.33.4"},     {"osImage", "linux"}};
  return status;
}

}  // namespace muster::agent
