// The servers that the contract is checked against: ours in this process, ours over HTTPS, and a real kube-apiserver.
// Each lives as long as the test program; every test has its own namespaces.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "json/document.h"
#include "net/event_loop.h"
#include "net/http.h"
#include "node/node_api.h"

namespace muster::contract {

enum class Where { kInProcess, kOverHttps, kKubernetes };
std::string where_name(Where where);

class World {
 public:
  virtual ~World() = default;
  virtual net::EventLoop& loop() = 0;
  virtual net::Transport& transport() = 0;
  /// The token that clients must present; "" where the connection itself is proof.
  virtual const std::string& token() const = 0;

  /// Drops old revisions, where the server's store supports that; ours does it by itself after enough writes.
  virtual void forget_history() {}

  /// Sets the node that exec is passed to, where the server is ours.
  virtual void set_node(node::NodeApi*) {}

  /// Runs the loop until `done` returns true, at most this long. Returns whether it did.
  bool wait(const std::function<bool()>& done, Duration limit = std::chrono::seconds(30));
};

/// The server, created at the first call; null, with the reason, when it is not available.
std::pair<World*, std::string> world(Where where);
/// Called once at the end of the program, so that servers close their stores in an orderly way.
void close_worlds();

}  // namespace muster::contract
