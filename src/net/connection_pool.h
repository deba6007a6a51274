// Which connections a server holds, and which of them make room when there are too many. Private to net/.
//
// A newcomer is a stranger until it shows credentials. Strangers are counted apart, so that they cannot use up the
// places of those who have shown theirs.
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

  /// Whether a newcomer may be added now. False while there are too many strangers and even the oldest has not had its
  /// time yet: newcomers then wait in the kernel's queue, so that a burst of clients loses none.
  bool has_room(MonoTime now) const;
  /// The oldest stranger goes where there are too many.
  void add(std::shared_ptr<Connection> stranger, MonoTime now);
  /// Closes the connection that is missed least: the oldest stranger, or else the one that is idle for longest. False
  /// when all are in use.
  bool evict();

  /// The stranger has shown credentials. False when all places are taken by connections in use.
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
  std::map<std::uint64_t, Place> strangers_;  // by ticket, so oldest first
  std::map<std::uint64_t, Place> known_;
};

}  // namespace muster::net
