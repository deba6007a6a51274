// The connections of a server, and which of them make room when there are too many. Private to net/.
//
// A newcomer is a stranger until it shows credentials. Strangers are counted separately, so that they cannot use up the
// places of connections with credentials.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "net/http_server.h"

namespace muster::net {

class Connection;

class ConnectionPool {
 public:
  explicit ConnectionPool(const ServerLimits& limits) : limits_(limits) {}

  /// Returns whether a newcomer may be added now. Returns false while there are too many strangers and even the oldest
  /// still has time left. Newcomers then wait in the kernel's queue, so that a burst of clients loses none.
  bool has_room(MonoTime now) const;
  /// Closes the oldest stranger if there are too many.
  void add(std::shared_ptr<Connection> stranger, MonoTime now);
  /// Closes the least useful connection: the oldest stranger, or else the one that has been idle for longest. Returns
  /// false when all are in use.
  bool evict();

  /// Records that the stranger has shown credentials. Returns false when connections in use occupy all places.
  bool recognise(const Connection& stranger);
  void remove(const Connection& connection);

  std::size_t size() const { return strangers_.size() + known_.size(); }
  std::vector<std::shared_ptr<Connection>> all() const;

 private:
  struct Place {
    std::shared_ptr<Connection> connection;
    MonoTime since;
  };
  bool evict_idle();

  const ServerLimits& limits_;
  std::uint64_t last_ticket_ = 0;
  std::map<std::uint64_t, Place> strangers_;  // by ticket, so the oldest comes first
  std::map<std::uint64_t, Place> known_;
};

}  // namespace muster::net
