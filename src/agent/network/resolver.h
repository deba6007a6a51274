// The resolver of pods: what /etc/resolv.conf says in them. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace muster::agent {

/// Whether a name server of the machine is out of reach for pods in networks of their own, because its address is
/// closed off there (shim/network_closed.c): an address of the machine itself, as with systemd-resolved or a name
/// server that it runs, a link-local one, or one of a cloud's own services. `is_own` returns whether the machine has an
/// address.
bool needs_forwarder(std::string_view resolv_conf, const std::function<bool(const std::string& address)>& is_own);

/// Replaces the name servers by one; the other lines stay. An empty address leaves the text as it is.
std::string resolver_text(std::string_view resolv_conf, std::string_view address);

}  // namespace muster::agent
