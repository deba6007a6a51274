#include "agent/shim/shim_os.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

#include "agent/shim/shim_program.h"
#include "base/files.h"
#include "base/log.h"
#include "linux/files.h"
#include "linux/process.h"
#include "shim/format.h"

namespace muster::agent {
namespace {

constexpr Duration kReconnectAfter = std::chrono::seconds(1);
constexpr int kFirstVersionWithChannel = 2;

/// A shim of version 1 was started once for each run, and does not report its number.
AttemptRecord with_runs(AttemptRecord record, int shim_version, int launch) {
  if (shim_version >= kFirstVersionWithChannel) return record;
  for (ContainerRecord& container : record.containers) container.run = launch;
  return record;
}

}  // namespace

ShimOs::ShimOs(Loop& loop, const Paths& paths, Trash& trash, std::vector<Isolator*> isolators, Plan plan, Report report,
               OnChange on_change)
    : loop_(loop),
      paths_(paths),
      trash_(trash),
      isolators_(std::move(isolators)),
      plan_(std::move(plan)),
      report_(std::move(report)),
      on_change_(std::move(on_change)) {}

ShimOs::~ShimOs() {
  while (!shims_.empty()) forget(shims_.begin()->first);
}

Status ShimOs::start() {
  TRY_ASSIGN(boot_id_, linux_os::boot_id());
  TRY_ASSIGN(program_, install_shim(paths_.root()));
  for (const std::string& uid : pods_on_disk()) {
    const auto launch = agent::last_launch(paths_.pod(uid));
    const Presence presence = launch ? look(uid, *launch).presence : Presence::kNothing;
    if (presence != Presence::kRunning && presence != Presence::kUnclear) {
      release(uid);  // it ended while no server was there
      continue;
    }
    if (presence == Presence::kRunning) LOG_INFO("pod adopted", {"uid", uid}, {"launch", *launch});
    if (presence == Presence::kUnclear) unclear_.insert(uid);
    for (Isolator* isolator : isolators_) isolator->recover(uid);
  }
  return ok();
}

std::vector<std::string> ShimOs::pods_on_disk() const {
  std::vector<std::string> uids;
  std::error_code error;  // no folder, no pods
  for (const auto& entry : std::filesystem::directory_iterator(paths_.pods(), error)) {
    uids.push_back(entry.path().filename().string());
  }
  return uids;
}

std::map<std::string, const AttemptRecord*> ShimOs::running() const {
  std::map<std::string, const AttemptRecord*> pods;
  for (const auto& [uid, shim] : shims_) {
    if (shim.presence == Presence::kRunning && shim.record) pods[uid] = &*shim.record;
  }
  return pods;
}

ShimOs::Shim* ShimOs::find(const std::string& uid) {
  const auto found = shims_.find(uid);
  return found == shims_.end() ? nullptr : &found->second;
}

std::optional<int> ShimOs::last_launch(const std::string& uid) const {
  return agent::last_launch(paths_.pod(uid));
}

std::optional<AttemptRecord> ShimOs::record_of(const std::string& uid, int launch) const {
  Recovered found = examine_launch(paths_.attempt(uid, launch));
  auto record = found.end ? std::move(found.end) : std::move(found.state);
  if (!record) return std::nullopt;
  return with_runs(*std::move(record), found.shim_version, launch);
}

Sighting ShimOs::look(const std::string& uid, int launch) {
  if (const Shim* shim = find(uid); shim != nullptr && shim->launch == launch) return {shim->presence, shim->record};
  Recovered found = examine_launch(paths_.attempt(uid, launch));
  auto record = found.end ? std::move(found.end) : std::move(found.state);
  if (record) record = with_runs(*std::move(record), found.shim_version, launch);
  if (found.presence != Presence::kUnclear && unclear_.erase(uid) > 0 && found.presence != Presence::kRunning)
    release(uid);
  if (found.presence == Presence::kRunning) {
    Shim shim;
    shim.launch = launch;
    shim.version = found.shim_version;
    shim.presence = Presence::kRunning;
    shim.record = record;
    shim.pidfd = std::move(found.pidfd);
    follow(uid, std::move(shim));
    connect(uid);
  }
  return {found.presence, std::move(record)};
}

ShimOs::Shim& ShimOs::follow(const std::string& uid, Shim shim) {
  Shim& kept = shims_[uid] = std::move(shim);
  kept.pidfd_id = loop_.on_readable(kept.pidfd.get(), [this, uid] { on_exit(uid); });
  return kept;
}

void ShimOs::forget(const std::string& uid) {
  const auto found = shims_.find(uid);
  if (found == shims_.end()) return;
  for (const Loop::Id id : {found->second.pidfd_id, found->second.socket_id, found->second.timer_id}) {
    if (id != 0) loop_.cancel(id);
  }
  shims_.erase(found);
}

void ShimOs::release(const std::string& uid) {
  for (Isolator* isolator : isolators_) isolator->release(uid);
}

void ShimOs::on_exit(const std::string& uid) {
  Shim* shim = find(uid);
  if (shim == nullptr || !linux_os::has_ended(shim->pidfd)) return;
  const std::string folder = paths_.attempt(uid, shim->launch);
  forget(uid);
  release(uid);
  // What the containers wrote outside their volumes goes with them; logs and records stay.
  if (const auto taken = trash_.take(folder + "/scratch"); !taken)
    LOG_WARN("not removed", {"error", taken.error().message});
  on_change_(uid);
}

// ---- the channel ----

void ShimOs::connect(const std::string& uid) {
  Shim& shim = shims_.at(uid);
  const std::string folder = paths_.attempt(uid, shim.launch);
  if (shim.version < kFirstVersionWithChannel) {
    if (const auto text = read_file(folder + kStateFile)) {
      if (auto record = parse_record(*text)) shim.record = with_runs(*std::move(record), shim.version, shim.launch);
    }
    on_change_(uid);
    return look_later(uid);
  }
  auto channel = ShimChannel::connect(loop_, folder,
                                      {.on_state =
                                           [this, uid](AttemptRecord record) {
                                             shims_.at(uid).record = std::move(record);
                                             on_change_(uid);
                                           },
                                       .on_closed =
                                           [this, uid] {
                                             shims_.at(uid).channel.reset();
                                             look_later(uid);
                                           }});
  if (channel) {
    shim.channel = *std::move(channel);
  } else {
    look_later(uid);  // it is on its way out, or has too many connections
  }
}

void ShimOs::look_later(const std::string& uid) {
  Shim& shim = shims_.at(uid);
  if (shim.timer_id != 0) loop_.cancel(shim.timer_id);
  shim.timer_id = loop_.after(kReconnectAfter, [this, uid] {
    Shim* late = find(uid);
    if (late == nullptr) return;
    late->timer_id = 0;
    connect(uid);
  });
}

ShimChannel* ShimOs::channel(const std::string& uid) {
  Shim* shim = find(uid);
  return shim == nullptr ? nullptr : shim->channel.get();
}

std::string ShimOs::launch_folder(const std::string& uid) const {
  const auto shim = shims_.find(uid);
  return shim == shims_.end() ? "" : paths_.attempt(uid, shim->second.launch);
}

void ShimOs::kill_container(const std::string& uid, const std::string& container, int run, std::int64_t grace_seconds,
                            ShimChannel::Done done) {
  if (ShimChannel* shim = channel(uid)) return shim->kill_container(container, run, grace_seconds, std::move(done));
  fail_without_channel(uid, std::move(done));
}

void ShimOs::kill_for_memory(const std::string& uid, const std::string& container, int run, const std::string& why,
                             ShimChannel::Done done) {
  if (ShimChannel* shim = channel(uid)) return shim->kill_for_memory(container, run, why, std::move(done));
  fail_without_channel(uid, std::move(done));
}

void ShimOs::fail_without_channel(const std::string& uid, ShimChannel::Done done) {
  const bool is_too_old = find(uid) != nullptr && find(uid)->version < kFirstVersionWithChannel;
  loop_.post([is_too_old, done = std::move(done)]() mutable {
    if (is_too_old) {
      done(Error{.reason = Reason::kConflict, .message = "an earlier version of the engine started the pod"});
    } else {
      done(Error{.reason = Reason::kServiceUnavailable, .message = "the pod's shim is not connected"});
    }
  });
}

// ---- a launch ----

Status ShimOs::prepare(const json::Document& pod, int launch, const std::map<std::string, int>& first_runs) {
  const std::string& uid = pod.string_at("metadata", "uid");
  TRY_ASSIGN(LaunchPlan plan, plan_(pod));
  for (LaunchContainer& container : plan.launch.containers) {
    if (const auto first = first_runs.find(container.name); first != first_runs.end()) container.run = first->second;
  }
  TRY(make_directories(paths_.pod(uid), 0700));
  for (Isolator* isolator : isolators_) TRY(isolator->prepare(pod, plan));
  report_(pod, plan.events);
  const std::string folder = paths_.attempt(uid, launch);
  if (const auto made = linux_os::make_directory_exclusively(folder, 0700); !made) {
    if (made.error().reason != Reason::kAlreadyExists) return made.error();
    on_change_(uid);  // it was launched before: what became of it decides what to do next
    return ok();
  }
  // It takes its room now: a pod that fills the disk can still be stopped.
  TRY(linux_os::overwrite_file(folder + kGraceFile, std::to_string(plan.launch.grace_seconds), 0600));
  auto started = start_shim(program_, folder, encode_launch(plan.launch), plan.locks);
  if (!started) {
    // No shim was started, so the number can be used again.
    release(uid);
    TRY(trash_.take(folder));
    return std::move(started).error();
  }
  Shim shim;
  shim.launch = launch;
  shim.version = MUSTER_SHIM_VERSION;
  shim.pidfd = std::move(started->process.pidfd);
  shim.socket = std::move(started->socket);
  Shim& kept = follow(uid, std::move(shim));
  kept.socket_id = loop_.on_readable(kept.socket.get(), [this, uid] { on_ready(uid); });
  return ok();
}

void ShimOs::on_ready(const std::string& uid) {
  Shim& shim = shims_.at(uid);
  char word[sizeof MUSTER_READY] = {};
  const ssize_t n = ::read(shim.socket.get(), word, sizeof word - 1);
  loop_.cancel(std::exchange(shim.socket_id, 0));
  if (n <= 0 || std::string_view(word) != MUSTER_READY) {
    shim.socket.reset();  // the shim exits; its pidfd reports when
    return;
  }
  shim.presence = Presence::kReady;
  on_change_(uid);
}

Status ShimOs::go(const std::string& uid) {
  Shim* shim = find(uid);
  if (shim == nullptr || shim->presence != Presence::kReady) return ok();
  const std::string_view go = MUSTER_GO;
  const bool sent = ::send(shim->socket.get(), go.data(), go.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(go.size());
  shim->socket.reset();  // an unsent "go" makes the shim exit without running anything
  if (!sent) return ok();
  shim->presence = Presence::kRunning;
  connect(uid);
  return ok();
}

Status ShimOs::restart(const std::string& uid, const std::string& container, int run) {
  ShimChannel* shim = channel(uid);
  if (shim == nullptr)
    return Error{.reason = Reason::kServiceUnavailable, .message = "the pod's shim is not connected"};
  shim->start(container, run, [uid, container](Status done) {
    if (!done)
      LOG_WARN("container not restarted", {"uid", uid}, {"container", container}, {"error", done.error().message});
  });
  return ok();
}

Status ShimOs::stop(const std::string& uid, std::int64_t grace_seconds) {
  Shim* shim = find(uid);
  if (shim == nullptr) return ok();
  if (shim->presence != Presence::kRunning) {  // it has not been sent "go", and never will be
    if (shim->socket_id != 0) loop_.cancel(std::exchange(shim->socket_id, 0));
    shim->socket.reset();
    return shim->pidfd ? linux_os::send_signal(shim->pidfd, SIGCONT) : ok();
  }
  TRY(signal_stop(*shim, uid, grace_seconds));
  // A shim that somebody stopped (SIGSTOP) would never take the signal.
  return linux_os::send_signal(shim->pidfd, SIGCONT);
}

/// Shims of every version understand signals, and a signal cannot be lost with a connection.
Status ShimOs::signal_stop(const Shim& shim, const std::string& uid, std::int64_t grace_seconds) {
  if (grace_seconds <= 0) return linux_os::send_signal(shim.pidfd, SIGUSR1);
  const std::string file = paths_.attempt(uid, shim.launch) + kGraceFile;
  // Written over what is there, which takes no room on a disk that is full.
  TRY(linux_os::overwrite_file(file, std::to_string(grace_seconds), 0600));
  return linux_os::send_signal(shim.pidfd, SIGTERM);
}

Status ShimOs::discard(const std::string& uid, int launch) {
  return trash_.take(paths_.attempt(uid, launch));
}

void ShimOs::clean_up(const std::string& uid, int last_launch) {
  release(uid);
  for (Isolator* isolator : isolators_) isolator->clean_up(uid);
  for (int launch = 0; launch <= last_launch; ++launch) {
    for (const char* name : {"/scratch", "/volumes", "/root", "/shm", "/proc", "/control"}) {
      if (const auto taken = trash_.take(paths_.attempt(uid, launch) + name); !taken)
        LOG_WARN("not removed", {"error", taken.error().message});
    }
  }
}

}  // namespace muster::agent
