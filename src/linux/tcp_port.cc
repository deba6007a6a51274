#include "linux/tcp_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

#include "base/fd.h"

namespace muster::linux_os {
namespace {

/// Returns true if the machine lacks the address family: without IPv6 no IPv6 port can be taken.
bool can_listen(int family, const sockaddr* address, socklen_t size) {
  const Fd socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return true;
  const int on = 1;  // ignores lingering connections of an earlier server
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (family == AF_INET6) ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  return ::bind(socket.get(), address, size) == 0 && ::listen(socket.get(), 1) == 0;
}

}  // namespace

bool is_port_free(int port) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(static_cast<std::uint16_t>(port));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = v4.sin_port;
  return can_listen(AF_INET, reinterpret_cast<const sockaddr*>(&v4), sizeof v4) &&
         can_listen(AF_INET6, reinterpret_cast<const sockaddr*>(&v6), sizeof v6);
}

}  // namespace muster::linux_os
