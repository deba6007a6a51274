// The bytes that TCP connections of this machine have carried, from the kernel's inet_diag. Any user may ask.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/fd.h"
#include "base/result.h"

namespace muster::linux_os {

struct TcpBytes {
  std::int64_t received = 0;
  std::int64_t sent = 0;  // and acknowledged by the peer
};
using TcpBytesByInode = std::unordered_map<std::uint64_t, TcpBytes>;
/// All connections of this network namespace by the inode of their socket, IPv4 and IPv6.
Result<TcpBytesByInode> tcp_bytes();
/// Those of the namespace in which a socket of family AF_NETLINK, protocol NETLINK_SOCK_DIAG was opened.
Result<TcpBytesByInode> tcp_bytes(const Fd& diagnosis);

}  // namespace muster::linux_os
