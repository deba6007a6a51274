#include "main/socket_activation.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/log.h"
#include "net/http_server.h"

namespace muster {
namespace {

constexpr int kFirst = 3;

int number_in(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? 0 : std::atoi(value);
}

}  // namespace

std::vector<Fd> sockets_of_systemd() {
  std::vector<Fd> sockets;
  if (number_in("LISTEN_PID") != ::getpid()) return sockets;
  for (int fd = kFirst; fd < kFirst + number_in("LISTEN_FDS"); ++fd) {
    if (!net::listen_address(fd)) {
      LOG_WARN("a descriptor from systemd is not a TCP socket and is not used", {"descriptor", fd});
      continue;
    }
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    sockets.emplace_back(fd);
  }
  return sockets;
}

}  // namespace muster
