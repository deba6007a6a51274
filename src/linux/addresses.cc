#include "linux/addresses.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/fd.h"

namespace muster::linux_os {
namespace {

/// Only an own address can be bound, and nothing is sent by that.
bool can_bind_to(const sockaddr* address, socklen_t size) {
  const Fd socket(::socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return socket && ::bind(socket.get(), address, size) == 0;
}

}  // namespace

bool is_own_address(const std::string& address) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  if (::inet_pton(AF_INET, address.c_str(), &four.sin_addr) == 1) {
    return four.sin_addr.s_addr != INADDR_ANY && can_bind_to(reinterpret_cast<const sockaddr*>(&four), sizeof four);
  }
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  return ::inet_pton(AF_INET6, address.c_str(), &six.sin6_addr) == 1 && !IN6_IS_ADDR_UNSPECIFIED(&six.sin6_addr) &&
         can_bind_to(reinterpret_cast<const sockaddr*>(&six), sizeof six);
}

}  // namespace muster::linux_os
