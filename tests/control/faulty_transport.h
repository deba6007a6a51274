// FaultyTransport: a network between a client and the server that delays requests and answers, so that they overtake
// each other, loses some of either, and breaks watches. What it does depends on the random numbers alone.
#pragma once

#include <memory>

#include "base/ports.h"
#include "net/http.h"
#include "testing/seeded_rng.h"

namespace muster::control {

class FaultyTransport final : public net::Transport {
 public:
  /// All of them outlive this object and its calls.
  FaultyTransport(Loop& loop, testing::SeededRng& rng, net::Transport& server)
      : loop_(loop), rng_(rng), server_(server) {}

  std::unique_ptr<net::Call> send(net::Request request, net::ResponseSink sink) override;

  bool has_faults = true;

 private:
  struct Flight;
  class FlightCall;

  bool happens(std::uint64_t percent) { return has_faults && rng_.below(100) < percent; }
  Duration delay();
  void break_later(const std::shared_ptr<Flight>& flight);

  Loop& loop_;
  testing::SeededRng& rng_;
  net::Transport& server_;
};

}  // namespace muster::control
