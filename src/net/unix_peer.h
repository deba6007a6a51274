// Who connected to a Unix socket, as the kernel knows it.
#pragma once

namespace muster::net {

enum class UnixPeer {
  kSameUser,
  kOtherUser,
  kOtherNamespace,  // our user id, but in another user namespace, where it means somebody else
};
/// A peer with our user id that has already ended or cannot be seen from here counts as one from another namespace.
UnixPeer unix_peer(int socket);

}  // namespace muster::net
