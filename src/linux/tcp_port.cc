#include "linux/tcp_port.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/fd.h"
#include "base/files.h"
#include "base/strings.h"
#include "linux/process_usage.h"

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

/// Adds the inodes of the connections. One that its process has closed, or has not accepted yet, has the inode 0.
Status add_connections(const char* file, const std::string& address, int port, std::vector<std::uint64_t>& inodes) {
  constexpr std::size_t kLocal = 1;
  constexpr std::size_t kState = 3;
  constexpr std::size_t kInode = 9;
  TRY_ASSIGN(const std::string text, read_file(file));
  const std::string end = fmt::format(":{:04X}", port);
  for (const std::string& line : split(text, '\n')) {
    std::vector<std::string> words = split(line, ' ');
    std::erase(words, "");
    if (words.size() <= kInode || !words[kLocal].ends_with(end) || words[kState] == "0A") continue;  // 0A: listens
    if (!address.empty() && words[kLocal] != address + end) continue;
    const auto inode = parse_int(words[kInode]);
    if (inode && *inode != 0) inodes.push_back(static_cast<std::uint64_t>(*inode));
  }
  return ok();
}

}  // namespace

Result<bool> has_all_connections(const std::string& host, int port) {
  std::vector<std::uint64_t> found;
  TRY(add_connections("/proc/self/net/tcp", kernel_form(host, AF_INET), port, found));
  if (::access("/proc/self/net/tcp6", F_OK) == 0) {
    TRY(add_connections("/proc/self/net/tcp6", kernel_form(host, AF_INET6), port, found));
  }
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
