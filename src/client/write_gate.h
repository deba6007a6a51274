// WriteGate: lets the writes of a leader pass, and only while it leads. Reading is always allowed.
#pragma once

#include <functional>
#include <memory>

#include "base/ports.h"
#include "net/http.h"

namespace muster::client {

/// Loop thread only.
class WriteGate final : public net::Transport {
 public:
  /// `may_write` is asked before each write.
  WriteGate(Loop& loop, net::Transport& inner, std::function<bool()> may_write)
      : loop_(loop), inner_(inner), may_write_(std::move(may_write)), under_way_(std::make_shared<int>(0)) {}
  std::unique_ptr<net::Call> send(net::Request request, net::ResponseSink sink) override;
  /// Refuses all further writes.
  void close() { closed_ = true; }
  /// Whether no write waits for its answer.
  bool is_idle() const { return *under_way_ == 0; }

 private:
  Loop& loop_;
  net::Transport& inner_;
  std::function<bool()> may_write_;
  bool closed_ = false;
  std::shared_ptr<int> under_way_;
};

}  // namespace muster::client
