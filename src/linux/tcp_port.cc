#include "linux/tcp_port.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/fd.h"
#include "base/files.h"
#include "base/strings.h"
#include "linux/process_usage.h"

namespace muster::linux_os {
namespace {

Error unavailable(std::string message) {
  return Error{.reason = Reason::kServiceUnavailable, .message = std::move(message)};
}

/// Returns true if the machine lacks the address family: without IPv6 no IPv6 port can be taken.
bool can_listen(int family, const sockaddr* address, socklen_t size) {
  const Fd socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return true;
  const int on = 1;  // ignores lingering connections of an earlier server
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (family == AF_INET6) ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  return ::bind(socket.get(), address, size) == 0 && ::listen(socket.get(), 1) == 0;
}

/// The address as /proc/net/tcp and tcp6 write it; "" for all addresses.
std::string kernel_form(const std::string& host, int family) {
  constexpr const char* kMapped = "0000000000000000FFFF0000";  // IPv4 over an IPv6 socket
  in_addr v4{};
  in6_addr v6{};
  if (::inet_pton(AF_INET, host.c_str(), &v4) == 1 && v4.s_addr != INADDR_ANY) {
    return fmt::format("{}{:08X}", family == AF_INET6 ? kMapped : "", v4.s_addr);
  }
  if (::inet_pton(AF_INET6, host.c_str(), &v6) == 1 && !IN6_IS_ADDR_UNSPECIFIED(&v6)) {
    if (family == AF_INET) return "none";
    const auto* words = reinterpret_cast<const std::uint32_t*>(&v6);
    return fmt::format("{:08X}{:08X}{:08X}{:08X}", words[0], words[1], words[2], words[3]);
  }
  return "";
}

std::string port_form(int port) {
  return fmt::format(":{:04X}", port);
}

/// A line of /proc/net/tcp or tcp6. A connection that its process has closed, or has not accepted yet, has the inode 0.
struct TcpRow {
  std::string local;  // in the kernel's form, address and port
  std::string peer;   // the same
  bool listens = false;
  std::uint64_t inode = 0;
};

Status visit_rows(const char* file, int port, const auto& visit) {
  constexpr std::size_t kLocal = 1;
  constexpr std::size_t kPeer = 2;
  constexpr std::size_t kState = 3;
  constexpr std::size_t kInode = 9;
  TRY_ASSIGN(const std::string text, read_file(file));
  const std::string end = port_form(port);
  for (const std::string& line : split(text, '\n')) {
    if (line.find(end) == std::string::npos) continue;
    std::vector<std::string> words = split(line, ' ');
    std::erase(words, "");
    if (words.size() <= kInode || !words[kLocal].ends_with(end)) continue;
    visit(TcpRow{.local = words[kLocal],
                 .peer = words[kPeer],
                 .listens = words[kState] == "0A",
                 .inode = static_cast<std::uint64_t>(parse_int(words[kInode]).value_or(0))});
  }
  return ok();
}

/// Visits those of both families that have this port at their own end.
Status visit_rows_of_port(int port, const auto& visit) {
  TRY(visit_rows("/proc/self/net/tcp", port, [&](const TcpRow& row) { visit(AF_INET, row); }));
  if (::access("/proc/self/net/tcp6", F_OK) != 0) return ok();
  return visit_rows("/proc/self/net/tcp6", port, [&](const TcpRow& row) { visit(AF_INET6, row); });
}

Result<std::pair<std::string, int>> name_of(const char* which, int (*get)(int, sockaddr*, socklen_t*), int socket) {
  sockaddr_in name{};
  socklen_t size = sizeof name;
  if (get(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) return errno_error(which, errno);
  char text[INET_ADDRSTRLEN] = {};
  if (name.sin_family != AF_INET || ::inet_ntop(AF_INET, &name.sin_addr, text, sizeof text) == nullptr)
    return errno_error(which, EAFNOSUPPORT);
  return std::pair(std::string(text), int{ntohs(name.sin_port)});
}

}  // namespace

Result<TcpEnds> ends_of(int socket) {
  TRY_ASSIGN(const auto own, name_of("getsockname", ::getsockname, socket));
  TRY_ASSIGN(const auto peer, name_of("getpeername", ::getpeername, socket));
  return TcpEnds{.address = own.first, .port = own.second, .peer_address = peer.first, .peer_port = peer.second};
}

Result<std::vector<std::uint64_t>> receivers_of(const TcpEnds& ends) {
  // The sockets that listen are read first. If the connection is not accepted after that, it is one of theirs.
  std::vector<std::uint64_t> listening;
  const std::string every[] = {"00000000", std::string(32, '0')};
  TRY(visit_rows_of_port(ends.peer_port, [&](int family, const TcpRow& row) {
    const std::string address = row.local.substr(0, row.local.find(':'));
    const bool is_there =
        address == every[family == AF_INET6 ? 1 : 0] || address == kernel_form(ends.peer_address, family);
    if (row.listens && is_there) listening.push_back(row.inode);
  }));
  std::optional<std::uint64_t> other_end;
  TRY(visit_rows_of_port(ends.peer_port, [&](int family, const TcpRow& row) {
    const bool is_it = !row.listens &&
                       row.local == kernel_form(ends.peer_address, family) + port_form(ends.peer_port) &&
                       row.peer == kernel_form(ends.address, family) + port_form(ends.port);
    if (is_it) other_end = row.inode;
  }));
  const std::string place = fmt::format("{}:{}", ends.peer_address, ends.peer_port);
  if (!other_end) return unavailable(place + ": the connection is not one of this machine, or has ended");
  if (*other_end != 0) return std::vector{*other_end};
  if (listening.empty()) return unavailable(place + ": nothing listens there any more");
  return listening;
}

Result<bool> has_all_connections(const std::string& host, int port) {
  std::vector<std::uint64_t> found;
  TRY(visit_rows_of_port(port, [&](int family, const TcpRow& row) {
    const std::string address = kernel_form(host, family);
    const bool is_there = address.empty() || row.local == address + port_form(port);
    if (!row.listens && is_there && row.inode != 0) found.push_back(row.inode);
  }));
  const std::vector<std::uint64_t> own = socket_inodes(::getpid());
  return std::ranges::all_of(found, [&own](std::uint64_t inode) { return std::ranges::find(own, inode) != own.end(); });
}

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
