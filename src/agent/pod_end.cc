// The end of an attempt or of a pod, either by itself or because its deletion was requested.
#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "agent/state.h"
#include "base/files.h"
#include "base/log.h"

namespace muster::agent {
namespace {

using json::Document;

constexpr int kMaxUnrunStarts = 3;
constexpr Duration kLookAgainAfter = std::chrono::milliseconds(200);
constexpr Duration kRetryEnd = std::chrono::seconds(1);
constexpr std::int64_t kUsualGrace = 30;
constexpr int kTidyEvery = 100;  // removed pods

std::int64_t grace_of(const Document& pod) {
  for (const Document* grace :
       {pod.at("metadata", "deletionGracePeriodSeconds"), pod.at("spec", "terminationGracePeriodSeconds")}) {
    if (grace != nullptr && grace->is_int()) return grace->as_int();
  }
  return kUsualGrace;
}

Time last_end_of(const AttemptRecord& record, Time fallback) {
  Time last{};
  for (const ContainerRecord& container : record.containers) last = std::max(last, container.finished.value_or(last));
  return last == Time{} ? fallback : last;
}

}  // namespace

void Agent::State::on_shim_gone(const std::string& uid) {
  PodRun* run = find_run(uid);
  if (run == nullptr || !run->has_process() || !linux_os::has_ended(run->pidfd)) return;
  unfollow(*run);
  if (!ready_) {  // it is not known yet whether the pod is to be restarted
    run->step = Step::kLookAgain;
    return;
  }
  take_verdict(*run, examine_attempt(paths_.attempt(uid, run->attempt)));
  want_sync(uid);
}

void Agent::State::take_verdict(PodRun& run, Recovered found) {
  switch (found.verdict) {
    case Verdict::kFinished:
      return take_end(run, *std::move(found.end));
    case Verdict::kNeverRan:
      if (found.end && !found.end->notices.empty()) run.waiting_message = found.end->notices.front();
      return start_over(run);
    case Verdict::kStopped:
      return take_stop(run, found.end ? std::move(found.end) : std::move(found.state));
    case Verdict::kAdopt:
      run.step = Step::kRunning;
      run.current = std::move(found.state);
      run.pidfd = std::move(found.pidfd);
      return follow(run);
    case Verdict::kLookAgain:
      run.step = Step::kLookAgain;
      return after(run, kLookAgainAfter);
    case Verdict::kLostReboot:
      return take_loss(run, std::move(found.state), "LostReboot", "the machine was restarted while the pod ran");
    case Verdict::kLostShim:
      return take_loss(run, std::move(found.state), "LostShim", "the pod's shim was killed, and the pod with it");
  }
}

void Agent::State::take_end(PodRun& run, AttemptRecord end) {
  run.current = std::move(end);
  run.step = Step::kEnded;
  run.unrun_starts = 0;
  // What the containers wrote outside their volumes is removed; logs and records stay.
  discard(paths_.attempt(run.uid, run.attempt) + "/scratch");
  const auto pod = find_pod(run.uid);
  if (pod == nullptr) return;
  tell_progress(run, *pod);
  if (pod->at("metadata", "deletionTimestamp") == nullptr && wants_restart(*pod, *run.current)) {
    back_off(run, last_end_of(*run.current, loop_.now()));
  }
}

void Agent::State::take_loss(PodRun& run, std::optional<AttemptRecord> state, std::string reason, std::string message) {
  LOG_WARN("pod lost", {"uid", run.uid}, {"reason", reason});
  run.current = state ? std::move(state) : AttemptRecord{.ran = true, .containers = {}, .notices = {}};
  run.step = Step::kEnded;
  const auto pod = find_pod(run.uid);
  if (pod != nullptr) tell(run, *pod, {"Warning", reason, message});
  if (pod != nullptr && pod->at("metadata", "deletionTimestamp") == nullptr &&
      pod->string_at("spec", "restartPolicy") != "Never") {
    for (ContainerRecord& container : run.current->containers) {
      if (container.state != RunState::kRunning) continue;
      container.state = RunState::kTerminated;
      container.code = 137;
      container.finished = loop_.now();
      container.message = message;
    }
    return back_off(run, loop_.now());
  }
  run.failure_reason = std::move(reason);
  run.failure_message = std::move(message);
}

/// The containers run again in the same pod, whatever its restart policy, because none of them has ended by itself.
void Agent::State::take_stop(PodRun& run, std::optional<AttemptRecord> record) {
  const auto pod = find_pod(run.uid);
  if (pod == nullptr || pod->at("metadata", "deletionTimestamp") != nullptr) {
    run.current = std::move(record);
    run.step = Step::kEnded;
    return;
  }
  tell(run, *pod, {"Normal", "StartingAgain", "muster down --stop-jobs had ended the pod's processes"});
  discard(paths_.attempt(run.uid, run.attempt) + "/scratch");
  begin_next_attempt(run, std::move(record));
}

void Agent::State::begin_next_attempt(PodRun& run, std::optional<AttemptRecord> ended) {
  ++run.attempt;
  run.previous = std::move(ended);
  run.current.reset();
  run.step = Step::kWaiting;
  want_sync(run.uid);
}

/// The delay counts from the end of the attempt, so a restart of the engine neither shortens nor repeats it.
void Agent::State::back_off(PodRun& run, Time ended) {
  run.step = Step::kBackOff;
  const Duration left =
      std::max(Duration(0), ended + restart_delay(run.attempt, options_.first_restart_delay) - loop_.now());
  if (run.timer_id != 0) loop_.cancel(run.timer_id);
  run.timer_id = loop_.after(left, [this, uid = run.uid] {
    PodRun* late = find_run(uid);
    if (late == nullptr || late->step != Step::kBackOff) return;
    late->timer_id = 0;
    begin_next_attempt(*late, std::exchange(late->current, std::nullopt));
  });
}

/// The attempt never ran, so the same number is retried, up to kMaxUnrunStarts times.
void Agent::State::start_over(PodRun& run) {
  const auto pod = find_pod(run.uid);
  if (run.stopping_with || pod == nullptr) {
    run.step = Step::kEnded;
    return;
  }
  if (++run.unrun_starts > kMaxUnrunStarts) {
    return fail(run, *pod,
                fmt::format("the pod's shim leaves before it runs anything: {}",
                            run.waiting_message.empty() ? "no reason given" : run.waiting_message));
  }
  if (const auto removed = trash_.take(paths_.attempt(run.uid, run.attempt)); !removed) {
    return fail(run, *pod, removed.error().message);
  }
  run.step = Step::kWaiting;
  run.current.reset();
  want_sync(run.uid);
}

/// Nothing was started and nothing will be. Every container is reported as ended, so that the pod counts as failed.
void Agent::State::fail(PodRun& run, const Document& pod, const std::string& message) {
  AttemptRecord record;
  for (const bool is_init : {true, false}) {
    const Document* list = pod.at("spec", is_init ? "initContainers" : "containers");
    if (list == nullptr || !list->is_array()) continue;
    for (const Document& container : list->as_array()) {
      record.containers.push_back({.name = container.string_at("name"),
                                   .is_init = is_init,
                                   .state = RunState::kTerminated,
                                   .started = {},
                                   .finished = loop_.now(),
                                   .code = 128,
                                   .signal = 0,
                                   .message = message});
    }
  }
  run.current = std::move(record);
  run.step = Step::kEnded;
}

void Agent::State::stop(PodRun& run, const Document* pod, std::int64_t grace) {
  if (run.stopping_with && *run.stopping_with <= grace) return;
  run.stopping_with = grace;
  if (run.step == Step::kStarting) {  // the shim has not been sent "go", and never will be
    if (run.socket_id != 0) loop_.cancel(std::exchange(run.socket_id, 0));
    run.socket.reset();
    return;
  }
  if (pod != nullptr) {
    for (const Document& container : pod->array_at("spec", "containers")) {
      tell(run, *pod, {"Normal", "Killing", "Stopping container " + container.string_at("name")});
    }
  }
  const int signal = grace > 0 ? SIGTERM : SIGUSR1;
  if (grace > 0) {
    const auto written =
        write_file_atomically(paths_.attempt(run.uid, run.attempt) + kGraceFile, std::to_string(grace), 0600);
    if (!written) LOG_WARN("grace not written, the pod's own holds", {"error", written.error().message});
  }
  if (const auto sent = linux_os::send_signal(run.pidfd, signal); !sent) {
    LOG_ERROR("shim not signalled", {"uid", run.uid}, {"error", sent.error().message});
  }
}

void Agent::State::sync_deleted(PodRun& run, const Document& pod) {
  if (run.has_process()) return stop(run, &pod, grace_of(pod));
  if (run.step == Step::kLookAgain) {
    take_verdict(run, examine_attempt(paths_.attempt(run.uid, run.attempt)));
    if (run.step == Step::kLookAgain) return;  // the timer will retry
    if (run.has_process()) return want_sync(run.uid);
  }
  if (run.timer_id != 0) loop_.cancel(std::exchange(run.timer_id, 0));
  // Watchers see how the pod ended before they see it deleted.
  if (run.step == Step::kBackOff) run.step = Step::kEnded;
  if (run.step == Step::kEnded && run.current && !push_status(run, pod)) return;
  remove_pod(run, pod);
}

void Agent::State::remove_pod(PodRun& run, const Document& pod) {
  if (std::exchange(run.removing, true)) return;
  clean_up(run);
  client::DeleteOptions options;
  options.grace_period_seconds = 0;
  options.precondition_uid = run.uid;
  client_.remove({client::ResourceName("", "v1", "pods"), pod.string_at("metadata", "namespace"),
                  pod.string_at("metadata", "name")},
                 options, [this, alive = alive_, uid = run.uid](Result<Document> done) {
                   if (!*alive) return;
                   PodRun* late = find_run(uid);
                   if (late == nullptr) return;
                   if (done || done.error().reason == Reason::kNotFound || done.error().reason == Reason::kConflict)
                     return;
                   LOG_WARN("pod not removed, trying again", {"uid", uid}, {"error", done.error().message});
                   late->removing = false;
                   after(*late, kRetryEnd);
                 });
}

/// The pod is no longer in the API, so nothing needs what is left of it.
void Agent::State::sync_gone(PodRun& run) {
  if (run.has_process()) return stop(run, nullptr, 0);
  if (run.step == Step::kLookAgain) {
    Recovered found = examine_attempt(paths_.attempt(run.uid, run.attempt));
    if (found.verdict == Verdict::kLookAgain) return after(run, kLookAgainAfter);
    if (found.verdict == Verdict::kAdopt) {
      take_verdict(run, std::move(found));
      return stop(run, nullptr, 0);
    }
  }
  clean_up(run);
  if (run.timer_id != 0) loop_.cancel(run.timer_id);
  addresses_.erase(run.address);
  const std::string uid = run.uid;
  runs_.erase(uid);
  if (++gone_since_tidied_ >= kTidyEvery) forget_old_logs();
}

/// Removes everything except logs and records.
void Agent::State::clean_up(const PodRun& run) {
  discard(paths_.pod_volumes(run.uid));
  for (int attempt = 0; attempt <= run.attempt; ++attempt) {
    for (const char* name : {"/scratch", "/volumes", "/root", "/shm", "/launch"}) {
      discard(paths_.attempt(run.uid, attempt) + name);
    }
  }
}

void Agent::State::discard(const std::string& path) {
  if (const auto taken = trash_.take(path); !taken) LOG_WARN("not removed", {"error", taken.error().message});
}

}  // namespace muster::agent
