#include "agent/pod/pod_keeper.h"

#include <algorithm>

#include "base/log.h"
#include "base/overloaded.h"

namespace muster::agent {
namespace {

constexpr Duration kRetryPrepare = std::chrono::seconds(10);
constexpr Duration kRetryStep = std::chrono::seconds(1);

std::optional<Duration> earlier(std::optional<Duration> a, std::optional<Duration> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace

PodKeeper::PodKeeper(Os& os, PodApi& api, LookAround look_around, RunHooks run_stop_hooks)
    : os_(os), api_(api), look_around_(std::move(look_around)), run_stop_hooks_(std::move(run_stop_hooks)) {}

PodMemory* PodKeeper::find_or_recall(const std::string& uid, const DesiredPod* pod) {
  if (const auto found = memories_.find(uid); found != memories_.end()) return &found->second;
  const std::optional<int> last = os_.last_launch(uid);
  if (!last && pod == nullptr) return nullptr;
  // It ended under an earlier server, and nothing is left to do.
  if (pod != nullptr && pod->has_ended && !pod->is_deleted && !last) return nullptr;
  const int launch = std::max(last.value_or(0), pod != nullptr && pod->intent ? pod->intent->launch : 0);
  const auto previous = launch > 0 ? os_.record_of(uid, launch - 1) : std::nullopt;
  return &memories_.emplace(uid, recall(launch, previous, pod)).first->second;
}

std::optional<Duration> PodKeeper::sync(const std::string& uid, const json::Document* pod, Time now) {
  std::optional<DesiredPod> desired;
  if (pod != nullptr) desired = desired_pod(*pod);
  PodMemory* memory = find_or_recall(uid, desired ? &*desired : nullptr);
  if (memory == nullptr) return std::nullopt;
  const Sighting seen = os_.look(uid, memory->launch);
  PodContext around;
  if (pod != nullptr) around = look_around_(*pod, seen);
  around.now = now;
  around.boot_id = os_.boot_id();
  PodDecision decision = decide(*memory, desired ? &*desired : nullptr, seen, around);
  *memory = std::move(decision.memory);
  if (seen.presence == Presence::kNothing || seen.presence == Presence::kReady) {
    waiting_.insert(uid);
  } else {
    waiting_.erase(uid);
  }
  if (pod != nullptr) {
    for (const PodEvent& event : decision.events) api_.report(*pod, memory->launch, event);
  }
  const bool shown = pod == nullptr || !decision.view || api_.show(*pod, *decision.view);
  std::optional<Duration> again = decision.look_again;
  for (const Step& step : decision.steps) {
    if (std::holds_alternative<RemoveObject>(step) && !shown) break;  // the write's end brings the pod here again
    again = earlier(again, take(step, uid, pod, now));
  }
  return again;
}

Status PodKeeper::take_fallible(const Step& step, const std::string& uid, const json::Document* pod,
                                const PodMemory& memory) {
  return std::visit(
      Overloaded{[&](const PrepareLaunch&) { return os_.prepare(*pod, memory.launch, memory.first_runs); },
                 [&](const SendGo&) { return os_.go(uid); },
                 [&](const RestartContainer& restart) { return os_.restart(uid, restart.name, restart.run); },
                 [&](const RunStopHooks& hooks) {
                   run_stop_hooks_(*pod, hooks.grace_seconds);
                   return Status(ok());
                 },
                 [&](const StopPod& stop) { return os_.stop(uid, stop.grace_seconds); },
                 [&](const DiscardLaunch&) { return os_.discard(uid, memory.launch); },
                 [&](const CleanUp&) {
                   os_.clean_up(uid, memory.launch);
                   return Status(ok());
                 },
                 [&](const RemoveObject&) {
                   api_.remove(*pod);
                   return Status(ok());
                 },
                 [&](const Forget&) {
                   memories_.erase(uid);
                   waiting_.erase(uid);
                   return Status(ok());
                 }},
      step);
}

std::optional<Duration> PodKeeper::take(const Step& step, const std::string& uid, const json::Document* pod, Time now) {
  PodMemory& memory = memories_.at(uid);
  const Status done = take_fallible(step, uid, pod, memory);
  if (done) return std::nullopt;
  if (std::holds_alternative<PrepareLaunch>(step)) {
    memory.prepare_error = done.error().message;
    memory.prepare_again = now + kRetryPrepare;
    api_.report(*pod, memory.launch, {"Warning", "FailedStart", done.error().message});
    return kRetryPrepare;
  }
  LOG_WARN("a step of a pod failed, trying again", {"uid", uid}, {"error", done.error().message});
  if (std::holds_alternative<StopPod>(step)) memory.stopping_with.reset();
  return kRetryStep;
}

Presence PodKeeper::presence_of(const std::string& uid) {
  const auto found = memories_.find(uid);
  return found == memories_.end() ? Presence::kNothing : os_.look(uid, found->second.launch).presence;
}

std::vector<std::string> PodKeeper::waiting() const {
  return {waiting_.begin(), waiting_.end()};
}

}  // namespace muster::agent
