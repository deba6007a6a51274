// Each pod has its own loopback address; /etc/hosts maps the names of pods and services to these addresses. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace muster::agent {

/// Returns an address in 127.0.0.0/8 but outside 127.0.0.0/16 that is not in use, derived from the uid so that a pod
/// keeps its address where possible. "" when none is left, which takes sixteen million pods.
std::string pick_address(std::string_view uid, const std::function<bool(const std::string& address)>& is_used);

/// Returns what identifies the network of a pod; "" for the machine's.
using NetworkOfPod = std::function<std::string(const json::Document& pod)>;

/// Lines of /etc/hosts for the pods of one namespace: each pod's name, its hostname in its subdomain and, while it
/// lives, the services that select it. There is no service proxy: a service name resolves directly to its pods.
struct NamespaceNames {
  std::string inside;   // with the short names too, for pods of the same namespace
  std::string outside;  // only names that end with the namespace or with .cluster.local
  /// By network, for the pods in it: theirs, and of other networks only what Services of the namespace lead to.
  /// Services that belong to an object are for the network of that object (service_ports.h).
  std::map<std::string, std::string> networks;
};
NamespaceNames namespace_names(const std::string& ns, const std::vector<const json::Document*>& pods,
                               const std::vector<const json::Document*>& services, const NetworkOfPod& network_of);

/// Returns /etc/hosts for the pods of `ns`: the host's own entries, then the names of its own and of all other
/// namespaces.
std::string hosts_text(const std::string& ns, std::string_view host_entries,
                       const std::map<std::string, NamespaceNames>& names);

/// Returns true when the service's selector matches the pod; a service without a selector matches none.
bool selects(const json::Document& service, const json::Document& pod);

}  // namespace muster::agent
