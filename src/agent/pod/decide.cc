#include "agent/pod/decide.h"

#include <fmt/core.h>

#include <algorithm>

namespace muster::agent {
namespace {

constexpr int kMaxUnrunLaunches = 3;
constexpr Duration kUnclearFor = std::chrono::milliseconds(200);
constexpr Duration kLongRun = std::chrono::minutes(10);
constexpr int kMaxDelayFactor = 30;
// The kubelet's value: a pod that fills the disk must end soon.
constexpr std::int64_t kEvictionGrace = 1;
// Also the kubelet's: hooks that take the whole grace period leave this much to the container.
constexpr std::int64_t kShortestAfterHooks = 2;

Time last_end_of(const AttemptRecord& record, Time otherwise) {
  Time last{};
  for (const ContainerRecord& container : record.containers) last = std::max(last, container.finished.value_or(last));
  return last == Time{} ? otherwise : last;
}

/// Whether the policy asks for another run of a container that has ended. Init containers run again only until they
/// succeed.
bool wants_another_run(RestartPolicy policy, const ContainerRecord& container) {
  if (container.state != RunState::kTerminated || policy == RestartPolicy::kNever) return false;
  if (container.killed && !container.is_init) return true;
  if (container.is_init || policy == RestartPolicy::kOnFailure) return container.has_failed();
  return true;
}

bool wants_another_launch(RestartPolicy policy, const AttemptRecord& ended) {
  if (policy == RestartPolicy::kNever) return false;
  return policy == RestartPolicy::kAlways || !ended.ended_well();
}

/// The runs with which the next launch begins: a container that has begun a run begins the next one.
std::map<std::string, int> runs_after(const std::map<std::string, int>& first_runs, const AttemptRecord& ended) {
  std::map<std::string, int> next = first_runs;
  for (const ContainerRecord& container : ended.containers) {
    next[container.name] = container.state == RunState::kWaiting ? container.run : container.run + 1;
  }
  return next;
}

/// The containers ran when their shim was lost: they have ended, but how is unknown.
void end_running(AttemptRecord& record, Time now, const std::string& message) {
  for (ContainerRecord& container : record.containers) {
    if (container.state != RunState::kRunning) continue;
    container.state = RunState::kTerminated;
    container.code = 137;
    container.finished = now;
    container.message = message;
  }
}

/// Ends the pod's processes within the grace period, of which its preStop hooks use a part.
void stop_within(std::int64_t grace, const Sighting& seen, const StopHooks& hooks, Time now, PodDecision& decision) {
  PodMemory& memory = decision.memory;
  if (memory.stopping_with && *memory.stopping_with <= grace) return;
  const bool runs = seen.presence == Presence::kRunning && grace > 0;
  if (runs && (hooks.state == StopHooks::State::kDue || hooks.state == StopHooks::State::kRunning)) {
    if (memory.hooks_within && *memory.hooks_within <= grace) return;
    memory.hooks_within = grace;
    decision.steps.emplace_back(RunStopHooks{grace});
    return;
  }
  memory.stopping_with = grace;
  const bool had_hooks = runs && hooks.state == StopHooks::State::kDone;
  decision.steps.emplace_back(StopPod{had_hooks ? grace_after_hooks(grace, now - hooks.begun) : grace});
}

/// Decides about a pod that the API has and nobody has deleted.
class Keep {
 public:
  Keep(const PodMemory& memory, const DesiredPod& pod, const Sighting& seen, const PodContext& around)
      : pod_(pod), seen_(seen), around_(around) {
    decision_.memory = memory;
  }

  PodDecision run() {
    if (pod_.has_ended && !is_alive()) return std::move(decision_);
    view_.current = seen_.record;
    switch (seen_.presence) {
      case Presence::kNothing:
        nothing_started();
        break;
      case Presence::kStarting:
        view_.intent = intent();
        break;
      case Presence::kReady:
        view_.intent = intent();
        ready();
        break;
      case Presence::kRunning:
        running();
        break;
      case Presence::kUnclear:
        view_.stage = Stage::kRunning;
        decision_.look_again = kUnclearFor;
        break;
      case Presence::kNeverRan:
        never_ran();
        break;
      case Presence::kEnded:
        ended();
        break;
      case Presence::kStopped:
        stopped();
        break;
      case Presence::kLostShim:
        lost("LostShim", "the pod's shim was killed, and the pod with it");
        break;
      case Presence::kLostReboot:
        lost_with_machine();
        break;
    }
    report_progress();
    finish_view();
    return std::move(decision_);
  }

 private:
  PodMemory& memory() { return decision_.memory; }
  template <typename Next>
  void step(Next next) {
    decision_.steps.emplace_back(std::move(next));
  }
  Intent intent() const { return {decision_.memory.launch, around_.boot_id}; }

  bool is_alive() const {
    return seen_.presence == Presence::kStarting || seen_.presence == Presence::kReady ||
           seen_.presence == Presence::kRunning || seen_.presence == Presence::kUnclear;
  }

  void nothing_started() {
    if (was_intended_before_reboot()) return lost_with_machine();
    if (has_exceeded(around_.now)) return exceed();
    switch (around_.readiness.state) {
      case Readiness::State::kImpossible:
        decision_.events.push_back({"Warning", "Failed", around_.readiness.message});
        return fail("", around_.readiness.message);
      case Readiness::State::kWaits:
        if (!around_.readiness.message.empty()) {
          decision_.events.push_back({"Warning", around_.readiness.event, around_.readiness.message});
        }
        view_.waiting_reason = around_.readiness.reason;
        view_.waiting_message = around_.readiness.message;
        return look_at_deadline();
      case Readiness::State::kReady:
        break;
    }
    view_.intent = intent();
    if (memory().prepare_again && *memory().prepare_again > around_.now) {
      view_.waiting_reason = "CreateContainerError";
      view_.waiting_message = memory().prepare_error;
      return look_again_in(*memory().prepare_again - around_.now);
    }
    // The API must show the intent before anything starts.
    if (pod_.intent == intent() && pod_.address == around_.address) step(PrepareLaunch{});
  }

  /// Whatever is missing on disk may not have reached it before the power went.
  bool was_intended_before_reboot() const {
    return pod_.intent && pod_.intent->launch == decision_.memory.launch && pod_.intent->boot_id != around_.boot_id;
  }

  void ready() {
    // The first rank may have ended and be deleted before the head start is over; the others start anyway.
    if (!memory().gang_ready_at) {
      if (!around_.gang_is_ready) return;
      memory().gang_ready_at = around_.now;
    }
    const Duration left = *memory().gang_ready_at + pod_.head_start - around_.now;
    // More than the whole head start is left only when the clock was set back.
    if (left <= Duration(0) || left > pod_.head_start) return step(SendGo{});
    look_again_in(left);
  }

  void running() {
    view_.stage = Stage::kRunning;
    view_.intent = intent();
    memory().unrun_launches = 0;
    if (has_exceeded(around_.now)) {
      stop_with(pod_.grace_seconds);
      return;
    }
    if (!around_.eviction.empty()) return begin_eviction();
    look_at_deadline();
    if (!seen_.record) return;
    for (const ContainerRecord& container : seen_.record->containers) {
      if (!wants_another_run(pod_.restart_policy, container)) continue;
      const Duration delay = restart_delay(container, around_.first_restart_delay);
      const Duration left = container.finished.value_or(around_.now) + delay - around_.now;
      if (left <= Duration(0)) {
        step(RestartContainer{container.name, container.run + 1});
        continue;
      }
      view_.restart_delays[container.name] = delay;
      look_again_in(left);
      decision_.events.push_back({"Warning", "BackOff",
                                  fmt::format("Back-off restarting failed container {}", container.name),
                                  container.run});
    }
  }

  void begin_eviction() {
    decision_.events.push_back({"Warning", "Evicted", around_.eviction});
    stop_with(std::min(pod_.grace_seconds, kEvictionGrace));
  }

  void stop_with(std::int64_t grace) { stop_within(grace, seen_, around_.stop_hooks, around_.now, decision_); }

  void never_ran() {
    if (!seen_.record && was_intended_before_reboot()) return lost_with_machine();
    if (++memory().unrun_launches > kMaxUnrunLaunches) {
      const bool has_reason = seen_.record && !seen_.record->notices.empty();
      return fail("", fmt::format("the pod's shim ended before it started a container: {}",
                                  has_reason ? seen_.record->notices.front() : "no reason given"));
    }
    memory().gang_ready_at.reset();
    view_.current.reset();
    view_.intent = intent();
    step(DiscardLaunch{});
    decision_.look_again = Duration(0);
  }

  void ended() {
    memory().unrun_launches = 0;
    const Time when = last_end_of(*seen_.record, around_.now);
    if (has_exceeded(when)) return exceed();
    if (!around_.eviction.empty()) return fail("Evicted", around_.eviction);
    // Only a shim of an earlier version leaves while its containers are still to be restarted.
    if (wants_another_launch(pod_.restart_policy, *seen_.record)) return back_off(*seen_.record, when);
    view_.stage = Stage::kEnded;
  }

  /// The containers run again whatever the restart policy says, because none of them has ended by itself.
  void stopped() {
    decision_.events.push_back({"Normal", "StartingAgain", "muster down --stop-jobs ended the pod's processes"});
    begin_next_launch(seen_.record.value_or(AttemptRecord{}));
  }

  void lost_with_machine() { lost("LostReboot", "the machine was restarted while the pod ran"); }
  void lost(std::string reason, std::string message) {
    decision_.events.push_back({"Warning", reason, message});
    AttemptRecord record = seen_.record ? *seen_.record : as_if_all_ran();
    if (!memory().lost_at) memory().lost_at = around_.now;
    end_running(record, *memory().lost_at, message);
    if (pod_.restart_policy != RestartPolicy::kNever) return back_off(record, *memory().lost_at);
    view_.current = std::move(record);
    fail(std::move(reason), std::move(message));
  }

  /// Nothing was recorded of the launch: each container may have run.
  AttemptRecord as_if_all_ran() {
    AttemptRecord record;
    record.ran = true;
    for (const DesiredContainer& container : pod_.containers) {
      ContainerRecord shown;
      shown.name = container.name;
      shown.is_init = container.is_init;
      shown.state = RunState::kRunning;
      shown.run = memory().first_runs[container.name];
      record.containers.push_back(std::move(shown));
    }
    return record;
  }

  /// The delay counts from the end of the launch, so a restart of the server neither shortens nor repeats it.
  void back_off(const AttemptRecord& record, Time when) {
    Duration delay{};
    for (const ContainerRecord& container : record.containers) {
      if (container.state == RunState::kTerminated)
        delay = std::max(delay, restart_delay(container, around_.first_restart_delay));
    }
    const Duration left = when + delay - around_.now;
    if (left <= Duration(0)) return begin_next_launch(record);
    view_.stage = Stage::kBackOff;
    view_.current = record;
    for (const ContainerRecord& container : record.containers) view_.restart_delays[container.name] = delay;
    look_again_in(left);
  }

  void begin_next_launch(const AttemptRecord& record) {
    PodMemory& m = memory();
    m.first_runs = runs_after(m.first_runs, record);
    m.previous = record;
    ++m.launch;
    m.stopping_with.reset();
    m.hooks_within.reset();
    m.lost_at.reset();
    m.gang_ready_at.reset();
    view_.stage = Stage::kPending;
    view_.current.reset();
    decision_.look_again = Duration(0);
  }

  // ---- the deadline ----

  bool has_exceeded(Time when) const { return pod_.deadline && when >= *pod_.deadline; }
  void exceed() { fail("DeadlineExceeded", "Pod was active on the node longer than the specified deadline"); }
  void look_at_deadline() {
    if (pod_.deadline) look_again_in(*pod_.deadline - around_.now);
  }

  // ---- the end ----

  /// Every container is shown as ended, so that the pod counts as failed.
  void fail(std::string reason, std::string message) {
    AttemptRecord record = view_.current.value_or(AttemptRecord{});
    for (const DesiredContainer& container : pod_.containers) {
      if (record.find(container.name) != nullptr) continue;
      ContainerRecord shown;
      shown.name = container.name;
      shown.is_init = container.is_init;
      shown.state = RunState::kTerminated;
      shown.finished = around_.now;
      shown.code = 128;
      shown.message = message;
      record.containers.push_back(std::move(shown));
    }
    view_.stage = Stage::kEnded;
    view_.current = std::move(record);
    view_.failure_reason = std::move(reason);
    view_.failure_message = std::move(message);
  }

  void report_progress() {
    if (!seen_.record) return;
    for (const std::string& notice : seen_.record->notices) decision_.events.push_back({"Warning", "Sandbox", notice});
    for (const ContainerRecord& container : seen_.record->containers) {
      if (container.started) {
        decision_.events.push_back({"Normal", "Created", "Created container: " + container.name, container.run});
        decision_.events.push_back({"Normal", "Started", "Started container " + container.name, container.run});
      }
      if (!container.message.empty()) {
        decision_.events.push_back(
            {"Warning", "Failed",
             fmt::format("Error: container {} could not be started: {}", container.name, container.message),
             container.run});
      }
    }
  }

  void look_again_in(Duration delay) { decision_.look_again = std::min(decision_.look_again.value_or(delay), delay); }

  void finish_view() {
    view_.address = around_.address;
    view_.now = around_.now;
    view_.stall = around_.stall;
    view_.health = around_.health;
    view_.first_runs = memory().first_runs;
    view_.previous = memory().previous;
    decision_.view = std::move(view_);
  }

  const DesiredPod& pod_;
  const Sighting& seen_;
  const PodContext& around_;
  PodView view_;
  PodDecision decision_;
};

/// Ends the pod's processes. Returns true when none is left.
bool end_processes(const Sighting& seen, std::int64_t grace, const PodContext& around, PodDecision& decision) {
  switch (seen.presence) {
    case Presence::kStarting:
    case Presence::kReady:
    case Presence::kRunning:
      stop_within(grace, seen, around.stop_hooks, around.now, decision);
      return false;
    case Presence::kUnclear:
      decision.look_again = kUnclearFor;
      return false;
    default:
      return true;
  }
}

PodDecision decide_deleted(const PodMemory& memory, const DesiredPod& pod, const Sighting& seen,
                           const PodContext& around) {
  PodDecision decision;
  decision.memory = memory;
  const bool is_first_stop = !memory.stopping_with && !memory.hooks_within;
  if (!end_processes(seen, pod.grace_seconds, around, decision)) {
    if (is_first_stop && seen.presence == Presence::kRunning) {
      for (const DesiredContainer& container : pod.containers) {
        if (!container.is_init)
          decision.events.push_back({"Normal", "Killing", "Stopping container " + container.name});
      }
    }
    return decision;
  }
  // Watchers see how the pod ended before they see it deleted.
  if (seen.record && !pod.has_ended) {
    PodView view;
    view.stage = Stage::kEnded;
    view.address = around.address;
    view.now = around.now;
    view.first_runs = memory.first_runs;
    view.current = seen.record;
    end_running(*view.current, around.now, "");
    view.previous = memory.previous;
    view.intent = pod.intent;
    decision.view = std::move(view);
  }
  decision.steps.emplace_back(CleanUp{});
  decision.steps.emplace_back(RemoveObject{});
  return decision;
}

PodDecision decide_gone(const PodMemory& memory, const Sighting& seen, const PodContext& around) {
  PodDecision decision;
  decision.memory = memory;
  if (!end_processes(seen, 0, around, decision)) return decision;
  decision.steps.emplace_back(CleanUp{});
  decision.steps.emplace_back(Forget{});
  return decision;
}

}  // namespace

std::int64_t grace_after_hooks(std::int64_t grace, Duration took) {
  const std::int64_t left = grace - std::chrono::duration_cast<std::chrono::seconds>(took).count();
  return std::clamp(left, std::min(kShortestAfterHooks, grace), grace);
}

PodDecision decide(const PodMemory& memory, const DesiredPod* pod, const Sighting& seen, const PodContext& around) {
  if (pod == nullptr) return decide_gone(memory, seen, around);
  if (pod->is_deleted) return decide_deleted(memory, *pod, seen, around);
  return Keep(memory, *pod, seen, around).run();
}

PodMemory recall(int launch, const std::optional<AttemptRecord>& previous, const DesiredPod* pod) {
  PodMemory memory;
  memory.launch = launch;
  memory.previous = previous;
  if (previous) memory.first_runs = runs_after({}, *previous);
  if (pod == nullptr) return memory;
  // Records can be lost with the machine; the API still shows the runs that it was told of.
  for (const DesiredContainer& container : pod->containers) {
    int& first = memory.first_runs[container.name];
    first = std::max(first, container.restarts);
  }
  return memory;
}

Duration restart_delay(const ContainerRecord& ended, Duration first) {
  if (ended.run == 0) return Duration(0);
  if (ended.started && ended.finished && *ended.finished - *ended.started >= kLongRun) return first;
  const int doublings = ended.run - 1;
  return first * (doublings >= 5 ? kMaxDelayFactor : std::min(1 << doublings, kMaxDelayFactor));
}

}  // namespace muster::agent
