// Controllers: all reconciling code, started together. The same code runs in the engine and in the operator.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ports.h"
#include "client/api_client.h"
#include "control/runtime/kind_choice.h"
#include "control/tensorboard/tensorboard.h"
#include "jobs/kind.h"
#include "jobs/model/where.h"

namespace muster::control {

class Controllers {
 public:
  /// All controllers, on one machine. `is_port_free` returns whether no other program uses a TCP port. `strict` is that
  /// of scheduler/queues.h.
  Controllers(Loop& loop, Rng& rng, client::ApiClient& client, Where where, std::function<bool(int port)> is_port_free,
              TensorBoardOptions tensorboards, bool strict = false);
  /// The controllers of these kinds, on a cluster. They leave alone what another operator runs.
  Controllers(Loop& loop, Rng& rng, client::ApiClient& client, const KindChoices& kinds);
  ~Controllers();
  void start();
  /// Returns true once all objects and other operators have been seen, so that decisions are being made.
  bool is_synced() const;
  /// Adds the metrics of the controllers of a cluster, as text for Prometheus.
  void append_metrics(std::string& out) const;
  /// Returns whether a controller is registered for the kind. Kubernetes' own kinds need none: without one, the API
  /// server, the scheduler or the agent acts on them.
  bool acts_on(const api::Resource& resource) const;

 private:
  struct State;
  std::vector<jobs::JobKind> run_;     // the job kinds of a cluster that are chosen
  std::vector<jobs::JobKind> served_;  // and all that it serves, of which a Cron may make jobs
  std::unique_ptr<State> state_;
};

}  // namespace muster::control
