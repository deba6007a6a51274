// Under which names and addresses other machines find this one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

/// "0.0.0.0" or "::": every address of the machine.
bool is_anywhere(std::string_view host);

/// Returns this machine's host name in lower case, and the names that the text of /etc/hosts has for it, the host name
/// first. A resolver is not asked: it may take seconds, and it may not be there when the machine starts.
std::vector<std::string> names_of_host(const std::string& host_name, std::string_view hosts);

/// Returns the addresses of the network interfaces that are up, loopback and link-local ones left out.
std::vector<std::string> interface_addresses();

/// Returns the address from which this machine talks to others, else its first one, else 127.0.0.1. Nothing is sent.
std::string reachable_address();

/// Returns all names that a server on `host` may be asked under.
std::vector<std::string> server_names(const std::string& host, const std::string& host_name);

}  // namespace muster
