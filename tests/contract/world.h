// The servers the contract is checked against: ours in this process, ours over HTTPS, and a real kube-apiserver. Each
// lives as long as the test program; tests keep apart by making namespaces of their own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "json/document.h"
#include "net/event_loop.h"
#include "net/http.h"

namespace muster::contract {

enum class Where { kInProcess, kOverHttps, kKubernetes };
std::string where_name(Where where);

class World {
 public:
  virtual ~World() = default;
  virtual net::EventLoop& loop() = 0;
  virtual net::Transport& transport() = 0;
  /// What clients must present; "" where the connection itself is proof.
  virtual const std::string& token() const = 0;

  /// Where the server's own store can be told to; ours forgets by itself after enough writes.
  virtual void forget_history() {}

  /// Runs the loop until `done`, at most this long; whether it came true.
  bool wait(const std::function<bool()>& done, Duration limit = std::chrono::seconds(30));
};

/// Null, with the reason, where that server cannot be had. Made at the first call.
std::pair<World*, std::string> world(Where where);
/// Called once at the end of the program: servers close their stores in order.
void close_worlds();

}  // namespace muster::contract
