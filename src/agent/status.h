// The status of a pod as its kubelet would write it, from what the shim recorded. Pure.
#pragma once

#include <optional>
#include <string>

#include "agent/record.h"
#include "base/time.h"
#include "json/document.h"

namespace muster::agent {

/// Where the pod is in its life.
enum class Stage {
  kPending,  // nothing was started yet
  kRunning,  // an attempt is under way
  kBackOff,  // an attempt has ended, another will be started
  kEnded,    // for good
};

struct PodView {
  Stage stage = Stage::kPending;
  std::string address;
  std::string host_address;
  Time now;
  int restarts = 0;                       // attempts before this one
  Duration restart_delay{};               // before the next
  std::optional<AttemptRecord> current;   // this attempt, as far as it is
  std::optional<AttemptRecord> previous;  // the one before
  // Why the containers wait; "" for the usual reason.
  std::string waiting_reason;
  std::string waiting_message;
  // A failure of the pod as a whole: LostShim, LostReboot, a launch that is not possible.
  std::string failure_reason;
  std::string failure_message;
};

/// The whole status object; what others wrote into `pod` (conditions we do not know) is kept. A phase that is final
/// stays.
json::Document pod_status(const json::Document& pod, const PodView& view);

/// Whether the ended attempt is followed by another, by spec.restartPolicy.
bool wants_restart(const json::Document& pod, const AttemptRecord& ended);
/// Before attempt `restarts` + 1: doubles each time, up to 30 times the first (10 s to 5 min, as a kubelet has it).
Duration restart_delay(int restarts, Duration first);

/// What a kubelet calls the end of a container: Completed, Error, ContainerCannotRun.
std::string end_reason(const ContainerRecord& container);

}  // namespace muster::agent
