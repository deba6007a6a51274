#include "agent/agent.h"

#include <algorithm>
#include <filesystem>

#include "agent/disk/disk_space.h"
#include "agent/disk/disk_threads.h"
#include "agent/disk/paths.h"
#include "agent/disk/trash.h"
#include "agent/files/claim_file_service.h"
#include "agent/files/claim_usage.h"
#include "agent/files/claims.h"
#include "agent/launch/cgroups.h"
#include "agent/launch/gpus.h"
#include "agent/launch/limits.h"
#include "agent/logs/log_shelf.h"
#include "agent/logs/termination_message.h"
#include "agent/metrics/node_metrics.h"
#include "agent/names/name_index.h"
#include "agent/names/names.h"
#include "agent/names/pod_records.h"
#include "agent/network/networks.h"
#include "agent/network/service_ports.h"
#include "agent/objects/node_objects.h"
#include "agent/plan/launch_planner.h"
#include "agent/pod/pod_facts.h"
#include "agent/ports/host_ports.h"
#include "agent/ports/pod_ports.h"
#include "agent/ports/program_check.h"
#include "agent/probes/connect_to_pod.h"
#include "agent/probes/pod_actions.h"
#include "agent/probes/pod_checks.h"
#include "agent/registration/node_registration.h"
#include "agent/shim/exec_session.h"
#include "agent/shim/shim_os.h"
#include "agent/sync/pod_status_writer.h"
#include "agent/sync/pod_sync.h"
#include "agent/tidying.h"
#include "agent/volumes/disk_pressure.h"
#include "agent/volumes/empty_dir_limits.h"
#include "agent/volumes/volume_folders.h"
#include "agent/volumes/volumes.h"
#include "base/files.h"
#include "base/log.h"

namespace muster::agent {
namespace {

using json::Document;

constexpr int kDiskThreads = 4;

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

}  // namespace

/// Connects the parts of the agent: each has its subject and knows only those that were made before it; here is what
/// one tells the others. Everything runs on the loop thread.
class Agent::Node {
 public:
  Node(net::EventLoop& loop, Rng& rng, client::ApiClient& client, Options options);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Status start();
  LogShelf& logs() { return logs_; }
  ClaimFileService& files() { return files_; }
  MetricsRecorder& metrics() { return metrics_.recorder(); }
  Networks& networks() { return networks_; }
  PodPorts& ports() { return ports_; }
  Loop& loop() { return loop_; }
  void open_socket(const std::string& uid, node::OnSocket done) { open_socket_(uid, std::move(done)); }
  void check(const std::string& uid, int socket, UniqueFunction<void(Status)> done);
  /// Finds the connection to a pod's shim each time that it is called.
  FindChannel channel_of(const std::string& uid) {
    return [this, uid] { return os_.channel(uid); };
  }

 private:
  NodeObjects::Handlers handlers();
  void on_pod(const Document* before, const Document* now);
  void remember(const Document* before, const Document* now);
  void on_claim(const NodeObjects::Key& key, const Document* before, const Document* now);
  void on_namespace(const std::string& name, const Document* now);
  void on_ready();
  void on_gone(const std::string& uid);
  void report(const std::string& uid, const PodEvent& event);
  Result<LaunchPlan> plan_of(const Document& pod);
  std::vector<MeasuredPod> running_pods() const;
  std::map<std::string, std::int64_t> measured_limits(const std::string& uid) const;
  void end_for_memory(const std::string& uid, const OverMemory& over);
  std::vector<LimitedVolume> limited_volumes_of_pods() const;
  std::vector<PodOnDisk> pods_on_disk() const;
  std::optional<KnownClaim> known_claim(const std::string& ns, const std::string& name) const;
  std::string eviction_of(const std::string& uid) const;
  void on_disk_pressure();

  Loop& loop_;
  Options options_;
  Paths paths_;
  Trash trash_;
  DiskThreads disk_;
  NodeRegistration registration_;
  NodeObjects objects_;
  ClaimUsage claim_usage_;
  ClaimFileService files_;
  Claims claims_;
  Names names_;
  Networks networks_;
  VolumeFolders volume_folders_;
  Gpus gpus_;
  Cgroups cgroups_;
  LaunchPlanner planner_;
  LogShelf logs_;
  PodStatusWriter writer_;
  ShimOs os_;
  EmptyDirLimits empty_dirs_;
  DiskPressure disk_pressure_;
  NodeMetrics metrics_;
  OpenPodSocket open_socket_;
  PodPorts ports_;
  HostPorts host_ports_;
  PodActions actions_;
  PodChecks checks_;
  PodSync sync_;
  Tidying tidying_;
};

Agent::Node::Node(net::EventLoop& loop, Rng& rng, client::ApiClient& client, Options options)
    : loop_(loop),
      options_(with_absolute_directory(std::move(options))),
      paths_(options_.directory),
      trash_(paths_.trash()),
      disk_(loop),
      registration_(loop, client, options_),
      objects_(loop, rng, client, options_.node_name, handlers()),
      claim_usage_(loop, client, paths_, disk_),
      files_(rng, paths_, disk_, claim_usage_),
      claims_(client, paths_, trash_),
      names_(
          loop, paths_, !options_.network.own_networks,
          [this](const Document& pod) {
            return has_own_network(options_.network, pod) ? network_key(pod) : std::string();
          },
          [this](const std::string& ns, const Names::Documents& pods, const Names::Documents& services) {
            networks_.connect_services(
                ns, service_ports(services, pods, [this](const std::string& uid) { return networks_.key_of(uid); }));
          }),
      networks_(
          loop, paths_, trash_, options_.network,
          [this](const Document& pod) { return shared_memory_size(sync_.gang_of(pod), registration_.machine()); },
          [this](const std::string& ns) {
            names_.on_names_changed(ns);
            sync_.write_names();
          }),
      volume_folders_(paths_, trash_, {.data_dir = options_.directory, .allowed = real_paths(options_.host_paths)}),
      gpus_(paths_, registration_.machine().gpus, gpu_lock_folder(),
            [this](const Document& pod) { return sync_.gang_of(pod); }),
      cgroups_(loop, paths_, registration_.machine(), process_limit(options_, registration_.machine())),
      planner_(options_, paths_, registration_.machine(), objects_, names_),
      logs_(loop, paths_, trash_, disk_, options_.logs),
      writer_(
          loop, client, options_.node_name,
          [this](const std::string& uid, const std::string& container, int run) {
            return end_of_log(paths_.pod(uid), container, run);
          },
          [this](const std::string& uid) { sync_.look_at(uid); }),
      os_(
          loop, paths_, trash_, {&volume_folders_, &names_, &networks_, &gpus_, &cgroups_},
          [this](const Document& pod) { return plan_of(pod); },
          [this](const Document& pod, const std::vector<PodEvent>& events) {
            for (const PodEvent& event : events) writer_.report(pod, 0, event);
          },
          [this](const std::string& uid) {
            sync_.look_at(uid);
            metrics_.recorder().wake();
          }),
      empty_dirs_(
          loop, disk_, [this] { return limited_volumes_of_pods(); },
          [this](const std::string& uid) { sync_.look_at(uid); }),
      disk_pressure_(loop, disk_, paths_.root(), options_.disk.reserve,
                     {.look = [look = options_.disk.look, root = paths_.root()] { return look(root); },
                      .list = [this] { return pods_on_disk(); },
                      .on_evict = [this](const std::string& uid) { sync_.look_at(uid); },
                      .on_change = [this] { on_disk_pressure(); }}),
      metrics_(
          loop, paths_, options_, [this] { return running_pods(); },
          [this](const std::string& uid) { sync_.look_at(uid); },
          [this](const std::string& uid, const OverMemory& over) { end_for_memory(uid, over); }),
      open_socket_([this, host = host_sockets(loop)](const std::string& uid, UniqueFunction<void(Result<Fd>)> done) {
        // Not for any pod without a network: one that has ended is in none.
        if (networks_.is_on_host(uid)) return host(uid, std::move(done));
        networks_.open_socket(uid, std::move(done));
      }),
      ports_(loop, open_socket_, [this](const std::string& uid) { return networks_.holds(uid); }),
      host_ports_(
          loop, ports_, [this](const std::string& uid) { return !networks_.is_on_host(uid); },
          [this](const Document& pod, const PodEvent& event) { writer_.report(pod, 0, event); }),
      actions_(loop, open_socket_, [this](const std::string& uid) { return channel_of(uid); }),
      checks_(loop, rng, actions_,
              {.launch_folder = [this](const std::string& uid) { return os_.launch_folder(uid); },
               .kill =
                   [this](const std::string& uid, const std::string& container, int run, std::int64_t grace,
                          UniqueFunction<void(Status)> done) {
                     os_.kill_container(uid, container, run, grace, std::move(done));
                   },
               .report = [this](const std::string& uid, const PodEvent& event) { report(uid, event); },
               .on_change = [this](const std::string& uid) { sync_.look_at(uid); }}),
      sync_(loop, os_, writer_, objects_, names_, planner_,
            {.first_restart_delay = options_.first_restart_delay,
             .eviction_of = [this](const std::string& uid) { return eviction_of(uid); },
             .disk_problem = [this] { return disk_pressure_.problem(); },
             .stall_of = [this](const std::string& uid) { return metrics_.stalls().stall_of(uid); },
             .check = [this](const Document& pod, const Sighting& seen,
                             PodContext& around) { checks_.look(pod, seen, around); },
             .run_stop_hooks = [this](const Document& pod, std::int64_t grace) { checks_.run_stop_hooks(pod, grace); },
             .on_gone = [this](const std::string& uid) { on_gone(uid); }}),
      tidying_(loop, logs_, claims_,
               [this](const std::string& uid) { return objects_.key_of(uid) != nullptr || os_.has_shim(uid); }) {}

/// In a network of its own nobody else can listen at the address of a pod.
void Agent::Node::check(const std::string& uid, int socket, UniqueFunction<void(Status)> done) {
  if (networks_.holds(uid)) return done(ok());
  const auto running = os_.running();
  const auto pod = running.find(uid);
  if (pod == running.end() || pod->second->init_pid == 0) {
    return done(Error{.reason = Reason::kServiceUnavailable, .message = "the pod has ended"});
  }
  auto ends = linux_os::ends_of(socket);
  if (!ends) return done(std::move(ends).error());
  disk_.run([ends = *std::move(ends),
             init = pod->second->init_pid](const std::stop_token&) { return check_program(ends, init); },
            std::move(done));
}

NodeObjects::Handlers Agent::Node::handlers() {
  using Key = NodeObjects::Key;
  return {
      .on_pod = [this](const Key&, const Document* before, const Document* now) { on_pod(before, now); },
      .on_service =
          [this](const Key& key, const Document*, const Document*) {
            names_.on_names_changed(key.first);
            sync_.write_names();
          },
      .on_claim = [this](const Key& key, const Document* before, const Document* now) { on_claim(key, before, now); },
      .on_reference = [this](const Key&, const Document*, const Document*) { sync_.look_at_waiting(); },
      .on_namespace = [this](const Key& key, const Document*, const Document* now) { on_namespace(key.second, now); },
      .on_ready = [this] { on_ready(); }};
}

Status Agent::Node::start() {
  for (const std::string& folder : {paths_.root(), paths_.pods(), paths_.hosts_folder()})
    TRY(make_directories(folder, 0700));
  TRY(trash_.start());
  disk_.start(kDiskThreads);
  TRY(networks_.start());
  TRY(os_.start());
  networks_.remove_unused();
  TRY(metrics_.recorder().start());
  registration_.start();
  names_.use(objects_.pods(), objects_.services());
  claims_.use(objects_.pods(), objects_.claims());
  objects_.start();
  return ok();
}

void Agent::Node::on_ready() {
  for (const auto& [key, held] : objects_.claims()) claims_.on_claim_changed(*held.document);
  names_.remove_unused();
  for (const std::string& uid : os_.pods_on_disk()) sync_.look_at(uid);
  sync_.open();
  claim_usage_.start(objects_.claims());
  empty_dirs_.start();
  disk_pressure_.start();
  tidying_.start();
}

void Agent::Node::on_pod(const Document* before, const Document* now) {
  if (now != nullptr) writer_.remove_when_ended(*now);
  // A rank that was to share the GPUs of its job may be removed before it was ever launched.
  if (now == nullptr && before != nullptr) {
    const std::string& uid = before->string_at("metadata", "uid");
    if (!os_.has_shim(uid)) gpus_.release(uid);
  }
  remember(before, now);
  names_.on_pod_changed(before, now);
  claims_.on_pod_changed(now);
  sync_.write_names();
  host_ports_.on_pod_changed(before, now);
  // An ended pod never runs again: like a kubelet, the agent frees what its emptyDir volumes take.
  if (now != nullptr && has_ended(*now)) {
    const std::string& uid = now->string_at("metadata", "uid");
    if (!os_.has_shim(uid)) volume_folders_.clean_up(uid);
  }
  sync_.on_pod_changed(before, now);
}

/// The history shows a pod as it was at its end, and as it was when it was deleted.
void Agent::Node::remember(const Document* before, const Document* now) {
  const Document* last = now != nullptr ? now : before;
  const bool ends = now != nullptr && has_ended(*now) && (before == nullptr || !has_ended(*before));
  if (last == nullptr || (now != nullptr && !ends)) return;
  if (const Status done = update_record(paths_, *last); !done)
    LOG_WARN("pod not remembered", {"uid", last->string_at("metadata", "uid")}, {"error", done.error().message});
}

void Agent::Node::on_claim(const NodeObjects::Key& key, const Document* before, const Document* now) {
  if (now != nullptr && objects_.is_ready()) claims_.on_claim_changed(*now);
  claim_usage_.on_claim_changed(key, before, now);
  sync_.look_at_waiting();
}

void Agent::Node::on_namespace(const std::string& name, const Document* now) {
  const Status done = now == nullptr ? end_namespace(paths_, trash_, name)
                                     : begin_namespace(paths_, trash_, name, now->string_at("metadata", "uid"));
  if (!done) LOG_ERROR("names of pods", {"namespace", name}, {"error", done.error().message});
}

void Agent::Node::on_gone(const std::string& uid) {
  writer_.forget(uid);
  empty_dirs_.forget(uid);
  disk_pressure_.forget(uid);
  checks_.forget(uid);
  metrics_.stalls().forget(uid);
  tidying_.on_pod_gone();
}

/// How large /dev/shm is decides how many workers a data loader may have.
Result<LaunchPlan> Agent::Node::plan_of(const Document& pod) {
  Result<LaunchPlan> plan = planner_.plan(pod);
  if (!plan) return plan;
  const std::string size = size_text(shared_memory_size(sync_.gang_of(pod), registration_.machine()));
  plan->events.push_back({"Normal", "Environment", "/dev/shm has " + size + ", which the pods of a job share"});
  return plan;
}

void Agent::Node::report(const std::string& uid, const PodEvent& event) {
  if (const auto pod = objects_.find_pod(uid)) writer_.report_again(*pod, event);
}

std::vector<MeasuredPod> Agent::Node::running_pods() const {
  std::vector<MeasuredPod> pods;
  for (const auto& [uid, record] : os_.running()) {
    const NodeObjects::Key* key = objects_.key_of(uid);
    if (key == nullptr || record->init_pid == 0) continue;
    MeasuredPod pod{.uid = uid, .ns = key->first, .name = key->second, .init = record->init_pid};
    pod.gpus = gpus_.held_by(uid);
    pod.network = networks_.diagnosis_of(uid);
    pod.memory_limits = measured_limits(uid);
    for (const ContainerRecord& container : record->containers) {
      if (container.state == RunState::kRunning && container.pid != 0) pod.containers[container.name] = container.pid;
    }
    pods.push_back(std::move(pod));
  }
  return pods;
}

/// The limits of memory that no control group enforces.
std::map<std::string, std::int64_t> Agent::Node::measured_limits(const std::string& uid) const {
  const Machine& machine = registration_.machine();
  const auto pod = machine.cgroups.has("memory") ? nullptr : objects_.find_pod(uid);
  if (pod == nullptr) return {};
  std::map<std::string, std::int64_t> limits;
  for (const auto& [container, its] : limits_by_container(*pod, machine)) {
    if (its.memory) limits[container] = *its.memory;
  }
  return limits;
}

void Agent::Node::end_for_memory(const std::string& uid, const OverMemory& over) {
  const auto running = os_.running();
  const auto pod = running.find(uid);
  const ContainerRecord* container = pod == running.end() ? nullptr : pod->second->find(over.container);
  // It may have ended since it was measured, and the next run of it is another process.
  if (container == nullptr || container->state != RunState::kRunning || container->pid != over.pid) return;
  report(uid, {"Warning", "OOMKilling", over.message, container->run});
  os_.kill_for_memory(uid, over.container, container->run, over.message, [uid](const Status& done) {
    if (!done) LOG_WARN("container over its limit of memory", {"pod", uid}, {"error", done.error().message});
  });
}

std::vector<LimitedVolume> Agent::Node::limited_volumes_of_pods() const {
  std::vector<LimitedVolume> all;
  for (const auto& [key, held] : objects_.pods()) {
    const std::string launch = os_.launch_folder(held.document->string_at("metadata", "uid"));
    std::ranges::move(limited_volumes(*held.document, launch, paths_), std::back_inserter(all));
  }
  return all;
}

std::vector<PodOnDisk> Agent::Node::pods_on_disk() const {
  std::vector<PodOnDisk> pods;
  for (const auto& [uid, record] : os_.running()) {
    const auto pod = objects_.find_pod(uid);
    if (pod == nullptr) continue;
    const std::string& ns = pod->string_at("metadata", "namespace");
    pods.push_back(pod_on_disk(*pod, record->init_pid, os_.launch_folder(uid), paths_,
                               [&](const std::string& name) { return known_claim(ns, name); }));
  }
  return pods;
}

std::optional<KnownClaim> Agent::Node::known_claim(const std::string& ns, const std::string& name) const {
  const auto claim = objects_.claims().find({ns, name});
  if (claim == objects_.claims().end()) return std::nullopt;
  const auto use = claim_usage_.find(*claim->second.document);
  if (!use || !use->is_complete) return std::nullopt;
  return KnownClaim{claim_folder(*claim->second.document, paths_), *use};
}

std::string Agent::Node::eviction_of(const std::string& uid) const {
  const std::string why = disk_pressure_.eviction_of(uid);
  return why.empty() ? empty_dirs_.eviction_of(uid) : why;
}

void Agent::Node::on_disk_pressure() {
  registration_.show_disk_problem(disk_pressure_.problem());
  sync_.look_at_waiting();
}

Agent::Agent(net::EventLoop& loop, Rng& rng, client::ApiClient& client, Options options)
    : node_(std::make_unique<Node>(loop, rng, client, std::move(options))) {}

Agent::~Agent() = default;

Status Agent::start() {
  return node_->start();
}

Result<std::unique_ptr<node::LogStream>> Agent::read_log(const node::LogRequest& request,
                                                         UniqueFunction<void(std::string_view)> on_text,
                                                         UniqueFunction<void(Status)> on_end) {
  return node_->logs().read(request, std::move(on_text), std::move(on_end));
}

void Agent::log_end(std::string pod_uid, std::string container, UniqueFunction<void(std::string)> done) {
  node_->logs().end_of(std::move(pod_uid), std::move(container), std::move(done));
}

void Agent::recent_events(node::FilePlace folder, node::EventSearch search,
                          UniqueFunction<void(Result<node::EventFolders>)> done) {
  node_->files().recent_events(std::move(folder), std::move(search), std::move(done));
}

Result<std::unique_ptr<node::ExecSession>> Agent::exec(const node::ExecRequest& request, node::ExecSink sink) {
  return begin_exec(node_->loop(), node_->channel_of(request.pod_uid), request, std::move(sink));
}

Result<std::unique_ptr<node::ExecSession>> Agent::attach(const node::ExecRequest& request, node::ExecSink sink) {
  return begin_attach(node_->loop(), node_->channel_of(request.pod_uid), request, std::move(sink));
}

void Agent::open_doors(int port, NetworkDoors doors) {
  node_->networks().open_doors(port, std::move(doors));
}

Result<std::unique_ptr<node::PortSession>> Agent::connect(const node::PortRequest& request, node::PortSink sink) {
  return node_->ports().connect(request, std::move(sink));
}

node::PodSockets Agent::sockets_of(const std::string& pod_uid) {
  Node& node = *node_;
  return {
      .open = [&node, pod_uid](node::OnSocket done) { node.open_socket(pod_uid, std::move(done)); },
      .check = [&node, pod_uid](int socket,
                                UniqueFunction<void(Status)> done) { node.check(pod_uid, socket, std::move(done)); }};
}

node::ClaimFiles* Agent::claim_files() {
  return &node_->files();
}

node::PodHistory* Agent::pod_history() {
  return &node_->logs();
}

node::MetricsApi& Agent::metrics() {
  return node_->metrics();
}

}  // namespace muster::agent
