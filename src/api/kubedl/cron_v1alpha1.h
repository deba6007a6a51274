// apps.kubedl.io/v1alpha1: Cron, which creates jobs on a schedule.
#pragma once

#include "api/kubernetes/core_v1.h"

namespace muster::api {

/// The job to create: its kind, and everything else under `workload`.
struct CronTemplate {
  std::string api_version;
  std::string kind;
  json::Document workload;
};
struct CronSpec {
  std::string schedule;
  std::string concurrency_policy;  // Allow, Forbid, Replace
  bool suspend = false;
  std::optional<Time> deadline;
  std::optional<std::int32_t> history_limit;
  CronTemplate template_;
};
struct CronWorkloadReference {
  std::string api_group;
  std::string kind;
  std::string name;
};
struct CronHistory {
  std::string uid;
  std::optional<CronWorkloadReference> object;
  std::string status;
  std::optional<Time> created;
  std::optional<Time> finished;
};
struct CronStatus {
  std::vector<ObjectReference> active;
  std::vector<CronHistory> history;
  std::optional<Time> last_schedule_time;
};
struct Cron {
  ObjectMeta metadata;
  CronSpec spec;
  CronStatus status;
};

}  // namespace muster::api

// Descriptors of these types.
namespace muster::reflect {

TypeDesc describe(Of<api::CronTemplate>);
TypeDesc describe(Of<api::CronSpec>);
TypeDesc describe(Of<api::CronWorkloadReference>);
TypeDesc describe(Of<api::CronHistory>);
TypeDesc describe(Of<api::CronStatus>);
TypeDesc describe(Of<api::Cron>);

}  // namespace muster::reflect
