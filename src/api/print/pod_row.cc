#include "api/print/pod_row.h"

#include <fmt/core.h>

#include <string>

#include "api/print/printers.h"

namespace muster::api {
namespace {

using json::Array;
using json::Document;

struct Summary {
  std::string reason;
  std::int64_t ready = 0;
  std::int64_t restarts = 0;
  std::string last_restart;  // RFC 3339 timestamps sort as text
  bool initializing = false;
};

void count_restarts(const Document& status, Summary& summary) {
  summary.restarts += status.int_at("restartCount");
  const std::string& finished = status.string_at("lastState", "terminated", "finishedAt");
  if (finished > summary.last_restart) summary.last_restart = finished;
}

std::string exit_reason(const Document& terminated) {
  if (const std::string& reason = terminated.string_at("reason"); !reason.empty()) return reason;
  if (const std::int64_t signal = terminated.int_at("signal"); signal != 0) return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", terminated.int_at("exitCode"));
}

/// The first init container that has not succeeded determines the status.
void look_at_init_containers(const Document& pod, Summary& summary) {
  const Array& statuses = pod.array_at("status", "initContainerStatuses");
  const std::size_t total = pod.array_at("spec", "initContainers").size();
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const Document& status = statuses[i];
    count_restarts(status, summary);
    const Document* terminated = status.at("state", "terminated");
    if (terminated != nullptr && terminated->int_at("exitCode") == 0) continue;
    if (terminated != nullptr) {
      summary.reason = "Init:" + exit_reason(*terminated);
    } else if (const std::string& waiting = status.string_at("state", "waiting", "reason");
               !waiting.empty() && waiting != "PodInitializing") {
      summary.reason = "Init:" + waiting;
    } else {
      summary.reason = fmt::format("Init:{}/{}", i, total);
    }
    summary.initializing = true;
    return;
  }
}

bool has_true_condition(const Document& pod, std::string_view type) {
  for (const Document& condition : pod.array_at("status", "conditions")) {
    if (condition.string_at("type") == type && condition.string_at("status") == "True") return true;
  }
  return false;
}

void look_at_containers(const Document& pod, Summary& summary) {
  bool has_running = false;
  const Array& statuses = pod.array_at("status", "containerStatuses");
  summary.restarts = 0;
  summary.last_restart.clear();
  for (std::size_t i = statuses.size(); i-- > 0;) {
    const Document& status = statuses[i];
    count_restarts(status, summary);
    const Document* terminated = status.at("state", "terminated");
    if (const std::string& waiting = status.string_at("state", "waiting", "reason"); !waiting.empty()) {
      summary.reason = waiting;
    } else if (terminated != nullptr) {
      summary.reason = exit_reason(*terminated);
    } else if (status.bool_at("ready") && status.at("state", "running") != nullptr) {
      has_running = true;
      ++summary.ready;
    }
  }
  // One finished container does not make the pod Completed while others are still running.
  if (summary.reason == "Completed" && has_running) {
    summary.reason = has_true_condition(pod, "Ready") ? "Running" : "NotReady";
  }
}

}  // namespace

void add_pod_cells(const Document& pod, Time now, Array& cells) {
  Summary summary;
  summary.reason = pod.string_at("status", "reason");
  if (summary.reason.empty()) summary.reason = pod.string_at("status", "phase");
  for (const Document& condition : pod.array_at("status", "conditions")) {
    const bool gated =
        condition.string_at("type") == "PodScheduled" && condition.string_at("reason") == "SchedulingGated";
    if (gated) summary.reason = "SchedulingGated";
  }
  look_at_init_containers(pod, summary);
  if (!summary.initializing || has_true_condition(pod, "Initialized")) look_at_containers(pod, summary);

  const std::string& phase = pod.string_at("status", "phase");
  if (!pod.string_at("metadata", "deletionTimestamp").empty()) {
    if (pod.string_at("status", "reason") == "NodeLost") {
      summary.reason = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      summary.reason = "Terminating";
    }
  }
  std::string restarts = std::to_string(summary.restarts);
  if (summary.restarts != 0 && !summary.last_restart.empty()) {
    restarts += fmt::format(" ({} ago)", age_text(summary.last_restart, now));
  }
  const auto or_none = [](const std::string& text) { return text.empty() ? std::string("<none>") : text; };
  const std::size_t gates = pod.array_at("spec", "readinessGates").size();
  std::size_t true_gates = 0;
  for (const Document& gate : pod.array_at("spec", "readinessGates")) {
    true_gates += has_true_condition(pod, gate.string_at("conditionType")) ? 1 : 0;
  }
  cells.emplace_back(fmt::format("{}/{}", summary.ready, pod.array_at("spec", "containers").size()));
  cells.emplace_back(summary.reason);
  cells.emplace_back(restarts);
  cells.emplace_back(age_text(pod.string_at("metadata", "creationTimestamp"), now));
  cells.emplace_back(or_none(pod.string_at("status", "podIP")));
  cells.emplace_back(or_none(pod.string_at("spec", "nodeName")));
  cells.emplace_back(or_none(pod.string_at("status", "nominatedNodeName")));
  cells.emplace_back(gates == 0 ? std::string("<none>") : fmt::format("{}/{}", true_gates, gates));
}

}  // namespace muster::api
