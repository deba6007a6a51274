// SchedulerStatus: writes the statuses of PodGroups and Queues. Pods change often and people look rarely, so a status
// is written at most once a second.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/lifetime.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "control/scheduler/schedule.h"

namespace muster::control {

class SchedulerStatus {
 public:
  /// `ledger` and `cluster_objects` must outlive this object.
  SchedulerStatus(Loop& loop, client::ApiClient& client, Ledger& ledger, const ClusterObjects& cluster_objects);
  SchedulerStatus(const SchedulerStatus&) = delete;
  SchedulerStatus& operator=(const SchedulerStatus&) = delete;

  /// Takes over why gangs wait, after each scheduling pass.
  void note(const Schedule& decided);

 private:
  void write_later();
  void write();
  void write_groups();
  void write_queues();
  void patch_status(const client::ObjectName& object, const std::string& version, const json::Document& before,
                    const json::Document& now);

  Loop& loop_;
  client::ApiClient& client_;
  Ledger& ledger_;
  const ClusterObjects& cluster_objects_;
  bool is_due_ = false;                         // a write is planned
  std::size_t requests_ = 0;                    // in progress
  std::map<Ledger::Key, std::string> reasons_;  // why the pods of a group wait
  std::set<Ledger::Key> changed_;               // groups whose status may have changed
  Lifetime lifetime_;
};

}  // namespace muster::control
