// Each pod has its own loopback address; /etc/hosts maps the names of pods and services to these addresses. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace muster::agent {

/// Returns an address in 127.0.0.0/8 but outside 127.0.0.0/16 that is not in use, derived from the uid so that a pod
/// keeps its address where possible. "" when none is left, which takes sixteen million pods.
std::string pick_address(std::string_view uid, const std::function<bool(const std::string& address)>& is_used);

/// Returns /etc/hosts for the pods of a namespace: the host's own entries, then a line per pod with its name, its
/// hostname in its subdomain and, while it lives, the services that select it. There is no service proxy: a service
/// name resolves directly to its pods. `pods` and `services` are those of the namespace.
std::string hosts_text(const std::string& ns, std::string_view host_entries,
                       const std::vector<const json::Document*>& pods,
                       const std::vector<const json::Document*>& services);

/// Returns true when the service's selector matches the pod; a service without a selector matches none.
bool selects(const json::Document& service, const json::Document& pod);

}  // namespace muster::agent
