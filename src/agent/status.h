// The status of a pod as a kubelet would write it, computed from the shim's records. Pure.
#pragma once

#include <optional>
#include <string>

#include "agent/record.h"
#include "base/time.h"
#include "json/document.h"

namespace muster::agent {

/// The stages of a pod's life.
enum class Stage {
  kPending,  // nothing has been started yet
  kRunning,  // an attempt is in progress
  kBackOff,  // an attempt has ended and another will be started
  kEnded,    // no further attempt will be started
};

struct PodView {
  Stage stage = Stage::kPending;
  std::string address;
  std::string host_address;
  Time now;
  int restarts = 0;                       // number of attempts before this one
  Duration restart_delay{};               // before the next attempt
  std::optional<AttemptRecord> current;   // this attempt so far
  std::optional<AttemptRecord> previous;  // the attempt before this one
  // Why the containers wait; "" means the default reason.
  std::string waiting_reason;
  std::string waiting_message;
  // A failure of the whole pod: LostShim, LostReboot, or a launch that is impossible.
  std::string failure_reason;
  std::string failure_message;
};

/// Returns the whole status object. Fields written by others, such as unknown conditions, are kept, and a final phase
/// does not change.
json::Document pod_status(const json::Document& pod, const PodView& view);

/// Returns true when spec.restartPolicy requires another attempt after the one that has ended.
bool wants_restart(const json::Document& pod, const AttemptRecord& ended);
/// Returns the delay before attempt `restarts` + 1: it doubles, up to 30 times the first (a kubelet's 10 s to 5 min).
Duration restart_delay(int restarts, Duration first);

/// Returns the kubelet's reason for a container's end: Completed, Error, ContainerCannotRun.
std::string end_reason(const ContainerRecord& container);

}  // namespace muster::agent
