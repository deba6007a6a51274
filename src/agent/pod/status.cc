#include "agent/pod/status.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"

namespace muster::agent {
namespace {

using json::Document;
using json::Object;

constexpr const char* kHostAddress = "127.0.0.1";  // the network is the host's

bool has_init_containers(const Document& pod) {
  return !pod.array_at("spec", "initContainers").empty();
}

/// Ranks of a process group end within milliseconds of each other, and the first of them is the cause: unlike a kubelet
/// we give fractions of seconds.
std::string exact_time(Time t) {
  return std::chrono::floor<std::chrono::seconds>(t) == t ? format_rfc3339(t) : format_rfc3339_micro(t);
}

Document terminated(const LastRun& run, const std::string& reason) {
  Document state{Object{}};
  state["exitCode"] = run.code;
  if (run.signal != 0) state["signal"] = run.signal;
  state["reason"] = reason;
  const std::string& message = run.message.empty() ? run.termination : run.message;
  if (!message.empty()) state["message"] = message;
  const auto begun = run.started ? run.started : run.finished;
  if (begun) state["startedAt"] = format_rfc3339(*begun);
  if (run.finished) state["finishedAt"] = exact_time(*run.finished);
  return Document{Object{{"terminated", std::move(state)}}};
}

LastRun result_of(const ContainerRecord& container) {
  return {.run = container.run,
          .started = container.started,
          .finished = container.finished,
          .code = container.code,
          .signal = container.signal,
          .oom = container.oom,
          .message = container.message,
          .termination = container.termination};
}

Document terminated(const ContainerRecord& container) {
  const LastRun result = result_of(container);
  return terminated(result, end_reason(result));
}

Document waiting(const std::string& reason, const std::string& message) {
  Document state{Object{}};
  state["reason"] = reason;
  if (!message.empty()) state["message"] = message;
  return Document{Object{{"waiting", std::move(state)}}};
}

bool is_lost(const PodView& view) {
  return view.failure_reason.starts_with("Lost");
}

struct ContainerView {
  Document state;
  bool running = false;
  bool ended_well = false;
};

ContainerView view_of(const Document& pod, const ContainerRecord* record, const std::string& name, bool is_init,
                      const PodView& view) {
  const auto delay = view.restart_delays.find(name);
  if (delay != view.restart_delays.end()) {
    return {waiting("CrashLoopBackOff",
                    fmt::format("back-off {} restarting failed container={}", human_duration(delay->second), name)),
            false, false};
  }
  if (record != nullptr && record->state == RunState::kTerminated) {
    // The end of a container that was lost is not known, only that it has ended.
    const bool unknown = is_lost(view) && record->message == view.failure_message;
    return {unknown ? terminated(result_of(*record), "ContainerStatusUnknown") : terminated(*record), false,
            record->code == 0 && record->message.empty()};
  }
  if (record != nullptr && record->state == RunState::kRunning) {
    Document state{Object{}};
    if (record->started) state["startedAt"] = format_rfc3339(*record->started);
    return {Document{Object{{"running", std::move(state)}}}, true, false};
  }
  if (!view.waiting_reason.empty()) return {waiting(view.waiting_reason, view.waiting_message), false, false};
  const bool initializing = !is_init && has_init_containers(pod);
  return {waiting(initializing ? "PodInitializing" : "ContainerCreating", ""), false, false};
}

/// How the run before the one that `state` shows ended.
Document last_state(const ContainerRecord* record, const std::string& name, const PodView& view) {
  if (record != nullptr && view.restart_delays.contains(name)) return terminated(*record);
  if (record != nullptr && record->last) return terminated(*record->last, end_reason(*record->last));
  const ContainerRecord* before = view.previous ? view.previous->find(name) : nullptr;
  if (before == nullptr || before->state != RunState::kTerminated) return Document{Object{}};
  return terminated(*before);
}

int restarts_of(const ContainerRecord* record, const std::string& name, const PodView& view) {
  if (record != nullptr) return record->run;
  const auto first = view.first_runs.find(name);
  return first == view.first_runs.end() ? 0 : first->second;
}

Document container_status(const Document& pod, const Document& spec, bool is_init, const PodView& view) {
  const std::string& name = spec.string_at("name");
  const ContainerRecord* record = view.current ? view.current->find(name) : nullptr;
  ContainerView seen = view_of(pod, record, name, is_init, view);
  Document status{Object{}};
  status["name"] = name;
  status["state"] = std::move(seen.state);
  status["lastState"] = last_state(record, name, view);
  const auto checked = view.health.find(name);
  const ContainerHealth health = checked == view.health.end() ? ContainerHealth{} : checked->second;
  status["ready"] = is_init ? seen.ended_well : seen.running && health.ready;
  status["restartCount"] = restarts_of(record, name, view);
  status["image"] = spec.string_at("image");
  status["imageID"] = "";
  status["started"] = seen.running && health.started;
  return status;
}

json::Array container_statuses(const Document& pod, bool is_init, const PodView& view) {
  json::Array statuses;
  for (const Document& spec : pod.array_at("spec", is_init ? "initContainers" : "containers")) {
    statuses.push_back(container_status(pod, spec, is_init, view));
  }
  return statuses;
}

bool all_ready(const json::Array& statuses) {
  return std::ranges::all_of(statuses, [](const Document& status) { return status.bool_at("ready"); });
}

bool main_began(const PodView& view) {
  return view.current && std::ranges::any_of(view.current->containers, [](const ContainerRecord& c) {
           return !c.is_init && c.state != RunState::kWaiting;
         });
}

std::string phase_of(const Document& pod, const PodView& view) {
  const std::string& before = pod.string_at("status", "phase");
  if (before == "Succeeded" || before == "Failed") return before;
  switch (view.stage) {
    case Stage::kPending:
      return before == "Running" ? before : "Pending";
    case Stage::kRunning:
      return main_began(view) || before == "Running" ? "Running" : "Pending";
    case Stage::kBackOff:
      return "Running";
    case Stage::kEnded:
      break;
  }
  return view.failure_reason.empty() && view.current && view.current->ended_well() ? "Succeeded" : "Failed";
}

/// Sets one condition; lastTransitionTime changes only with its status.
void set_condition(json::Array& conditions, const char* type, bool is_true, const std::string& reason,
                   const std::string& message, Time now) {
  const char* status = is_true ? "True" : "False";
  auto found = std::ranges::find_if(conditions, [type](const Document& c) { return c.string_at("type") == type; });
  Document condition{Object{}};
  condition["type"] = type;
  condition["status"] = status;
  const bool same = found != conditions.end() && found->string_at("status") == status;
  condition["lastTransitionTime"] = same ? found->string_at("lastTransitionTime") : format_rfc3339(now);
  if (!reason.empty()) condition["reason"] = reason;
  if (!message.empty()) condition["message"] = message;
  if (found == conditions.end()) {
    conditions.push_back(std::move(condition));
  } else {
    *found = std::move(condition);
  }
}

/// A pod that has always been active has no such condition.
void set_stall(json::Array& conditions, const PodView& view) {
  const std::optional<std::string> stall = view.stage == Stage::kRunning ? view.stall : "";
  const bool had =
      std::ranges::any_of(conditions, [](const Document& c) { return c.string_at("type") == api::kStalledCondition; });
  if (!stall || (stall->empty() && !had)) return;
  set_condition(conditions, api::kStalledCondition, !stall->empty(), stall->empty() ? "Active" : "NoActivity", *stall,
                view.now);
}

std::string unready_names(const json::Array& statuses) {
  std::string names;
  for (const Document& status : statuses) {
    if (!status.bool_at("ready")) names += (names.empty() ? "" : " ") + status.string_at("name");
  }
  return names;
}

json::Array conditions_of(const Document& pod, const PodView& view, const json::Array& init, const json::Array& main,
                          const std::string& phase) {
  json::Array conditions = pod.array_at("status", "conditions");
  const bool completed = phase == "Succeeded";
  const bool initialized = all_ready(init) || main_began(view) || completed;
  set_condition(conditions, "PodScheduled", true, "", "", view.now);
  if (view.intent) set_condition(conditions, kIntentCondition, true, "", intent_message(*view.intent), view.now);
  set_condition(conditions, "Initialized", initialized,
                initialized ? (completed ? "PodCompleted" : "") : "ContainersNotInitialized",
                initialized ? "" : fmt::format("containers with incomplete status: [{}]", unready_names(init)),
                view.now);
  const bool ready = phase == "Running" && all_ready(main);
  const std::string reason = ready               ? ""
                             : completed         ? "PodCompleted"
                             : phase == "Failed" ? "PodFailed"
                                                 : "ContainersNotReady";
  const std::string message =
      reason == "ContainersNotReady" ? fmt::format("containers with unready status: [{}]", unready_names(main)) : "";
  set_condition(conditions, "ContainersReady", ready, reason, message, view.now);
  set_condition(conditions, "Ready", ready, reason, message, view.now);
  set_stall(conditions, view);
  return conditions;
}

}  // namespace

std::string end_reason(const LastRun& run) {
  if (!run.message.empty()) return "ContainerCannotRun";
  if (run.oom) return "OOMKilled";
  return run.code == 0 ? "Completed" : "Error";
}

Document pod_status(const Document& pod, const PodView& view) {
  const Document* before = pod.find("status");
  Document status = before != nullptr && before->is_object() ? *before : Document{Object{}};
  const std::string phase = phase_of(pod, view);
  const json::Array init = container_statuses(pod, true, view);
  const json::Array main = container_statuses(pod, false, view);
  status["phase"] = phase;
  status["conditions"] = conditions_of(pod, view, init, main, phase);
  if (!view.failure_reason.empty()) {
    status["reason"] = view.failure_reason;
    status["message"] = view.failure_message;
  }
  status["hostIP"] = kHostAddress;
  status["hostIPs"] = json::Array{Document{Object{{"ip", kHostAddress}}}};
  if (!view.address.empty()) {
    status["podIP"] = view.address;
    status["podIPs"] = json::Array{Document{Object{{"ip", view.address}}}};
  }
  if (status.string_at("startTime").empty()) status["startTime"] = format_rfc3339(view.now);
  if (!init.empty()) status["initContainerStatuses"] = init;
  status["containerStatuses"] = main;
  return status;
}

}  // namespace muster::agent
