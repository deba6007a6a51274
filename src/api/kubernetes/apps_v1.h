// apps/v1: Deployment.
#pragma once

#include "api/kubernetes/core_v1.h"

namespace muster::api {

struct RollingUpdate {
  std::string max_unavailable;  // a number or a share, "25%"
  std::string max_surge;
};
struct DeploymentStrategy {
  std::string type;  // Recreate, RollingUpdate
  std::optional<RollingUpdate> rolling_update;
};
struct DeploymentSpec {
  std::optional<std::int32_t> replicas;
  std::optional<LabelSelector> selector;
  PodTemplateSpec template_;
  std::optional<DeploymentStrategy> strategy;
  std::int32_t min_ready_seconds = 0;
  std::optional<std::int32_t> revision_history_limit;
  bool paused = false;
  std::optional<std::int32_t> progress_deadline_seconds;
};
struct DeploymentStatus {
  std::optional<std::int64_t> observed_generation;
  std::int32_t replicas = 0;
  std::int32_t updated_replicas = 0;
  std::int32_t ready_replicas = 0;
  std::int32_t available_replicas = 0;
  std::int32_t unavailable_replicas = 0;
  std::vector<Condition> conditions;  // Available, Progressing, ReplicaFailure
};
struct Deployment {
  ObjectMeta metadata;
  DeploymentSpec spec;
  DeploymentStatus status;
};

}  // namespace muster::api

// Descriptors of these types.
namespace muster::reflect {

TypeDesc describe(Of<api::RollingUpdate>);
TypeDesc describe(Of<api::DeploymentStrategy>);
TypeDesc describe(Of<api::DeploymentSpec>);
TypeDesc describe(Of<api::DeploymentStatus>);
TypeDesc describe(Of<api::Deployment>);

}  // namespace muster::reflect
