// IP addresses of this machine.
#pragma once

#include <string>

namespace muster::linux_os {

/// Returns whether an interface of this machine has the address, loopback included. False for what is not an address.
bool is_own_address(const std::string& address);

}  // namespace muster::linux_os
