// Laws of decide over random jobs and random histories: pods that run, fail, vanish or are deleted, pauses, scaling,
// crashes between any two actions. On failure rapidcheck prints the smallest history and the RC_PARAMS to replay it.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "api/muster/names.h"
#include "json/yaml.h"
#include "testing/job_world.h"
#include "testing/kubeflow_schema.h"

namespace muster::control {
namespace {

/// The job kinds (a process group, one with a rendezvous, Kubeflow's on the engine and under Kubeflow's own CRD), and a
/// job whose launcher starts after its workers and decides.
enum class Shape { kTraining, kTorchrun, kKubeflow, kPruned, kLauncher };

bool is_kubeflow(Shape shape) {
  return shape == Shape::kKubeflow || shape == Shape::kPruned;
}

struct Setup {
  Shape shape = Shape::kTraining;
  int workers = 1;
  std::string policy = "OnFailure";
  int backoff_limit = 3;
  std::string clean_up = "None";
  bool graceful = false;
};

enum class What { kRun, kSucceed, kFail, kLose, kDelete, kVanish, kTogglePause, kScale, kWait };

struct Move {
  What what = What::kWait;
  int which = 0;        // pod, by position
  int amount = 0;       // exit code, seconds, replicas
  int crash_after = 0;  // number of actions that are applied of the plan that follows
};

std::ostream& operator<<(std::ostream& out, const Setup& s) {
  static constexpr std::array kShapes = {"PyTorchTrainingJob", "torchrun", "PyTorchJob", "pruned PyTorchJob",
                                         "ModelJob"};
  return out << fmt::format("{}{} workers={} policy={} limit={} cleanUp={}", kShapes[static_cast<std::size_t>(s.shape)],
                            s.graceful ? " graceful" : "", s.workers, s.policy, s.backoff_limit, s.clean_up);
}

std::ostream& operator<<(std::ostream& out, const Move& m) {
  static constexpr std::array kNames = {"run", "succeed", "fail", "lose", "delete", "vanish", "pause", "scale", "wait"};
  return out << fmt::format("{} pod {} amount {} crash {}", kNames[static_cast<std::size_t>(m.what)], m.which, m.amount,
                            m.crash_after);
}

rc::Gen<Setup> any_setup() {
  return rc::gen::build<Setup>(
      rc::gen::set(&Setup::shape, rc::gen::element(Shape::kTraining, Shape::kTorchrun, Shape::kKubeflow, Shape::kPruned,
                                                   Shape::kLauncher)),
      rc::gen::set(&Setup::workers, rc::gen::inRange(1, 4)),
      rc::gen::set(&Setup::policy, rc::gen::element<std::string>("OnFailure", "ExitCode", "Never", "Always")),
      rc::gen::set(&Setup::backoff_limit, rc::gen::inRange(0, 4)),
      rc::gen::set(&Setup::clean_up, rc::gen::element<std::string>("None", "Unfinished", "All")),
      rc::gen::set(&Setup::graceful));
}

rc::Gen<std::vector<Move>> any_history() {
  using W = What;
  const auto what = rc::gen::weightedElement<What>({{8, W::kRun},
                                                    {1, W::kSucceed},
                                                    {5, W::kFail},
                                                    {2, W::kLose},
                                                    {2, W::kDelete},
                                                    {2, W::kVanish},
                                                    {1, W::kTogglePause},
                                                    {1, W::kScale},
                                                    {4, W::kWait}});
  return rc::gen::container<std::vector<Move>>(
      rc::gen::build<Move>(rc::gen::set(&Move::what, what), rc::gen::set(&Move::which, rc::gen::inRange(0, 5)),
                           rc::gen::set(&Move::amount, rc::gen::element(0, 1, 2, 3, 137, 138)),
                           rc::gen::set(&Move::crash_after, rc::gen::element(0, 1, 2, 99))));
}

std::string manifest(const Setup& s) {
  const std::string head = "metadata: {name: mnist, namespace: default, uid: u-1, generation: 1}\n";
  const std::string pod = "template: {spec: {containers: [{name: pytorch, image: torch, command: [python]}]}}";
  if (s.shape == Shape::kLauncher) {
    return "apiVersion: test.muster.dev/v1\nkind: ModelJob\n" + head +
           fmt::format(
               "spec:\n  backoffLimit: {}\n  restart: gang\n  succeedsWhen: [{{every: [launcher-0]}}]\n  portName: "
               "port\n  roles:\n"
               "  - {{type: worker, replicas: {}, restartPolicy: {}, ports: 1}}\n"
               "  - {{type: launcher, restartPolicy: {}, startsAfter: worker, withoutIndex: true}}\n",
               s.backoff_limit, s.workers, s.policy, s.policy);
  }
  if (is_kubeflow(s.shape)) {
    return "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n" + head +
           fmt::format(
               "spec:\n  runPolicy: {{backoffLimit: {}, cleanPodPolicy: {}}}\n  pytorchReplicaSpecs:\n"
               "    Master: {{replicas: 1, restartPolicy: {}, {}}}\n    Worker: {{replicas: {}, restartPolicy: {}, "
               "{}}}\n",
               s.backoff_limit, s.clean_up == "Unfinished" ? "Running" : s.clean_up, s.policy, pod, s.workers, s.policy,
               pod);
  }
  return "apiVersion: batch.tensorstack.dev/v1beta1\nkind: PyTorchTrainingJob\n" + head +
         fmt::format(
             "spec:\n  torchrunConfig: {{enabled: {}}}\n  runPolicy: {{backoffLimit: {}, cleanUpPolicy: {}}}\n"
             "  replicaSpecs:\n  - {{type: worker, replicas: {}, restartPolicy: {}, {}}}\n",
             s.shape == Shape::kTorchrun, s.backoff_limit, s.clean_up, s.workers, s.policy, pod);
}

JobWorld make_world(const Setup& s) {
  auto parsed = json::parse_yaml(manifest(s));
  RC_ASSERT(parsed.has_value());
  const bool pruned = s.shape == Shape::kPruned;
  JobWorld world(parsed->front().value, pruned ? Where::kCluster : Where::kEngine,
                 *parse_rfc3339("2026-01-01T00:00:00Z"));
  if (pruned) world.prune = &testing::prune_as_kubeflow_does;
  world.graceful = s.graceful;
  return world;
}

api::Pod* pick(JobWorld& world, int which) {
  if (world.pods.empty()) return nullptr;
  auto it = world.pods.begin();
  std::advance(it, which % static_cast<int>(world.pods.size()));
  return &it->second;
}

bool is_alive(const api::Pod& pod) {
  return pod.status.phase == "Pending" || pod.status.phase == "Running";
}

void toggle_pause(const Setup& s, JobWorld& world) {
  json::Document& spec = world.object["spec"];
  json::Document& flag = s.shape == Shape::kLauncher ? spec["paused"]
                         : is_kubeflow(s.shape)      ? spec["runPolicy"]["suspend"]
                                                     : spec["runMode"]["pause"]["enabled"];
  flag = !(flag.is_bool() && flag.as_bool());
}

void scale(const Setup& s, int workers, JobWorld& world) {
  json::Document& spec = world.object["spec"];
  if (is_kubeflow(s.shape)) {
    spec["pytorchReplicaSpecs"]["Worker"]["replicas"] = workers;
  } else {
    spec[s.shape == Shape::kLauncher ? "roles" : "replicaSpecs"].as_array().front()["replicas"] = workers;
  }
}

/// Applies to one pod what the kubelet, a user or the machine does to it.
void befall(const Move& move, api::Pod& pod, JobWorld& world) {
  const std::string name = pod.metadata.name;
  const int exit_code = move.amount == 0 ? 1 : move.amount;
  const bool alive = is_alive(pod);
  PodNews news;
  switch (move.what) {
    case What::kRun:
      if (pod.status.phase == "Pending") news.phase = "Running";
      break;
    case What::kSucceed:
      if (alive) news.phase = "Succeeded";
      break;
    case What::kFail:
      if (alive) news.phase = "Failed";
      news.exit_code = exit_code;
      break;
    case What::kLose:
      if (alive) news.phase = "Failed";
      news.reason = "LostReboot";
      break;
    case What::kDelete:
      news.deleting = true;
      break;
    case What::kVanish:
      // A live pod vanishes at once. An ended one is removed only by the job, or after its deletion was requested.
      news.gone = alive || pod.metadata.deletion_timestamp.has_value();
      break;
    case What::kTogglePause:
    case What::kScale:
    case What::kWait:
      break;
  }
  world.happen(name, news);
}

void happen(const Setup& s, const Move& move, JobWorld& world) {
  world.now += std::chrono::seconds(1 + move.amount % 100);
  if (move.what == What::kTogglePause) return toggle_pause(s, world);
  if (move.what == What::kScale) return scale(s, 1 + move.amount % 3, world);
  if (api::Pod* pod = pick(world, move.which); pod != nullptr) befall(move, *pod, world);
}

std::string text_of(const JobPlan& plan, const JobWorld& world) {
  std::string text;
  for (const Action& action : plan.actions) {
    text += action_line(action) + "\n";
    if (const auto* create = std::get_if<Create>(&action)) text += json::serialize(create->object) + "\n";
  }
  if (plan.status) text += json::serialize(world.projected(*plan.status));
  return text;
}

/// Looks and applies until there is nothing left to do. Returns false if that takes more than `rounds`.
bool settle(JobWorld& world, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const JobPlan plan = world.look();
    if (!world.has_effect(plan)) return true;
    world.apply(plan);
  }
  return !world.has_effect(world.look());
}

/// Keeps, independently of decide, the account of a job: what failed since the last look, and how often a process group
/// has to be charged. In such a group all failures of one look are one incident, and the first of them counts.
class RestartLedger {
 public:
  explicit RestartLedger(const Setup& s) : setup_(s) {}

  void look(const JobWorld& world) {
    const Job job = world.job();
    const JobStatus status = world.status();
    Time first = Time::max();
    bool charged = false;
    for (const Role& role : job.roles) {
      for (int i = 0; i < role.replicas; ++i) {
        const auto found = world.pods.find(pod_name(job, role, i));
        if (found == world.pods.end() || !is_news(found->second, replica_key(role, i), status)) continue;
        const api::Pod& pod = found->second;
        const bool is_charged = has_failed(pod) && is_restarted(code_of(pod));
        if (is_charged) failures_.insert(pod.metadata.uid);
        if (const Time when = end_of(pod); when < first) {
          first = when;
          charged = is_charged;
        }
      }
    }
    if (charged) ++incidents_;
  }
  int failures() const { return static_cast<int>(failures_.size()); }
  int incidents() const { return incidents_; }

 private:
  static int code_of(const api::Pod& pod) { return pod.status.container_statuses.front().state.terminated->exit_code; }
  static bool has_failed(const api::Pod& pod) {
    return pod.status.phase == "Failed" && pod.status.reason.empty() && !pod.metadata.deletion_timestamp;
  }
  /// A pod that was given up while it still ran, with its gang or for a pause, is not reported whatever becomes of it.
  static bool is_news(const api::Pod& pod, const std::string& key, const JobStatus& status) {
    const auto ended = status.attempts.find(key);
    const int attempt = std::stoi(pod.metadata.labels.at(api::kAttemptLabel));
    if (ended != status.attempts.end() && attempt < ended->second) return false;
    if (status.succeeded.contains(key) || (pod.status.phase == "Succeeded" && !pod.metadata.deletion_timestamp)) {
      return false;
    }
    return pod.status.phase == "Failed" || pod.metadata.deletion_timestamp;
  }
  static Time end_of(const api::Pod& pod) {
    if (pod.metadata.deletion_timestamp) return *pod.metadata.deletion_timestamp - std::chrono::seconds(30);
    if (!pod.status.reason.empty()) return Time::min();
    return *pod.status.container_statuses.front().state.terminated->finished_at;
  }
  bool is_restarted(int code) const {
    if (setup_.policy == "Never") return false;
    if (setup_.policy != "ExitCode") return true;
    return is_kubeflow(setup_.shape) ? code >= 128 : code == 137 || code == 138;
  }

  const Setup& setup_;
  std::set<std::string> failures_;
  int incidents_ = 0;
};

RC_GTEST_PROP(DecideLaws, ChargesEveryIncidentOnceThroughCrashes, ()) {
  const Setup setup = *any_setup();
  const auto history = *any_history();
  JobWorld world = make_world(setup);
  RestartLedger ledger(setup);
  int restarts = 0;
  for (const Move& move : history) {
    happen(setup, move, world);
    const JobStatus before = world.status();
    const JobPlan plan = world.look();
    const bool counts =
        !is_finished(before.phase) && plan.status->phase != Phase::kSucceeded && !world.job().run_mode.paused;
    if (counts) ledger.look(world);
    world.apply(plan, static_cast<std::size_t>(move.crash_after));
    const JobStatus after = world.status();
    RC_ASSERT(after.restarts >= restarts);
    restarts = after.restarts;
    RC_ASSERT(restarts <= setup.backoff_limit);
    RC_ASSERT(restarts <= ledger.failures());
    const bool is_group = world.job().restart_unit == RestartUnit::kGang;
    if (!is_finished(after.phase) && is_group) RC_ASSERT(restarts == ledger.incidents());
    if (is_finished(before.phase)) RC_ASSERT(after.phase == before.phase);
  }
}

RC_GTEST_PROP(DecideLaws, StartsAProcessGroupOnlyWhenTheLastOneIsGone, ()) {
  Setup setup = *any_setup();
  if (setup.shape == Shape::kTorchrun) setup.shape = Shape::kTraining;
  const auto history = *any_history();
  JobWorld world = make_world(setup);
  for (const Move& move : history) {
    happen(setup, move, world);
    const JobPlan plan = world.look();
    world.apply(plan, 0);  // the status comes first
    const auto attempts = world.status().attempts;
    for (const Action& action : plan.actions) {
      const auto* create = std::get_if<Create>(&action);
      if (create == nullptr || create->object.string_at("kind") != "Pod") continue;
      for (const Role& role : world.job().roles) {
        for (int i = 0; i < role.replicas; ++i) {
          const auto old = world.pods.find(pod_name(world.job(), role, i));
          const auto ended = attempts.find(replica_key(role, i));
          if (old == world.pods.end() || ended == attempts.end()) continue;
          RC_ASSERT(std::stoi(old->second.metadata.labels.at(api::kAttemptLabel)) >= ended->second);
        }
      }
    }
    world.apply(plan, static_cast<std::size_t>(move.crash_after));
  }
}

RC_GTEST_PROP(DecideLaws, SettlesAndThenDoesNothing, ()) {
  const Setup setup = *any_setup();
  const auto history = *any_history();
  JobWorld world = make_world(setup);
  for (const Move& move : history) {
    happen(setup, move, world);
    world.apply(world.look(), static_cast<std::size_t>(move.crash_after));
  }
  RC_ASSERT(settle(world, 6));
}

RC_GTEST_PROP(DecideLaws, DoesNotDependOnTheOrderOfObservation, ()) {
  const Setup setup = *any_setup();
  const auto history = *any_history();
  JobWorld world = make_world(setup);
  for (const Move& move : history) {
    happen(setup, move, world);
    world.apply(world.look());
  }
  Observed seen{.job = world.job(),
                .status = world.status(),
                .pods = {},
                .services = {},
                .now = world.now,
                .offered_port = 20000};
  for (const auto& [name, pod] : world.pods) seen.pods.push_back(std::make_shared<const api::Pod>(pod));
  for (const auto& [name, service] : world.services)
    seen.services.push_back(std::make_shared<const api::Service>(service));
  const std::string forward = text_of(decide(seen), world);
  std::ranges::reverse(seen.pods);
  std::ranges::reverse(seen.services);
  RC_ASSERT(text_of(decide(seen), world) == forward);
}

RC_GTEST_PROP(DecideLaws, NeverTouchesWhatItDoesNotOwn, ()) {
  const Setup setup = *any_setup();
  const auto history = *any_history();
  JobWorld world = make_world(setup);
  world.apply(world.look());
  // These pods have our labels and a name like ours, but they belong to another job or to none.
  std::set<std::string> aliens;
  for (const char* owner : {"u-2", ""}) {
    if (world.pods.empty()) break;
    api::Pod alien = world.pods.begin()->second;
    alien.metadata.name = world.job().pod_name_prefix + "worker-9" + owner;
    alien.metadata.uid = std::string("alien-") + owner;
    alien.metadata.owner_references.clear();
    if (*owner != '\0') {
      alien.metadata.owner_references.push_back({.api_version = "v1",
                                                 .kind = "Job",
                                                 .name = "mnist",
                                                 .uid = owner,
                                                 .controller = true,
                                                 .block_owner_deletion = true});
    }
    aliens.insert(alien.metadata.name);
    world.pods[alien.metadata.name] = std::move(alien);
  }
  for (const Move& move : history) {
    happen(setup, move, world);
    const JobPlan plan = world.look();
    for (const Action& action : plan.actions) {
      if (const auto* gone = std::get_if<Delete>(&action)) RC_ASSERT(!aliens.contains(gone->child.name));
    }
    world.apply(plan);
  }
}

RC_GTEST_PROP(DecideLaws, ReplacesAPodOnlyWhenItIsGone, ()) {
  const Setup setup = *any_setup();
  const auto history = *any_history();
  JobWorld world = make_world(setup);
  for (const Move& move : history) {
    happen(setup, move, world);
    const JobPlan plan = world.look();
    std::set<std::string> created;
    for (const Action& action : plan.actions) {
      const auto* create = std::get_if<Create>(&action);
      if (create == nullptr || create->object.string_at("kind") != "Pod") continue;
      const std::string& name = create->object.string_at("metadata", "name");
      RC_ASSERT(!world.pods.contains(name));
      RC_ASSERT(created.insert(name).second);
    }
    world.apply(plan, static_cast<std::size_t>(move.crash_after));
  }
}

RC_GTEST_PROP(DecideLaws, SucceedsOnceTheProgramsDo, ()) {
  const Setup setup = *any_setup();
  RC_PRE(setup.policy != "Always");
  const auto history = *any_history();
  JobWorld world = make_world(setup);
  for (const Move& move : history) {
    happen(setup, move, world);
    world.apply(world.look(), static_cast<std::size_t>(move.crash_after));
  }
  if (world.job().run_mode.paused) toggle_pause(setup, world);
  for (int round = 0; round < 12 && !is_finished(world.status().phase); ++round) {
    world.now += std::chrono::seconds(100);
    RC_ASSERT(settle(world, 6));
    std::vector<std::string> names;
    for (const auto& [name, pod] : world.pods) names.push_back(name);
    for (const auto& name : names) {
      const bool leaving = world.pods.at(name).metadata.deletion_timestamp.has_value();
      PodNews news;
      news.gone = leaving;
      if (is_alive(world.pods.at(name))) news.phase = "Succeeded";
      world.happen(name, news);
    }
    world.apply(world.look());
  }
  RC_ASSERT(is_finished(world.status().phase));
}

RC_GTEST_PROP(DecideLaws, StartsARoleOnlyWhenTheOneBeforeItIsUp, ()) {
  Setup setup = *any_setup();
  setup.shape = Shape::kLauncher;
  const auto history = *any_history();
  JobWorld world = make_world(setup);
  for (const Move& move : history) {
    happen(setup, move, world);
    const JobPlan plan = world.look();
    for (const Action& action : plan.actions) {
      if (action_line(action).starts_with("create pod mnist-launcher")) {
        for (int i = 0; i < world.job().roles.front().replicas; ++i) {
          if (world.status().succeeded.contains(replica_key(world.job().roles.front(), i)))
            continue;  // whatever became of its pod
          const auto worker = world.pods.find(fmt::format("mnist-worker-{}", i));
          RC_ASSERT(worker != world.pods.end());
          RC_ASSERT(worker->second.status.phase == "Running" || worker->second.status.phase == "Succeeded");
        }
      }
    }
    world.apply(plan, static_cast<std::size_t>(move.crash_after));
  }
}

RC_GTEST_PROP(DecideLaws, EveryReplicaHasAPortOfItsOwn, ()) {
  Setup setup = *any_setup();
  setup.shape = Shape::kLauncher;
  const auto history = *any_history();
  JobWorld world = make_world(setup);
  for (const Move& move : history) {
    happen(setup, move, world);
    world.apply(world.look(), static_cast<std::size_t>(move.crash_after));
    std::set<int> ports;
    for (const auto& [name, pod] : world.pods) {
      const int port = pod.spec.containers.front().ports.front().container_port;
      RC_ASSERT(ports.insert(port).second);
      RC_ASSERT(port - 20000 <= 3);
    }
  }
}

RC_GTEST_PROP(DecideLaws, AttemptsOfAReplicaOnlyGrow, ()) {
  const Setup setup = *any_setup();
  const auto history = *any_history();
  JobWorld world = make_world(setup);
  std::map<std::string, int> last;  // pod name -> attempt of the newest pod seen
  for (const Move& move : history) {
    happen(setup, move, world);
    world.apply(world.look(), static_cast<std::size_t>(move.crash_after));
    for (const auto& [name, pod] : world.pods) {
      const int attempt = std::stoi(pod.metadata.labels.at(api::kAttemptLabel));
      RC_ASSERT(attempt >= last[name]);
      last[name] = attempt;
    }
  }
}

}  // namespace
}  // namespace muster::control
