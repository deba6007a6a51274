#include "net/unix_peer.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/fd.h"

// From asm-generic/socket.h of Linux 6.5.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

namespace muster::net {
namespace {

/// Before Linux 6.5 the pid might already be another process's; the peer must be quick to use that, and lucky.
Fd open_peer(int socket, pid_t pid) {
  int pidfd = -1;
  socklen_t length = sizeof pidfd;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length) == 0) return Fd(pidfd);
  return errno == ENOPROTOOPT && pid > 0 ? Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) : Fd();
}

bool has_exited(const Fd& pidfd) {
  pollfd look{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
  return ::poll(&look, 1, 0) != 0;
}

bool in_same_user_namespace(const std::string& process) {
  struct stat theirs {};
  struct stat ours {};
  return ::stat((process + "/ns/user").c_str(), &theirs) == 0 && ::stat("/proc/self/ns/user", &ours) == 0 &&
         theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

}  // namespace

UnixPeer unix_peer(int socket) {
  ucred credentials{};
  socklen_t length = sizeof credentials;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return UnixPeer::kOtherUser;
  if (credentials.uid != ::geteuid()) return UnixPeer::kOtherUser;
  const Fd pidfd = open_peer(socket, credentials.pid);
  const bool same = pidfd.get() >= 0 && in_same_user_namespace(fmt::format("/proc/{}", credentials.pid));
  // The pid was the peer's while /proc was read, if the peer still lives.
  return same && !has_exited(pidfd) ? UnixPeer::kSameUser : UnixPeer::kOtherNamespace;
}

}  // namespace muster::net
