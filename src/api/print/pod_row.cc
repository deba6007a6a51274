#include "api/print/pod_row.h"

#include <fmt/core.h>

#include <string>

#include "api/print/printers.h"

namespace muster::api {
namespace {

using json::Array;
using json::Document;

struct PodLook {
  std::string reason;
  std::int64_t ready = 0;
  std::int64_t restarts = 0;
  std::string last_restart;  // RFC 3339 timestamps sort as text
  bool initializing = false;
};

void count_restarts(const Document& status, PodLook& look) {
  look.restarts += status.int_at("restartCount");
  const std::string& finished = status.string_at("lastState", "terminated", "finishedAt");
  if (finished > look.last_restart) look.last_restart = finished;
}

std::string exit_reason(const Document& terminated) {
  if (const std::string& reason = terminated.string_at("reason"); !reason.empty()) return reason;
  if (const std::int64_t signal = terminated.int_at("signal"); signal != 0) return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", terminated.int_at("exitCode"));
}

/// The first init container that has not succeeded determines the status.
void look_at_init_containers(const Document& pod, PodLook& look) {
  const Array& statuses = pod.array_at("status", "initContainerStatuses");
  const std::size_t total = pod.array_at("spec", "initContainers").size();
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const Document& status = statuses[i];
    count_restarts(status, look);
    const Document* terminated = status.at("state", "terminated");
    if (terminated != nullptr && terminated->int_at("exitCode") == 0) continue;
    if (terminated != nullptr) {
      look.reason = "Init:" + exit_reason(*terminated);
    } else if (const std::string& waiting = status.string_at("state", "waiting", "reason");
               !waiting.empty() && waiting != "PodInitializing") {
      look.reason = "Init:" + waiting;
    } else {
      look.reason = fmt::format("Init:{}/{}", i, total);
    }
    look.initializing = true;
    return;
  }
}

bool has_true_condition(const Document& pod, std::string_view type) {
  for (const Document& condition : pod.array_at("status", "conditions")) {
    if (condition.string_at("type") == type && condition.string_at("status") == "True") return true;
  }
  return false;
}

void look_at_containers(const Document& pod, PodLook& look) {
  bool has_running = false;
  const Array& statuses = pod.array_at("status", "containerStatuses");
  look.restarts = 0;
  look.last_restart.clear();
  for (std::size_t i = statuses.size(); i-- > 0;) {
    const Document& status = statuses[i];
    count_restarts(status, look);
    const Document* terminated = status.at("state", "terminated");
    if (const std::string& waiting = status.string_at("state", "waiting", "reason"); !waiting.empty()) {
      look.reason = waiting;
    } else if (terminated != nullptr) {
      look.reason = exit_reason(*terminated);
    } else if (status.bool_at("ready") && status.at("state", "running") != nullptr) {
      has_running = true;
      ++look.ready;
    }
  }
  // One finished container does not make the pod Completed while others are still running.
  if (look.reason == "Completed" && has_running) {
    look.reason = has_true_condition(pod, "Ready") ? "Running" : "NotReady";
  }
}

PodLook look_at(const Document& pod) {
  PodLook look;
  look.reason = pod.string_at("status", "reason");
  if (look.reason.empty()) look.reason = pod.string_at("status", "phase");
  for (const Document& condition : pod.array_at("status", "conditions")) {
    const bool gated =
        condition.string_at("type") == "PodScheduled" && condition.string_at("reason") == "SchedulingGated";
    if (gated) look.reason = "SchedulingGated";
  }
  look_at_init_containers(pod, look);
  if (!look.initializing || has_true_condition(pod, "Initialized")) look_at_containers(pod, look);

  const std::string& phase = pod.string_at("status", "phase");
  if (!pod.string_at("metadata", "deletionTimestamp").empty()) {
    if (pod.string_at("status", "reason") == "NodeLost") {
      look.reason = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      look.reason = "Terminating";
    }
  }
  return look;
}

}  // namespace

std::string pod_status(const Document& pod) {
  return look_at(pod).reason;
}

void add_pod_cells(const Document& pod, Time now, Array& cells) {
  const PodLook look = look_at(pod);
  std::string restarts = std::to_string(look.restarts);
  if (look.restarts != 0 && !look.last_restart.empty()) {
    restarts += fmt::format(" ({} ago)", age_text(look.last_restart, now));
  }
  const auto or_none = [](const std::string& text) { return text.empty() ? std::string("<none>") : text; };
  const std::size_t gates = pod.array_at("spec", "readinessGates").size();
  std::size_t true_gates = 0;
  for (const Document& gate : pod.array_at("spec", "readinessGates")) {
    true_gates += has_true_condition(pod, gate.string_at("conditionType")) ? 1 : 0;
  }
  cells.emplace_back(fmt::format("{}/{}", look.ready, pod.array_at("spec", "containers").size()));
  cells.emplace_back(look.reason);
  cells.emplace_back(restarts);
  cells.emplace_back(age_text(pod.string_at("metadata", "creationTimestamp"), now));
  cells.emplace_back(or_none(pod.string_at("status", "podIP")));
  cells.emplace_back(or_none(pod.string_at("spec", "nodeName")));
  cells.emplace_back(or_none(pod.string_at("status", "nominatedNodeName")));
  cells.emplace_back(gates == 0 ? std::string("<none>") : fmt::format("{}/{}", true_gates, gates));
}

}  // namespace muster::api
