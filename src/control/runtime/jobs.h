// Jobs: the controllers of the job kinds. Each calls `decide` through the adapter of its kind. All of them share the
// ports of the machine.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "control/controller.h"
#include "control/runtime/port_book.h"
#include "control/runtime/shared_informers.h"
#include "control/runtime/work_meter.h"
#include "jobs/kind.h"
#include "jobs/model/where.h"

namespace muster::control {

class Jobs {
 public:
  /// `is_port_free` and `first_slot` are passed to the PortBook.
  Jobs(Where where, SharedInformers& informers, std::function<bool(int port)> is_port_free, std::uint64_t first_slot,
       std::span<const JobKind> kinds = job_kinds());

  /// The meter, which must outlive this, gets the states of jobs.
  void report_to(WorkMeter& meter, const Clock& clock) {
    meter_ = &meter;
    clock_ = &clock;
  }
  /// Returns one controller per job kind; they refer to this object.
  std::vector<Controller> controllers();

 private:
  void note(const JobKind& kind, const std::string& uid, const json::Document* now);
  Plan plan(const JobKind& kind, const Snapshot& seen);
  void add_pod_group(Job& job) const;
  bool is_live(const std::string& uid) const;

  Where where_;
  std::span<const JobKind> kinds_;
  const ObjectIndex& pods_;
  const ObjectIndex* groups_;                   // null on a cluster
  std::unordered_set<std::string> unfinished_;  // uids
  PortBook ports_;
  WorkMeter* meter_ = nullptr;  // with the clock, if somebody reads it
  const Clock* clock_ = nullptr;
};

}  // namespace muster::control
