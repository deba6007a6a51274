#include "control/runtime/controllers.h"

#include <algorithm>
#include <memory>
#include <set>

#include "base/random.h"
#include "client/event_recorder.h"
#include "control/cron/cron.h"
#include "control/deployment/deployment.h"
#include "control/notebook/notebook.h"
#include "control/runtime/foreign_controllers.h"
#include "control/runtime/jobs.h"
#include "control/runtime/pod_binder.h"
#include "control/runtime/pod_collector.h"
#include "control/runtime/runner.h"
#include "control/runtime/shared_informers.h"

namespace muster::control {

namespace {

std::vector<JobKind> job_kinds_among(const std::vector<const api::Resource*>& resources) {
  std::vector<JobKind> kinds;
  for (const api::Resource* resource : resources) {
    if (auto kind = job_kind_in(*resource)) kinds.push_back(*std::move(kind));
  }
  return kinds;
}

std::vector<const api::Resource*> resources_of(const KindChoices& choices) {
  std::vector<const api::Resource*> resources;
  for (const ChosenKind& one : choices.chosen) resources.push_back(one.resource);
  return resources;
}

}  // namespace

struct Controllers::State {
  State(Loop& l, Rng& rng, client::ApiClient& client, Where where, std::function<bool(int port)> is_port_free,
        std::span<const JobKind> kinds, const std::vector<std::string>& namespaces = {})
      : loop(l),
        events(loop, client, {.component = "muster", .host = ""}),
        informers(loop, rng, client, namespaces),
        jobs(where, informers, std::move(is_port_free), rng.next(), kinds),
        runner(loop, rng, client, events, informers) {
    for (Controller& controller : jobs.controllers()) runner.add(std::move(controller));
  }

  /// On one machine.
  State(Loop& l, Rng& rng, client::ApiClient& client, Where where, std::function<bool(int port)> is_port_free,
        TensorBoardOptions tensorboards, bool strict)
      : State(l, rng, client, where, std::move(is_port_free), job_kinds()) {
    runner.add(notebook_controller(
        tensorboards.pages_url, [&rng] { return make_token(rng); }, where));
    runner.add(tensorboard_controller(std::move(tensorboards)));
    runner.add(cron_controller(find_time_zone));
    runner.add(deployment_controller());
    pod_binder = std::make_unique<PodBinder>(loop, client, events, informers, strict);
    pod_collector = std::make_unique<PodCollector>(loop, client, informers);
  }

  /// On a cluster; both lists of kinds must outlive this.
  State(Loop& l, Rng& rng, client::ApiClient& client, const KindChoices& choices, std::span<const JobKind> run,
        std::span<const JobKind> served)
      : State(l, rng, client, Where::kCluster, {}, run, choices.namespaces) {
    client.take_every_answer();  // the runner waits by itself, for all that it wants to write
    std::set<std::string> shared;
    for (const ChosenKind& one : choices.chosen) {
      const std::string name = one.resource->qualified_name();
      if (one.resource->kind == "Notebook") {
        runner.add(notebook_controller(
            TensorBoardOptions{}.pages_url, [&rng] { return make_token(rng); }, Where::kCluster));
      } else if (one.resource->kind == "TensorBoard") {
        runner.add(tensorboard_controller(TensorBoardOptions{}));
      } else if (one.resource->kind == "Cron") {
        runner.add(cron_controller(find_time_zone, served));
      }
      if (!one.refusal.empty()) {
        refusals[name] = one.refusal;
      } else if (one.wish == Wish::kAuto) {
        shared.insert(name);
      }
    }
    others = std::make_unique<ForeignControllers>(loop, client, shared, choices.namespaces,
                                                  [this](const std::string& kind) { runner.look_again(kind); });
    jobs.report_to(meter, loop);
    runner.set_observer([this](const ObjectKey& key, Duration took, const Status& result) {
      meter.reconciled(key.api_version, key.kind, took, result);
    });
    runner.set_gate([this](const api::Resource& kind, const json::Document& object) { return gate(kind, object); });
  }

  std::optional<HandsOff> gate(const api::Resource& resource, const json::Document& object) const {
    const std::string kind = resource.qualified_name();
    if (const auto refusal = refusals.find(kind); refusal != refusals.end()) {
      return refuse_object(object, refusal->second, loop.now());
    }
    if (const std::string& who = others->operator_of(kind); !who.empty()) {
      return leave_to_operator(object, kind, who, loop.now());
    }
    if (const std::string writer = other_writer_of_status(object); !writer.empty()) {
      return leave_to_writer(object, writer);
    }
    return std::nullopt;
  }

  void start() {
    informers.start([this] {
      if (others == nullptr) return open();
      others->start([this] { open(); });
    });
  }

  void open() {
    synced = true;
    meter.open();
    runner.open();
    if (pod_binder != nullptr) pod_binder->open();
    if (pod_collector != nullptr) pod_collector->open();
  }

  Loop& loop;
  WorkMeter meter;
  client::EventRecorder events;
  SharedInformers informers;
  Jobs jobs;
  Runner runner;
  std::unique_ptr<PodBinder> pod_binder;
  std::unique_ptr<PodCollector> pod_collector;
  std::map<std::string, std::string> refusals;  // by qualified name: why objects of the kind are refused
  std::unique_ptr<ForeignControllers> others;   // null on one machine, which has none
  bool synced = false;
};

Controllers::Controllers(Loop& loop, Rng& rng, client::ApiClient& client, Where where,
                         std::function<bool(int port)> is_port_free, TensorBoardOptions tensorboards, bool strict)
    : state_(std::make_unique<State>(loop, rng, client, where, std::move(is_port_free), std::move(tensorboards),
                                     strict)) {}

Controllers::Controllers(Loop& loop, Rng& rng, client::ApiClient& client, const KindChoices& kinds)
    : run_(job_kinds_among(resources_of(kinds))),
      served_(job_kinds_among(kinds.served)),
      state_(std::make_unique<State>(loop, rng, client, kinds, run_, served_)) {}

Controllers::~Controllers() = default;

bool Controllers::is_synced() const {
  return state_->synced;
}

bool Controllers::acts_on(const api::Resource& resource) const {
  const bool is_of_scheduler = resource.group == "scheduler.tensorstack.dev" && state_->pod_binder != nullptr;
  return resource.built_in || is_of_scheduler || state_->runner.runs(resource);
}

void Controllers::append_metrics(std::string& out) const {
  state_->meter.append(out);
  prometheus::append_one(out, "muster_operator_queue_depth", "gauge", "Objects that wait for a look.",
                         state_->runner.waiting());
}

void Controllers::start() {
  state_->start();
}

}  // namespace muster::control
