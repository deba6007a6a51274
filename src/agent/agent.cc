#include "agent/agent.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "agent/files/claim_file_service.h"
#include "agent/files/claim_usage.h"
#include "agent/files/empty_dir_limits.h"
#include "agent/launch/cgroups.h"
#include "agent/launch/gpus.h"
#include "agent/launch/launch.h"
#include "agent/launch/limits.h"
#include "agent/logs/log_shelf.h"
#include "agent/logs/termination_message.h"
#include "agent/metrics/gpu_source.h"
#include "agent/metrics/log_source.h"
#include "agent/metrics/metrics_recorder.h"
#include "agent/metrics/process_usage.h"
#include "agent/metrics/stall_watch.h"
#include "agent/names/names.h"
#include "agent/node_registration.h"
#include "agent/paths.h"
#include "agent/pod/gangs.h"
#include "agent/pod/pod_keeper.h"
#include "agent/pod/pod_status_writer.h"
#include "agent/shim/exec_session.h"
#include "agent/shim/shim_os.h"
#include "agent/sync_queue.h"
#include "agent/task_thread.h"
#include "agent/volumes/claims.h"
#include "agent/volumes/trash.h"
#include "agent/volumes/volume_folders.h"
#include "agent/volumes/volumes.h"
#include "api/names.h"
#include "base/files.h"
#include "base/log.h"
#include "client/informer.h"

namespace muster::agent {
namespace {

using client::Informer;
using json::Document;

constexpr int kDiskThreads = 4;
constexpr Duration kTidyEvery = std::chrono::minutes(10);
constexpr const char* kNames = "";  // the key in the queue that stands for the names, which no pod's uid equals

Options with_absolute_directory(Options options) {
  // Symbolic links are resolved, so that comparing paths as text shows whether one lies inside another.
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(std::filesystem::absolute(options.directory), error);
  if (!error) options.directory = real.string();
  return options;
}

std::int64_t process_limit(const Options& options, const Machine& machine) {
  return options.processes_per_container > 0 ? options.processes_per_container : default_process_limit(machine.cpus);
}

std::vector<std::string> real_paths(std::vector<std::string> paths) {
  for (std::string& path : paths) {
    std::error_code error;
    const auto real = std::filesystem::weakly_canonical(path, error);
    if (!error) path = real.string();
  }
  return paths;
}

bool is_past_ready(Presence presence) {
  switch (presence) {
    case Presence::kNothing:
    case Presence::kStarting:
    case Presence::kUnclear:
    case Presence::kNeverRan:
      return false;
    default:
      return true;
  }
}

}  // namespace

/// Follows the objects that concern this node, and syncs each pod that may have a next step. Level-triggered: whatever
/// happens to a pod, its uid is queued. Everything runs on the loop thread.
class Agent::Node {
 public:
  Node(Loop& loop, Rng& rng, client::ApiClient& client, Options options);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Status start();
  LogShelf& logs() { return logs_; }
  ClaimFileService& files() { return files_; }
  MetricsRecorder& metrics() { return metrics_; }
  Loop& loop() { return loop_; }
  /// Finds the connection to a pod's shim each time that it is called.
  FindChannel channel_of(const std::string& uid) {
    return [this, uid] { return os_.channel(uid); };
  }

 private:
  // What changes.
  std::unique_ptr<Informer> make_informer(const char* plural, Informer::OnChange on_change,
                                          const std::string& field_selector = "");
  void on_pod(const Document* before, const Document* now);
  void remove_when_ended(const Document& pod);
  void sync_waiting();  // a dependency of a waiting pod may have appeared

  void sync(const std::string& uid);
  void write_names();
  void on_gone(const std::string& uid);
  void tidy_up();
  void remove_old_logs();
  std::vector<LimitedVolume> list_limited_volumes() const;
  std::shared_ptr<const Document> find_pod(const std::string& uid) const;
  std::vector<MeasuredPod> running_pods() const;
  GpuSource::ReadGpu read_gpu() const;

  // What a decision depends on.
  Surroundings look_around(const Document& pod, Presence presence);
  Readiness readiness_of(const Document& pod);
  bool gang_is_ready(const Document& pod);
  LaunchInputs launch_inputs(const Document& pod);
  Result<LaunchPlan> plan(const Document& pod);
  References references_of(const std::string& ns) const;

  Loop& loop_;
  Rng& rng_;
  client::ApiClient& client_;
  Options options_;
  Paths paths_;
  Trash trash_;
  DiskThreads disk_;
  ClaimUsage claim_usage_;
  ClaimFileService files_;
  NodeRegistration registration_;
  Claims claims_;
  Names names_;
  VolumeFolders volume_folders_;
  Gpus gpus_;
  Cgroups cgroups_;
  Gangs gangs_;
  LogShelf logs_;
  SyncQueue queue_;
  PodStatusWriter writer_;
  ShimOs os_;
  PodKeeper keeper_;
  EmptyDirLimits empty_dirs_;
  ProcessUsage usage_{real_process_files()};
  GpuSource usage_with_gpus_{usage_, read_gpu()};
  LogSource usage_with_logs_{usage_with_gpus_, paths_};
  TaskThread background_{"metrics"};  // before what gives it tasks
  MetricsRecorder metrics_;
  StallWatch stalls_;
  std::map<std::string, Informer::Key> keys_;  // uid -> its key in the informer
  int gone_since_tidied_ = 0;
  Loop::Id tidy_timer_ = 0;
  bool is_ready_ = false;  // every informer has received its first list

  std::unique_ptr<Informer> pods_;
  std::unique_ptr<Informer> services_;
  std::unique_ptr<Informer> claim_objects_;
  std::unique_ptr<Informer> config_maps_;
  std::unique_ptr<Informer> secrets_;
};

Agent::Node::Node(Loop& loop, Rng& rng, client::ApiClient& client, Options options)
    : loop_(loop),
      rng_(rng),
      client_(client),
      options_(with_absolute_directory(std::move(options))),
      paths_(options_.directory),
      trash_(paths_.trash()),
      disk_(loop),
      claim_usage_(loop, client, paths_, disk_),
      files_(rng, paths_, disk_, claim_usage_),
      registration_(loop, client, options_),
      claims_(client, paths_, trash_),
      names_(loop, paths_),
      volume_folders_(paths_, trash_, {.data_dir = options_.directory, .allowed = real_paths(options_.host_paths)}),
      gpus_(paths_, registration_.machine().gpus),
      cgroups_(loop, paths_, registration_.machine(), process_limit(options_, registration_.machine())),
      logs_(loop, paths_, trash_, disk_, options_.logs),
      queue_(loop, [this](const std::string& uid) { uid == kNames ? write_names() : sync(uid); }),
      writer_(
          loop, client, options_.node_name,
          [this](const std::string& uid, const std::string& container, int run) {
            return end_of_log(paths_.pod(uid), container, run);
          },
          [this](const std::string& uid) { queue_.add(uid); }),
      os_(
          loop, paths_, trash_, {&volume_folders_, &names_, &gpus_, &cgroups_},
          [this](const Document& pod) { return plan(pod); },
          [this](const Document& pod, const std::vector<PodEvent>& events) {
            for (const PodEvent& event : events) writer_.report(pod, 0, event);
          },
          [this](const std::string& uid) {
            queue_.add(uid);
            metrics_.wake();
          }),
      keeper_(os_, writer_, [this](const Document& pod, Presence presence) { return look_around(pod, presence); }),
      empty_dirs_(
          loop, disk_, [this] { return list_limited_volumes(); }, [this](const std::string& uid) { queue_.add(uid); }),
      metrics_(loop, paths_, options_.node_name, options_.metrics,
               {.running = [this] { return running_pods(); },
                .in_background = [this](Task task) { background_.run(std::move(task)); },
                .source = &usage_with_logs_,
                .machine = linux_os::machine_usage,
                .on_reading = [this](const PodReading& reading) { stalls_.take(reading, loop_.mono()); }}),
      stalls_(options_.metrics.stalled_after, [this](const std::string& uid) { queue_.add(uid); }) {}

Agent::Node::~Node() {
  loop_.cancel(tidy_timer_);
}

Status Agent::Node::start() {
  for (const std::string& folder : {paths_.root(), paths_.pods(), paths_.hosts_folder()})
    TRY(make_directories(folder, 0700));
  TRY(trash_.start());
  disk_.start(kDiskThreads);
  TRY(os_.start());
  TRY(metrics_.start());
  registration_.start();

  using Key = Informer::Key;
  pods_ = make_informer(
      "pods", [this](const Key&, const Document* before, const Document* now) { on_pod(before, now); },
      "spec.nodeName=" + options_.node_name);
  services_ = make_informer("services", [this](const Key& key, const Document*, const Document*) {
    names_.on_names_changed(key.first);
    queue_.add(kNames);
  });
  claim_objects_ =
      make_informer("persistentvolumeclaims", [this](const Key& key, const Document* before, const Document* now) {
        if (now != nullptr && is_ready_) claims_.on_claim_changed(*now);
        claim_usage_.on_claim_changed(key, before, now);
        sync_waiting();
      });
  const auto on_reference = [this](const Key&, const Document*, const Document*) { sync_waiting(); };
  config_maps_ = make_informer("configmaps", on_reference);
  secrets_ = make_informer("secrets", on_reference);
  names_.use(pods_->cache(), services_->cache());
  claims_.use(pods_->cache(), claim_objects_->cache());
  const auto all = {pods_.get(), services_.get(), claim_objects_.get(), config_maps_.get(), secrets_.get()};
  for (Informer* informer : all) {
    informer->start();
    informer->when_synced([this, all = std::vector<Informer*>(all)] {
      if (is_ready_ || !std::ranges::all_of(all, &Informer::synced)) return;
      is_ready_ = true;
      for (const auto& [key, held] : claim_objects_->cache()) claims_.on_claim_changed(*held.document);
      for (const std::string& uid : os_.pods_on_disk()) queue_.add(uid);
      queue_.open();
      claim_usage_.start(claim_objects_->cache());
      empty_dirs_.start();
      tidy_up();
    });
  }
  return ok();
}

std::unique_ptr<Informer> Agent::Node::make_informer(const char* plural, Informer::OnChange on_change,
                                                     const std::string& field_selector) {
  client::ListOptions selector;
  selector.field_selector = field_selector;
  return std::make_unique<Informer>(loop_, rng_, client_, client::ResourceName("", "v1", plural), selector,
                                    std::move(on_change));
}

void Agent::Node::on_pod(const Document* before, const Document* now) {
  const Document& either = now != nullptr ? *now : *before;
  const std::string old_uid = before != nullptr ? before->string_at("metadata", "uid") : "";
  const std::string new_uid = now != nullptr ? now->string_at("metadata", "uid") : "";
  if (!old_uid.empty() && old_uid != new_uid) {
    keys_.erase(old_uid);
    queue_.add(old_uid);
  }
  if (!new_uid.empty()) {
    keys_[new_uid] = {either.string_at("metadata", "namespace"), either.string_at("metadata", "name")};
    queue_.add(new_uid);
  }
  if (now != nullptr) remove_when_ended(*now);
  names_.on_pod_changed(before, now);
  claims_.on_pod_changed(now);
  queue_.add(kNames);
  if (gangs_.on_pod_changed(before, now)) sync_waiting();
}

/// For pods that nobody may be left to remove, such as that of `muster shell`.
void Agent::Node::remove_when_ended(const Document& pod) {
  const bool is_wanted = pod.string_at("metadata", "annotations", "muster.dev/remove-when-ended") == "true";
  if (!is_wanted || !has_ended(pod) || pod.at("metadata", "deletionTimestamp") != nullptr) return;
  const client::ObjectName name{
      {"", "v1", "pods"}, pod.string_at("metadata", "namespace"), pod.string_at("metadata", "name")};
  client::DeleteOptions options;
  options.precondition_uid = pod.string_at("metadata", "uid");
  client_.remove(name, options, [name](const Result<Document>& removed) {
    if (removed || removed.error().reason == Reason::kNotFound || removed.error().reason == Reason::kConflict) return;
    LOG_WARN("ended pod not removed", {"pod", name.ns + "/" + name.name}, {"error", removed.error().message});
  });
}

void Agent::Node::sync_waiting() {
  for (const std::string& uid : keeper_.waiting()) queue_.add(uid);
}

std::shared_ptr<const Document> Agent::Node::find_pod(const std::string& uid) const {
  const auto key = keys_.find(uid);
  return key == keys_.end() ? nullptr : pods_->find(key->second.first, key->second.second);
}

GpuSource::ReadGpu Agent::Node::read_gpu() const {
  return [driver = options_.gpus](const std::string& uuid) -> std::optional<client::GpuUsage> {
    if (driver == nullptr) return std::nullopt;
    const auto use = driver->use(uuid);
    if (!use) return std::nullopt;
    return client::GpuUsage{.uuid = uuid, .utilisation = use->utilisation, .memory = use->memory};
  };
}

std::vector<MeasuredPod> Agent::Node::running_pods() const {
  std::vector<MeasuredPod> pods;
  for (const auto& [uid, record] : os_.running()) {
    const auto key = keys_.find(uid);
    if (key == keys_.end() || record->init_pid == 0) continue;
    MeasuredPod pod{.uid = uid, .ns = key->second.first, .name = key->second.second, .init = record->init_pid};
    pod.gpus = gpus_.held_by(uid);
    for (const ContainerRecord& container : record->containers) {
      if (container.state == RunState::kRunning && container.pid != 0) pod.containers[container.name] = container.pid;
    }
    pods.push_back(std::move(pod));
  }
  return pods;
}

void Agent::Node::sync(const std::string& uid) {
  const auto pod = find_pod(uid);
  const bool was_known = keeper_.knows(uid);
  const bool was_ready = keeper_.presence_of(uid) == Presence::kReady;
  const auto again = keeper_.sync(uid, pod.get(), loop_.now());
  if (again) {
    queue_.add_after(uid, *again);
  } else {
    queue_.forget(uid);
  }
  if (was_known && !keeper_.knows(uid)) on_gone(uid);
  // The shim was sent "go" because all of its gang are ready: the others go too.
  if (pod == nullptr || !was_ready || keeper_.presence_of(uid) == Presence::kReady) return;
  for (const std::string& member : gangs_.members(*pod)) {
    if (keeper_.presence_of(member) == Presence::kReady) queue_.add(member);
  }
}

void Agent::Node::on_gone(const std::string& uid) {
  writer_.forget(uid);
  empty_dirs_.forget(uid);
  stalls_.forget(uid);
  constexpr int kManyGone = 100;
  if (++gone_since_tidied_ >= kManyGone) remove_old_logs();
}

/// What is too old goes now and then, not only when pods come and go.
void Agent::Node::tidy_up() {
  remove_old_logs();
  claims_.remove_old();
  tidy_timer_ = loop_.after(kTidyEvery, [this] { tidy_up(); });
}

std::vector<LimitedVolume> Agent::Node::list_limited_volumes() const {
  std::vector<LimitedVolume> all;
  for (const auto& [key, held] : pods_->cache()) {
    std::ranges::move(limited_volumes(*held.document, paths_), std::back_inserter(all));
  }
  return all;
}

void Agent::Node::remove_old_logs() {
  gone_since_tidied_ = 0;
  logs_.remove_old([this](const std::string& uid) { return keys_.contains(uid) || os_.has_shim(uid); });
}

void Agent::Node::write_names() {
  if (const auto again = names_.write_outdated()) queue_.add_after(kNames, *again);
}

// ---- what a decision depends on ----

Surroundings Agent::Node::look_around(const Document& pod, Presence presence) {
  Surroundings around;
  around.first_restart_delay = options_.first_restart_delay;
  around.address = names_.address_of(pod);
  around.eviction = empty_dirs_.eviction_of(pod.string_at("metadata", "uid"));
  // Only the ranks of jobs are expected to do something all the time.
  const bool is_rank = pod.at("metadata", "labels", api::kAttemptLabel) != nullptr;
  if (is_rank) around.stall = stalls_.stall_of(pod.string_at("metadata", "uid"));
  if (presence == Presence::kNothing) around.readiness = readiness_of(pod);
  if (presence == Presence::kReady) around.gang_is_ready = gang_is_ready(pod);
  return around;
}

Readiness Agent::Node::readiness_of(const Document& pod) {
  using State = Readiness::State;
  if (!gangs_.is_bound(pod)) return {State::kWaits, "ContainerCreating", "", ""};
  const auto planned = plan(pod);
  if (planned) return {};
  if (planned.error().reason != Reason::kNotFound) return {State::kImpossible, "", "", planned.error().message};
  // An object that the pod refers to is missing; it starts when that object appears.
  if (!check_volumes(launch_inputs(pod), options_, paths_))
    return {State::kWaits, "ContainerCreating", "FailedMount", planned.error().message};
  return {State::kWaits, "CreateContainerConfigError", "Failed", planned.error().message};
}

bool Agent::Node::gang_is_ready(const Document& pod) {
  const auto& members = gangs_.members(pod);
  return gangs_.is_bound(pod) && std::ranges::all_of(members, [this](const std::string& uid) {
           const auto other = find_pod(uid);
           return is_past_ready(keeper_.presence_of(uid)) || (other != nullptr && desired_pod(*other).has_ended);
         });
}

LaunchInputs Agent::Node::launch_inputs(const Document& pod) {
  LaunchInputs inputs;
  inputs.pod = &pod;
  inputs.facts = {.address = names_.address_of(pod),
                  .host_address = "127.0.0.1",
                  .node_cpus = registration_.machine().cpus,
                  .node_memory = registration_.machine().memory,
                  .may_change_user = registration_.machine().is_root};
  inputs.references = references_of(pod.string_at("metadata", "namespace"));
  return inputs;
}

Result<LaunchPlan> Agent::Node::plan(const Document& pod) {
  return plan_launch(launch_inputs(pod), options_, paths_);
}

References Agent::Node::references_of(const std::string& ns) const {
  return {.config_map = [this, ns](const std::string& name) { return config_maps_->find(ns, name); },
          .secret = [this, ns](const std::string& name) { return secrets_->find(ns, name); },
          .claim = [this, ns](const std::string& name) { return claim_objects_->find(ns, name); }};
}

// ---- the public face ----

Agent::Agent(Loop& loop, Rng& rng, client::ApiClient& client, Options options)
    : node_(std::make_unique<Node>(loop, rng, client, std::move(options))) {}

Agent::~Agent() = default;

Status Agent::start() {
  return node_->start();
}

Result<std::unique_ptr<client::LogStream>> Agent::read_log(const client::LogRequest& request,
                                                           UniqueFunction<void(std::string_view)> on_text,
                                                           UniqueFunction<void(Status)> on_end) {
  return node_->logs().read(request, std::move(on_text), std::move(on_end));
}

Result<std::unique_ptr<client::ExecSession>> Agent::exec(const client::ExecRequest& request, client::ExecSink sink) {
  return begin_exec(node_->loop(), node_->channel_of(request.pod_uid), request, std::move(sink));
}

Result<std::unique_ptr<client::ExecSession>> Agent::attach(const client::ExecRequest& request, client::ExecSink sink) {
  return begin_attach(node_->loop(), node_->channel_of(request.pod_uid), request, std::move(sink));
}

client::ClaimFiles* Agent::claim_files() {
  return &node_->files();
}

client::MetricsApi& Agent::metrics() {
  return node_->metrics();
}

}  // namespace muster::agent
