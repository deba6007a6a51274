// Starts the processes of a pod that is bound here. The order makes a second start impossible, wherever the server
// dies: the intent (address, attempt) is in the pod's status in the API; the attempt's folder is created exclusively;
// the shim is started and waits; the shim itself syncs its handle (shim.json) to disk; only then is it sent "go". A
// server that dies before that closes the socket, and the shim exits without having run anything.
#include <fmt/core.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "agent/name_index.h"
#include "agent/shim/format.h"
#include "agent/shim_program.h"
#include "agent/state.h"
#include "api/owners.h"
#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

using json::Document;

constexpr Duration kRetryStart = std::chrono::seconds(10);

std::int64_t restart_count_of(const Document& pod) {
  const Document* statuses = pod.at("status", "containerStatuses");
  if (statuses == nullptr || !statuses->is_array() || statuses->as_array().empty()) return -1;
  return statuses->as_array()[0].int_at("restartCount");
}

}  // namespace

/// The API must show the intent before anything starts.
bool Agent::State::may_start(const PodRun& run, const Document& pod) const {
  return !run.address.empty() && pod.string_at("status", "podIP") == run.address &&
         restart_count_of(pod) == run.attempt && gang_is_complete(pod);
}

/// Every pod of the gang must be bound here and have an address, so that each can resolve the others from the start.
bool Agent::State::gang_is_complete(const Document& pod) const {
  const std::size_t size = api::gang_size(pod);
  if (size <= 1) return true;
  const std::string gang = api::gang_of(pod);
  if (gang_members_.empty()) {
    for (const auto& [key, held] : pods_->cache()) {
      const Document* other = held.document.get();
      if (other->string_at("status", "podIP").empty() || other->at("metadata", "deletionTimestamp") != nullptr)
        continue;
      ++gang_members_[api::gang_of(*other)];
    }
  }
  const auto present = gang_members_.find(gang);
  return present != gang_members_.end() && present->second >= size;
}

References Agent::State::references_of(const std::string& ns) const {
  return {.config_map = [this, ns](const std::string& name) { return config_maps_->find(ns, name); },
          .secret = [this, ns](const std::string& name) { return secrets_->find(ns, name); },
          .claim = [this, ns](const std::string& name) { return claims_->find(ns, name); }};
}

void Agent::State::try_start(PodRun& run, const Document& pod) {
  LaunchInputs inputs;
  inputs.pod = &pod;
  inputs.facts = {
      .address = run.address, .host_address = "127.0.0.1", .node_cpus = machine_.cpus, .node_memory = machine_.memory};
  inputs.references = references_of(pod.string_at("metadata", "namespace"));
  const auto plan = plan_launch(inputs, options_, paths_);
  if (!plan && plan.error().reason != Reason::kNotFound) {
    tell(run, pod, {"Warning", "Failed", plan.error().message});
    return fail(run, pod, plan.error().message);
  }
  if (!plan) {  // it starts when the missing object appears
    run.waiting_reason = "ContainerCreating";
    run.waiting_message = plan.error().message;
    return tell(run, pod, {"Warning", "FailedMount", plan.error().message});
  }
  run.waiting_reason.clear();
  run.waiting_message.clear();
  for (const Remark& remark : plan->remarks) tell(run, pod, remark);
  if (hosts_to_write_.erase(pod.string_at("metadata", "namespace")) > 0) {
    write_hosts(pod.string_at("metadata", "namespace"));
  }
  if (const auto started = start_attempt(run, pod, *plan); !started) {
    run.waiting_reason = "CreateContainerError";
    run.waiting_message = started.error().message;
    tell(run, pod, {"Warning", "FailedStart", started.error().message});
    after(run, kRetryStart);
  }
}

Status Agent::State::start_attempt(PodRun& run, const Document& pod, const LaunchPlan& plan) {
  for (const std::string& folder : plan.folders) TRY(make_directories(folder, 0755));
  TRY(make_directories(paths_.pod(run.uid), 0700));
  if (!run.name_remembered) TRY(remember_name(paths_, pod));
  run.name_remembered = true;
  const std::string folder = paths_.attempt(run.uid, run.attempt);
  if (const auto made = linux_os::make_directory_exclusively(folder, 0700); !made) {
    if (made.error().reason != Reason::kAlreadyExists) return made.error();
    // The attempt was started before: its outcome decides what to do next.
    take_verdict(run, examine_attempt(folder));
    return ok();
  }
  Status started = linux_os::write_new_file(folder + kLaunchFile, encode_launch(plan.launch), 0600);
  if (started) {
    auto shim = start_shim(shim_program_, folder);
    if (shim) {
      run.pidfd = std::move(shim->process.pidfd);
      run.socket = std::move(shim->socket);
    } else {
      started = std::move(shim).error();
    }
  }
  if (!started) {
    // No shim was started, so the attempt's number can be used again.
    TRY(trash_.take(folder));
    return started;
  }
  run.step = Step::kStarting;
  run.current.reset();
  follow(run);
  run.socket_id = loop_.on_readable(run.socket.get(), [this, uid = run.uid] { on_ready(uid); });
  return ok();
}

void Agent::State::on_ready(const std::string& uid) {
  PodRun* run = find_run(uid);
  if (run == nullptr || run->socket_id == 0) return;
  char word[sizeof MUSTER_READY] = {};
  const ssize_t n = ::read(run->socket.get(), word, sizeof word - 1);
  loop_.cancel(std::exchange(run->socket_id, 0));
  if (n <= 0 || std::string_view(word) != MUSTER_READY || run->stopping_with) {
    run->socket.reset();  // the shim exits; its pidfd reports when
    return;
  }
  const std::string_view go = MUSTER_GO;
  if (::send(run->socket.get(), go.data(), go.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(go.size())) {
    run->step = Step::kRunning;
  }
  run->socket.reset();
}

void Agent::State::follow(PodRun& run) {
  run.pidfd_id = loop_.on_readable(run.pidfd.get(), [this, uid = run.uid] { on_shim_gone(uid); });
  const auto watch =
      inotify_->watch_folder(paths_.attempt(run.uid, run.attempt), linux_os::Inotify::Interest::kReplaced);
  if (!watch) {
    // The shim's exit is still noticed; only changes before it are not.
    LOG_WARN("pod's records not watched", {"uid", run.uid}, {"error", watch.error().message});
    return;
  }
  run.watch = *watch;
  watches_[*watch] = run.uid;
}

void Agent::State::unfollow(PodRun& run) {
  if (run.pidfd_id != 0) loop_.cancel(std::exchange(run.pidfd_id, 0));
  if (run.socket_id != 0) loop_.cancel(std::exchange(run.socket_id, 0));
  run.socket.reset();
  run.pidfd.reset();
  if (run.watch >= 0) {
    inotify_->forget(run.watch);
    watches_.erase(run.watch);
    run.watch = -1;
  }
}

void Agent::State::on_records_changed() {
  std::set<std::string> changed;
  for (const linux_os::Inotify::Event& event : inotify_->read()) {
    if (event.overflow) {
      for (const auto& [watch, uid] : watches_) changed.insert(uid);
    } else if (const auto found = watches_.find(event.watch); found != watches_.end() && event.name == "state.json") {
      changed.insert(found->second);
    }
  }
  for (const std::string& uid : changed) {
    PodRun* run = find_run(uid);
    if (run == nullptr) continue;
    const auto text = read_file(paths_.attempt(uid, run->attempt) + kStateFile);
    auto record = text ? parse_record(*text) : Result<AttemptRecord>(text.error());
    if (!record) continue;  // removed together with its pod
    run->current = *std::move(record);
    if (const auto pod = find_pod(uid)) tell_progress(*run, *pod);
    want_sync(uid);
  }
}

}  // namespace muster::agent
