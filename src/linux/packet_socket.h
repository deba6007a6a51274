// Sockets that carry packets and open descriptors between processes of this machine (AF_UNIX, SOCK_SEQPACKET).
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace muster::linux_os {

/// Connects to the socket `name` in the folder, whose path may be longer than a socket's address. Non-blocking.
/// NotFound: there is no such socket; ServiceUnavailable: nobody listens to it.
Result<Fd> connect_packet_socket(const std::string& folder, const std::string& name);

/// Listens at the socket `name`, which only this user may connect to. NotFound: there is no such folder.
Result<Fd> listen_packet_socket(const std::string& folder, const std::string& name);

/// Sends one packet with at most eight descriptors, which are duplicated. Never blocks: TooManyRequests when the other
/// side does not read.
Status send_packet(const Fd& socket, std::string_view bytes, std::span<const int> fds);
Status send_packet(const Fd& socket, std::string_view bytes, std::initializer_list<int> fds = {});

struct Packet {
  std::string bytes;
  std::vector<Fd> fds;
};
/// Returns nullopt when no packet is waiting, and an error once the other side is gone. A packet with more than
/// `max_bytes` is truncated.
Result<std::optional<Packet>> receive_packet(const Fd& socket, std::size_t max_bytes);

}  // namespace muster::linux_os
