#include "control/runtime/controllers.h"

#include <memory>

#include "base/random.h"
#include "client/event_recorder.h"
#include "control/cron/cron.h"
#include "control/deployment/deployment.h"
#include "control/notebook/notebook.h"
#include "control/runtime/jobs.h"
#include "control/runtime/pod_binder.h"
#include "control/runtime/pod_collector.h"
#include "control/runtime/runner.h"
#include "control/runtime/shared_informers.h"

namespace muster::control {

struct Controllers::State {
  State(Loop& loop, Rng& rng, client::ApiClient& client, Where where, std::function<bool(int port)> is_port_free,
        TensorBoardOptions tensorboards, bool strict)
      : events(loop, client, {.component = "muster", .host = ""}),
        informers(loop, rng, client),
        jobs(where, informers, std::move(is_port_free), rng.next()),
        runner(loop, rng, client, events, informers) {
    for (Controller& controller : jobs.controllers()) runner.add(std::move(controller));
    runner.add(notebook_controller(tensorboards.pages_url, [&rng] { return make_token(rng); }));
    runner.add(tensorboard_controller(std::move(tensorboards)));
    runner.add(cron_controller(find_time_zone));
    if (where != Where::kCluster) {
      runner.add(deployment_controller());
      pod_binder = std::make_unique<PodBinder>(loop, client, events, informers, strict);
      pod_collector = std::make_unique<PodCollector>(loop, client, informers);
    }
  }

  void open() {
    synced = true;
    runner.open();
    if (pod_binder != nullptr) pod_binder->open();
    if (pod_collector != nullptr) pod_collector->open();
  }

  client::EventRecorder events;
  SharedInformers informers;
  Jobs jobs;
  Runner runner;
  std::unique_ptr<PodBinder> pod_binder;
  std::unique_ptr<PodCollector> pod_collector;
  bool synced = false;
};

Controllers::Controllers(Loop& loop, Rng& rng, client::ApiClient& client, Where where,
                         std::function<bool(int port)> is_port_free, TensorBoardOptions tensorboards, bool strict)
    : state_(std::make_unique<State>(loop, rng, client, where, std::move(is_port_free), std::move(tensorboards),
                                     strict)) {}

Controllers::~Controllers() = default;

bool Controllers::is_synced() const {
  return state_->synced;
}

bool Controllers::acts_on(const api::Resource& resource) const {
  const bool is_of_scheduler = resource.group == "scheduler.tensorstack.dev" && state_->pod_binder != nullptr;
  return resource.built_in || is_of_scheduler || state_->runner.runs(resource);
}

void Controllers::start() {
  state_->informers.start([this] { state_->open(); });
}

}  // namespace muster::control
