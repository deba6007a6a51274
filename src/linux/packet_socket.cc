#include "linux/packet_socket.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "base/strings.h"

namespace muster::linux_os {
namespace {

constexpr std::size_t kMaxFds = 8;

/// Room for the descriptors of one packet.
union Control {
  cmsghdr align;
  char bytes[CMSG_SPACE(kMaxFds * sizeof(int))];
};

/// The address of a socket in a folder. It goes through /proc, because it may be longer than an address can be.
struct Place {
  Fd folder;  // open while the address is in use
  sockaddr_un unix_address{};
  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&unix_address); }
};

Result<Place> place_in(const std::string& folder, const std::string& name, const std::string& what) {
  Place place;
  place.folder = Fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!place.folder) return errno_error(what, errno);
  place.unix_address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", place.folder.get(), name);
  if (path.size() >= sizeof place.unix_address.sun_path) return errno_error(what, ENAMETOOLONG);
  std::memcpy(place.unix_address.sun_path, path.data(), path.size());
  return place;
}

std::vector<Fd> take_fds(msghdr& header) {
  std::vector<Fd> fds;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
      fds.emplace_back(fd);
    }
  }
  return fds;
}

}  // namespace

Result<Fd> connect_packet_socket(const std::string& folder, const std::string& name) {
  const std::string what = fmt::format("connect to {}", quote(folder + "/" + name));
  TRY_ASSIGN(const Place place, place_in(folder, name, what));
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return errno_error(what, errno);
  if (::connect(socket.get(), place.address(), sizeof place.unix_address) != 0) {
    Error error = errno_error(what, errno);
    error.reason = errno == ENOENT ? Reason::kNotFound : Reason::kServiceUnavailable;
    return error;
  }
  return socket;
}

Result<Fd> listen_packet_socket(const std::string& folder, const std::string& name) {
  constexpr int kBacklog = 1024;
  const std::string what = fmt::format("listen on {}", quote(folder + "/" + name));
  TRY_ASSIGN(const Place place, place_in(folder, name, what));
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket) return errno_error(what, errno);
  // Nobody can connect between bind and listen, so the socket never has a wider mode.
  if (::bind(socket.get(), place.address(), sizeof place.unix_address) != 0 ||
      ::fchmodat(place.folder.get(), name.c_str(), 0600, 0) != 0 || ::listen(socket.get(), kBacklog) != 0) {
    return errno_error(what, errno);
  }
  return socket;
}

Status send_packet(const Fd& socket, std::string_view bytes, std::initializer_list<int> fds) {
  return send_packet(socket, bytes, std::span(fds.begin(), fds.size()));
}

Status send_packet(const Fd& socket, std::string_view bytes, std::span<const int> fds) {
  Control control{};
  iovec piece{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  if (fds.size() > 0) {
    header.msg_control = control.bytes;
    header.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr* c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(c), fds.data(), fds.size_bytes());
  }
  ssize_t n = 0;
  do {
    n = ::sendmsg(socket.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  if (n >= 0) return ok();
  Error error = errno_error("send a packet", errno);
  error.reason = errno == EAGAIN ? Reason::kTooManyRequests : Reason::kServiceUnavailable;
  return error;
}

Result<std::optional<Packet>> receive_packet(const Fd& socket, std::size_t max_bytes) {
  Packet packet;
  packet.bytes.resize(max_bytes);
  Control control{};
  iovec piece{.iov_base = packet.bytes.data(), .iov_len = packet.bytes.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  header.msg_control = control.bytes;
  header.msg_controllen = sizeof control.bytes;
  ssize_t n = 0;
  do {
    n = ::recvmsg(socket.get(), &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  if (n < 0 && errno == EAGAIN) return std::optional<Packet>();
  if (n < 0) return errno_error("receive a packet", errno);
  if (n == 0) return Error{.reason = Reason::kServiceUnavailable, .message = "the other side has closed the socket"};
  packet.bytes.resize(static_cast<std::size_t>(n));
  packet.fds = take_fds(header);
  return std::optional<Packet>(std::move(packet));
}

}  // namespace muster::linux_os
