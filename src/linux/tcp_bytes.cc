#include "linux/tcp_bytes.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/fd.h"

namespace muster::linux_os {
namespace {

using BytesByInode = TcpBytesByInode;

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
constexpr std::uint32_t kListening = 1U << 10;  // TCP_LISTEN, which carries nothing

Status ask_for(const Fd& socket, int family) {
  struct {
    nlmsghdr header;
    inet_diag_req_v2 request;
  } message{};
  message.header.nlmsg_len = sizeof message;
  message.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  message.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  message.request.sdiag_family = static_cast<std::uint8_t>(family);
  message.request.sdiag_protocol = IPPROTO_TCP;
  message.request.idiag_ext = 1U << (INET_DIAG_INFO - 1);
  message.request.idiag_states = ~kListening;
  if (::send(socket.get(), &message, sizeof message, 0) == static_cast<ssize_t>(sizeof message)) return ok();
  return errno_error("ask inet_diag", errno);
}

/// One connection: the fixed part, then attributes, of which INET_DIAG_INFO holds as much of tcp_info as this kernel
/// knows.
void take_connection(const nlmsghdr* message, BytesByInode& found) {
  const auto* connection = static_cast<const inet_diag_msg*>(NLMSG_DATA(message));
  if (connection->idiag_inode == 0) return;  // closed by its program already
  int left = static_cast<int>(message->nlmsg_len - NLMSG_LENGTH(sizeof *connection));
  for (const auto* attribute = reinterpret_cast<const rtattr*>(connection + 1); RTA_OK(attribute, left);
       attribute = RTA_NEXT(attribute, left)) {
    if (attribute->rta_type != INET_DIAG_INFO) continue;
    tcp_info info{};
    std::memcpy(&info, RTA_DATA(attribute), std::min<std::size_t>(RTA_PAYLOAD(attribute), sizeof info));
    found[connection->idiag_inode] = {.received = static_cast<std::int64_t>(info.tcpi_bytes_received),
                                      .sent = static_cast<std::int64_t>(info.tcpi_bytes_acked)};
  }
}

/// Returns true after the last message of the dump.
Result<bool> take_messages(const std::vector<std::byte>& buffer, std::size_t size, BytesByInode& found) {
  auto left = static_cast<unsigned>(size);
  for (const auto* message = reinterpret_cast<const nlmsghdr*>(buffer.data()); NLMSG_OK(message, left);
       message = NLMSG_NEXT(message, left)) {
    if (message->nlmsg_type == NLMSG_DONE) return true;
    if (message->nlmsg_type == NLMSG_ERROR) {
      return errno_error("inet_diag", -static_cast<const nlmsgerr*>(NLMSG_DATA(message))->error);
    }
    if (message->nlmsg_type == SOCK_DIAG_BY_FAMILY) take_connection(message, found);
  }
  return false;
}

Status dump(const Fd& socket, int family, BytesByInode& found) {
  TRY(ask_for(socket, family));
  std::vector<std::byte> buffer(kBufferBytes);
  for (;;) {
    const ssize_t size = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return errno_error("read from inet_diag", errno);
    TRY_ASSIGN(const bool done, take_messages(buffer, static_cast<std::size_t>(size), found));
    if (done) return ok();
  }
}

}  // namespace

Result<TcpBytesByInode> tcp_bytes() {
  const Fd socket(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!socket) return errno_error("open a socket for inet_diag", errno);
  return tcp_bytes(socket);
}

Result<TcpBytesByInode> tcp_bytes(const Fd& socket) {
  BytesByInode found;
  for (const int family : {AF_INET, AF_INET6}) TRY(dump(socket, family, found));
  return found;
}

}  // namespace muster::linux_os
