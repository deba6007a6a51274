// decide: the whole behaviour of jobs. Total, pure and deterministic: the same Observed gives the same Plan, on one
// machine and on Kubernetes, for every kind. The runtime observes and applies.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/core_v1.h"
#include "base/time.h"
#include "control/job/model.h"

namespace muster::control {

struct Observed {
  Job job;
  JobStatus status;  // as last written
  // Those whose controller is the job; others are ignored. Any order.
  std::vector<std::shared_ptr<const api::Pod>> pods;
  std::vector<std::shared_ptr<const api::Service>> services;
  Time now;
  std::optional<int> offered_port;  // for a job without a fixed port that has none yet
};

struct CreatePod {
  api::Pod pod;
};
struct CreateService {
  api::Service service;
};
/// Guarded by the uid, so a pod of the same name made since is not hit.
struct DeletePod {
  std::string name;
  std::string uid;
};
struct DeleteService {
  std::string name;
  std::string uid;
};
struct EmitEvent {
  std::string type;  // Normal, Warning
  std::string reason;
  std::string message;
};
struct DeleteJob {};

using Action = std::variant<CreatePod, CreateService, DeletePod, DeleteService, EmitEvent, DeleteJob>;

/// Applied in this order: the status first, and only if it differs from what is stored; then the actions, one after the
/// other, ending at the first error. Because the status goes first, a crash in between repeats actions but never
/// accounting: what was counted, which port was chosen and how the job ended is stored before anything relies on it.
struct Plan {
  std::optional<JobStatus> status;  // absent: leave it alone
  std::vector<Action> actions;
  std::optional<Duration> recheck_after;
  std::vector<std::string> reasons;  // why, for people: one sentence each
};

Plan decide(const Observed& observed);

}  // namespace muster::control
