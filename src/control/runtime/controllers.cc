#include "control/runtime/controllers.h"

#include <memory>

#include "api/names.h"
#include "api/resource.h"
#include "base/check.h"
#include "control/runtime/event_recorder.h"
#include "control/runtime/job_runner.h"
#include "control/runtime/scheduler.h"

namespace muster::control {

namespace {

client::ResourceName pods_resource() {
  const api::Resource* resource = api::find_resource("", "v1", "pods");
  CHECK(resource != nullptr);
  return *resource;
}

/// On a cluster most pods are others'; on one machine the scheduler has to see all.
client::ListOptions pods_of_interest(Where where) {
  client::ListOptions options;
  if (where == Where::kCluster) options.label_selector = api::kGroupNameLabel;
  return options;
}

}  // namespace

struct Controllers::State {
  State(Loop& loop, Rng& rng, client::ApiClient& client, Where where, std::function<bool(int port)> is_port_free)
      : events(loop, client, "muster"),
        runner(loop, rng, client, events, pods, where == Where::kEngine ? Network::kShared : Network::kPerPod,
               std::move(is_port_free)),
        pod_informer(loop, rng, client, pods_resource(), pods_of_interest(where),
                     [this](const client::Informer::Key& key, const json::Document*, const json::Document* now) {
                       on_pod(key, now);
                     }) {
    if (where == Where::kEngine) scheduler = std::make_unique<Scheduler>(loop, rng, client, events, pods);
  }

  void on_pod(const client::Informer::Key& key, const json::Document* now) {
    const auto [before, after] = pods.update(key, now);
    runner.on_pod(before.get(), after.get());
    if (scheduler != nullptr) scheduler->wake();
  }

  void one_synced() {
    if (--unsynced > 0) return;
    runner.open();
    if (scheduler != nullptr) scheduler->open();
  }

  EventRecorder events;
  PodIndex pods;
  JobRunner runner;
  std::unique_ptr<Scheduler> scheduler;
  client::Informer pod_informer;  // last: it calls into all of the above
  int unsynced = 2;
};

Controllers::Controllers(Loop& loop, Rng& rng, client::ApiClient& client, Where where,
                         std::function<bool(int port)> is_port_free)
    : state_(std::make_unique<State>(loop, rng, client, where, std::move(is_port_free))) {}

Controllers::~Controllers() = default;

bool Controllers::is_synced() const {
  return state_->unsynced == 0;
}

void Controllers::start() {
  State& state = *state_;
  if (state.scheduler != nullptr) ++state.unsynced;
  state.pod_informer.when_synced([&state] { state.one_synced(); });
  state.pod_informer.start();
  state.runner.start([&state] { state.one_synced(); });
  if (state.scheduler != nullptr) state.scheduler->start([&state] { state.one_synced(); });
}

}  // namespace muster::control
