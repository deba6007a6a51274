// Controllers: all reconciling code, started together. The same code runs in the engine and in the operator.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/ports.h"
#include "client/api_client.h"
#include "control/tensorboard/tensorboard.h"
#include "jobs/model/where.h"

namespace muster::control {

class Controllers {
 public:
  /// `is_port_free` returns whether no other program on this machine uses a TCP port; it is not called for kCluster.
  /// `strict` is that of scheduler/queues.h.
  Controllers(Loop& loop, Rng& rng, client::ApiClient& client, Where where, std::function<bool(int port)> is_port_free,
              TensorBoardOptions tensorboards, bool strict = false);
  ~Controllers();
  void start();
  /// Returns true once all objects have been seen, so that decisions are being made.
  bool is_synced() const;
  /// Returns whether a controller is registered for the kind. Kubernetes' own kinds need none: without one, the API
  /// server, the scheduler or the agent acts on them.
  bool acts_on(const api::Resource& resource) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::control
