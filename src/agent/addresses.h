// Each pod has a loopback address of its own, and the names of pods and services lead to it by /etc/hosts. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace muster::agent {

/// 127.x.y.z outside 127.0.0.0/16, not in `used`; the same uid is given the same one when it is free. "" when none is
/// left, which takes sixteen million pods.
std::string pick_address(std::string_view uid, const std::function<bool(const std::string& address)>& is_used);

/// What /etc/hosts says inside the pods of a namespace: the host's own entries, then a line per pod with its name,
/// its hostname in its subdomain, and, while it lives, the services that select it. A service without a cluster address
/// of its own (there is no proxy) resolves to its pods. `pods` and `services` are those of the namespace.
std::string hosts_text(const std::string& ns, std::string_view host_entries,
                       const std::vector<const json::Document*>& pods,
                       const std::vector<const json::Document*>& services);

/// Whether a service's selector picks the pod; a service without one picks none.
bool selects(const json::Document& service, const json::Document& pod);

}  // namespace muster::agent
