// The resolver of pods: what /etc/resolv.conf says in them. Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster::agent {

/// Whether all name servers are on loopback, as with systemd-resolved: no other network reaches them.
bool is_resolver_local(std::string_view resolv_conf);

/// Replaces the name servers by one; the other lines stay. An empty address leaves the text as it is.
std::string resolver_text(std::string_view resolv_conf, std::string_view address);

}  // namespace muster::agent
