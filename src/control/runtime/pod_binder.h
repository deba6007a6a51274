// PodBinder: the effects of control/scheduler. It binds the pods that `schedule` chooses, on an engine that has no
// other scheduler, and reports on pods and jobs why they wait.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/lifetime.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "client/event_recorder.h"
#include "control/runtime/scheduler_status.h"
#include "control/runtime/shared_informers.h"
#include "control/scheduler/schedule.h"

namespace muster::control {

class PodBinder {
 public:
  /// `strict` is that of ClusterObjects.
  PodBinder(Loop& loop, client::ApiClient& client, client::EventRecorder& events, SharedInformers& informers,
            bool strict);
  PodBinder(const PodBinder&) = delete;
  PodBinder& operator=(const PodBinder&) = delete;

  /// Starts the work. All that is watched must be in view.
  void open();

 private:
  /// Requests a scheduling pass soon, one for all changes of this turn of the loop.
  void wake();
  void look();
  void on_pod(const AnyObject& before, const AnyObject& now);
  void on_group(const AnyObject& before, const AnyObject& now);
  /// Returns the callback for a kind that cluster_objects_ holds all objects of.
  SharedInformers::OnChange on_cluster_objects();
  void refresh_cluster_objects();
  /// Returns the pod as it will be once a binding in progress is in view.
  PodPtr as_assumed(PodPtr pod) const;
  void bind_waiting();
  void bind(const Binding& binding);
  void on_bind_failed(const Binding& binding, const Error& error);
  void report_notices(const Schedule& decided);
  void report_waiting(const std::vector<Waiting>& all);
  void mark_waiting();
  void mark_unschedulable(const api::Pod& pod, const std::string& message);

  Loop& loop_;
  client::ApiClient& client_;
  client::EventRecorder& events_;
  const ObjectIndex& pods_;
  const ObjectIndex& nodes_;
  const ObjectIndex& queues_;
  const ObjectIndex& priority_classes_;
  const ObjectIndex& namespaces_;
  Ledger ledger_;
  ClusterObjects cluster_objects_;
  bool cluster_objects_changed_ = true;
  SchedulerStatus status_;
  bool open_ = false;
  bool woken_ = false;
  std::deque<Binding> to_bind_;                  // decided, not yet requested
  std::size_t binding_ = 0;                      // requests in progress
  std::map<std::string, std::string> assumed_;   // pod uid -> node: bound by us, but not yet in the view
  MonoTime next_look_{};                         // the earliest time of the next pass
  std::map<std::string, std::string> reported_;  // gang id -> the last message reported on its job
  std::set<std::string> without_queues_;         // ids of gangs whose missing queue was reported
  std::deque<std::pair<std::shared_ptr<const api::Pod>, std::string>> to_mark_;  // waiting pods and why they wait
  std::set<std::string> marking_;  // uids of pods whose condition is being written
  Lifetime lifetime_;
};

}  // namespace muster::control
