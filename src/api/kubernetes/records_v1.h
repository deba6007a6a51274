// Kubernetes kinds that the engine stores for its clients and does not act on: ServiceAccount and PersistentVolume of
// core/v1, Lease of coordination.k8s.io/v1, PriorityClass of scheduling.k8s.io/v1. Open types keep the fields that they
// do not model in `rest`.
#pragma once

#include "api/kubernetes/core_v1.h"
#include "api/kubernetes/meta_v1.h"

namespace muster::api {

struct LocalObjectReference {
  std::string name;
};
struct ServiceAccount {
  ObjectMeta metadata;
  std::vector<ObjectReference> secrets;
  std::vector<LocalObjectReference> image_pull_secrets;
  std::optional<bool> automount_service_account_token;
};

struct PersistentVolumeSpec {
  ResourceList capacity;
  std::vector<std::string> access_modes;
  std::optional<ObjectReference> claim_ref;
  std::string persistent_volume_reclaim_policy;
  std::string storage_class_name;
  std::string volume_mode;
  std::optional<HostPathVolume> host_path;
  json::Document rest;  // the other places a volume can be, mountOptions, nodeAffinity
};
struct PersistentVolumeStatus {
  std::string phase;  // Pending, Available, Bound, Released, Failed
  std::string message;
  std::string reason;
  std::optional<Time> last_phase_transition_time;
};
struct PersistentVolume {
  ObjectMeta metadata;
  PersistentVolumeSpec spec;
  PersistentVolumeStatus status;
};

struct LeaseSpec {
  std::string holder_identity;
  std::optional<std::int32_t> lease_duration_seconds;
  std::optional<Time> acquire_time;  // metav1.MicroTime: the stored object keeps its microseconds
  std::optional<Time> renew_time;
  std::optional<std::int32_t> lease_transitions;
  json::Document rest;  // strategy, preferredHolder
};
struct Lease {
  ObjectMeta metadata;
  LeaseSpec spec;
};

struct PriorityClass {
  ObjectMeta metadata;
  std::int32_t value = 0;
  bool global_default = false;
  std::string description;
  std::string preemption_policy;
};

}  // namespace muster::api

// Descriptors of these types.
namespace muster::reflect {

TypeDesc describe(Of<api::LocalObjectReference>);
TypeDesc describe(Of<api::ServiceAccount>);
TypeDesc describe(Of<api::PersistentVolumeSpec>);
TypeDesc describe(Of<api::PersistentVolumeStatus>);
TypeDesc describe(Of<api::PersistentVolume>);
TypeDesc describe(Of<api::LeaseSpec>);
TypeDesc describe(Of<api::Lease>);
TypeDesc describe(Of<api::PriorityClass>);

}  // namespace muster::reflect
