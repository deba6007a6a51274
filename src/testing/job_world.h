// JobWorld: one job and its children as an API server and a kubelet would keep them, for tests of decide. Applies plans
// as the executor does; pods change only when the test says so.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "control/job/decide.h"
#include "jobs/kind.h"

namespace muster::control {

/// What happens to a pod, as a test writes it.
struct PodNews {
  std::string phase;  // "": unchanged
  std::optional<int> exit_code;
  Duration ended_ago = {};  // how long before now its containers ended
  std::string reason;       // of a Failed pod without exit status
  std::string message;
  std::string termination = {};  // what its containers left as their termination message
  std::string node;
  std::string unschedulable;              // message of PodScheduled=False
  std::optional<std::string> stall = {};  // message of the agent's condition; "": the pod is active again
  bool deleting = false;
  bool gone = false;
  json::Document status = {};  // merged into the pod's
};

/// "create pod mnist-worker-0 attempt 1", "event Normal Start: all replicas are running".
std::string action_line(const Action& action);

class JobWorld {
 public:
  JobWorld(json::Document object, Where where, Time now);

  /// The plan for the world as it is. CHECKs that the object is valid.
  JobPlan look() const;
  /// Status first, then as many of the actions, answering as an API server would: what exists is not made again, what
  /// is gone or another cannot be deleted.
  void apply(const JobPlan& plan, std::size_t actions = SIZE_MAX);
  /// False when applying the plan would change nothing.
  bool has_effect(const JobPlan& plan) const;
  void happen(const std::string& pod, const PodNews& news);
  Job job() const;
  /// The status in the words of the job's kind.
  json::Document projected(const JobStatus& status) const { return kind_.project(status, object, where, now); }
  JobStatus status() const;

  json::Document object;
  Where where;
  Time now;
  std::optional<int> offered_port = 20000;
  std::map<std::string, api::Pod> pods;
  std::map<std::string, api::Service> services;
  std::map<std::string, std::shared_ptr<json::Document>> objects;  // children of other kinds
  bool graceful = false;  // deleting a pod that runs only marks it; `gone` ends it
  bool predecessor_runs = false;
  std::optional<Refusal> refused = {};  // what the next plan hears about creates
  bool refuses_creates = false;
  bool job_deleted = false;
  std::vector<EmitEvent> events;                           // all so far
  std::function<void(json::Document& status)> prune = {};  // what the server does to a status that is written
  int status_writes = 0;

 private:
  void write_status(json::Document status);
  void create(const json::Document& child);
  void update(const Update& change);
  void create_pod(api::Pod pod);
  void remove(const ChildRef& child);
  void remove_pod(const ChildRef& child);

  const JobKind& kind_;
  int last_uid_ = 0;
};

}  // namespace muster::control
