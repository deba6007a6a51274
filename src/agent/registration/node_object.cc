#include "agent/registration/node_object.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "api/muster/node_names.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

using json::Document;
using json::Object;

constexpr std::size_t kLongestLabel = 63;
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

Document condition(const char* type, bool is_true, const char* reason, const std::string& message,
                   const std::string& time) {
  return Document{Object{{"type", type},
                         {"status", is_true ? "True" : "False"},
                         {"reason", reason},
                         {"message", message},
                         {"lastHeartbeatTime", time},
                         {"lastTransitionTime", time}}};
}

std::string open_ports_of(const NetworkPolicy& network) {
  std::vector<std::string> out;
  for (const auto& [address, port] : network.allowed) out.push_back(fmt::format("{}:{}", address, port));
  return join(out, ",");
}

}  // namespace

std::string node_name_of(std::string_view host_name) {
  std::vector<std::string> parts;
  for (std::string& part : split(to_lower(host_name.substr(0, kLongestLabel)), '.')) {
    std::ranges::replace_if(
        part, [](char c) { return !is_digit(c) && (c < 'a' || c > 'z'); }, '-');
    const std::size_t first = part.find_first_not_of('-');
    if (first != std::string::npos) parts.push_back(part.substr(first, part.find_last_not_of('-') + 1 - first));
  }
  return parts.empty() ? "localhost" : join(parts, ".");
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
                                              {"muster.dev/pod-user", machine.is_root ? "root" : "user-namespace"}}},
                            {"annotations", Object{{api::kOpenPortsAnnotation, open_ports_of(options.network)}}}};
  node["spec"] = Object{};
  return node;
}

Document node_status(const Options& options, const Machine& machine, const std::string& disk_problem,
                     const NodeTimes& times) {
  const std::string time = format_rfc3339(times.started);
  const bool has_pressure = !disk_problem.empty();
  Document status{Object{}};
  status["capacity"] = resources_of(options, machine);
  status["allocatable"] = resources_of(options, machine);
  status["conditions"] = json::Array{
      condition("Ready", true, "AgentReady", "the engine's agent runs pods as processes", time),
      condition("DiskPressure", has_pressure, has_pressure ? "DiskNearlyFull" : "EnoughSpace",
                has_pressure ? disk_problem : "the disk of the data directory has more free space than its reserve",
                format_rfc3339(times.disk_changed)),
      condition("LimitsEnforced", machine.cgroups.missing().empty(), "ControlGroups", describe_limits(machine.cgroups),
                time),
      condition("JobNetworks", options.network.own_networks, "Network", describe_network(options.network), time)};
  status["addresses"] = json::Array{Document{Object{{"type", "InternalIP"}, {"address", "127.0.0.1"}}},
                                    Document{Object{{"type", "Hostname"}, {"address", options.node_name}}}};
  status["nodeInfo"] = Object{{"operatingSystem", "linux"},      {"architecture", "amd64"},
                              {"kernelVersion", machine.kernel}, {"containerRuntimeVersion", "muster://process"},
                              {"kubeletVersion", "v1.33.4"},     {"osImage", "linux"}};
  return status;
}

}  // namespace muster::agent
