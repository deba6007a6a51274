// Controllers: everything that reconciles, started together. The same code runs in the engine and as the operator.
#pragma once

#include <functional>
#include <memory>

#include "base/ports.h"
#include "client/api_client.h"
#include "control/where.h"

namespace muster::control {

class Controllers {
 public:
  /// `is_port_free` tells whether other programs of this machine leave a TCP port alone; asked for kEngine only.
  Controllers(Loop& loop, Rng& rng, client::ApiClient& client, Where where, std::function<bool(int port)> is_port_free);
  ~Controllers();
  void start();
  /// All that there is has been seen: decisions are being made.
  bool is_synced() const;
  /// Whether a controller is registered for the kind. Kubernetes' own kinds need none: where no controller acts on
  /// them, the API server, the scheduler or the agent does.
  bool acts_on(const api::Resource& resource) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::control
