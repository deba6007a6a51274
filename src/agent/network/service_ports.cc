#include "agent/network/service_ports.h"

#include "agent/names/addresses.h"
#include "agent/pod/pod_facts.h"
#include "api/owners.h"

namespace muster::agent {
namespace {

using json::Document;

/// Returns the port of that name; 0 when the pod has none.
int named_port(const Document& pod, const std::string& name) {
  for (const Document& container : pod.array_at("spec", "containers")) {
    for (const Document& port : container.array_at("ports")) {
      if (port.string_at("name") == name) return static_cast<int>(port.int_at("containerPort"));
    }
  }
  return 0;
}

int target_of(const Document& port, const Document& pod) {
  const Document* target = port.find("targetPort");
  if (target == nullptr) return static_cast<int>(port.int_at("port"));
  return target->is_string() ? named_port(pod, target->as_string()) : static_cast<int>(target->as_int());
}

void add_ports(const Document& service, const Document& pod, const std::string& network, ServicePorts& found) {
  const std::string& address = pod.string_at("status", "podIP");
  for (const Document& port : service.array_at("spec", "ports")) {
    const std::string& protocol = port.string_at("protocol");
    const int target = target_of(port, pod);
    if ((!protocol.empty() && protocol != "TCP") || target == 0) continue;
    found.emplace(std::pair(address, static_cast<int>(port.int_at("port"))), ServicePort{network, target});
  }
}

}  // namespace

ServicePorts service_ports(const std::vector<const Document*>& services, const std::vector<const Document*>& pods,
                           const std::function<std::string(const std::string& uid)>& network_of) {
  ServicePorts found;
  for (const Document* service : services) {
    if (api::controller_of(*service) != nullptr) continue;
    for (const Document* pod : pods) {
      if (has_ended(*pod) || pod->string_at("status", "podIP").empty() || !selects(*service, *pod)) continue;
      const std::string network = network_of(pod->string_at("metadata", "uid"));
      if (!network.empty()) add_ports(*service, *pod, network, found);
    }
  }
  return found;
}

}  // namespace muster::agent
