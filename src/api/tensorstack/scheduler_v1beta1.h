// scheduler.tensorstack.dev/v1beta1: Queue and PodGroup, and the policy by which a job names them.
#pragma once

#include "api/kubernetes/core_v1.h"

namespace muster::api {

struct T9kScheduler {
  std::string queue;
  std::optional<std::int32_t> priority;  // 0..100
};
struct SchedulePolicy {
  std::optional<T9kScheduler> t9k_scheduler;
};

struct QueueQuota {
  ResourceList requests;
};
struct QueueSpec {
  std::optional<QueueQuota> quota;  // no limit when not set
  std::optional<std::int32_t> priority;
  std::optional<bool> preemptible;  // default true
  bool closed = false;
  std::string max_duration;  // y w d h m s ms: "1d12h"
  std::optional<LabelSelector> node_selector;
  std::optional<LabelSelector> namespace_selector;
  std::string resource_shape_profile;
};
struct QueueStatus {
  ResourceList allocated;
  std::optional<std::int32_t> pending;  // pod groups
  std::optional<std::int32_t> running;
  std::vector<Condition> conditions;
};
struct Queue {
  ObjectMeta metadata;
  QueueSpec spec;
  QueueStatus status;
};

struct PodGroupRole {
  std::string name;
  std::int32_t min_member = 0;
};
struct PodGroupSpec {
  std::string queue;  // default "default"
  std::optional<std::int32_t> priority;
  std::int32_t min_member = 0;
  std::vector<PodGroupRole> roles;
};
struct PodGroupStatus {
  std::vector<Condition> conditions;  // SufficientGroupMember, GroupScheduled
  std::int32_t pending = 0;
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::int32_t unknown = 0;
  ResourceList allocated;
};
struct PodGroup {
  ObjectMeta metadata;
  PodGroupSpec spec;
  PodGroupStatus status;
};

}  // namespace muster::api

// Descriptors of these types.
namespace muster::reflect {

TypeDesc describe(Of<api::T9kScheduler>);
TypeDesc describe(Of<api::SchedulePolicy>);
TypeDesc describe(Of<api::QueueQuota>);
TypeDesc describe(Of<api::QueueSpec>);
TypeDesc describe(Of<api::QueueStatus>);
TypeDesc describe(Of<api::Queue>);
TypeDesc describe(Of<api::PodGroupRole>);
TypeDesc describe(Of<api::PodGroupSpec>);
TypeDesc describe(Of<api::PodGroupStatus>);
TypeDesc describe(Of<api::PodGroup>);

}  // namespace muster::reflect
