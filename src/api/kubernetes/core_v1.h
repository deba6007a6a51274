// The parts of core/v1 that Muster reads. Open types keep the fields that they do not model in `rest`.
#pragma once

#include "api/kubernetes/meta_v1.h"
#include "base/quantity.h"

namespace muster::api {

// ---- pods ----

struct EnvVar {
  std::string name;
  std::string value;
  json::Document rest;  // valueFrom
};

struct ContainerPort {
  std::string name;
  std::int32_t container_port = 0;
  json::Document rest;
};

struct VolumeMount {
  std::string name;
  std::string mount_path;
  std::string sub_path;
  bool read_only = false;
  json::Document rest;
};

using ResourceList = std::map<std::string, Quantity>;

struct ResourceRequirements {
  ResourceList requests;
  ResourceList limits;
  json::Document rest;
};

struct Container {
  std::string name;
  std::string image;
  std::vector<std::string> command;
  std::vector<std::string> args;
  std::string working_dir;
  std::vector<EnvVar> env;
  std::vector<ContainerPort> ports;
  ResourceRequirements resources;
  std::vector<VolumeMount> volume_mounts;
  json::Document rest;
};

struct PersistentVolumeClaimVolume {
  std::string claim_name;
  bool read_only = false;
};
struct EmptyDirVolume {
  std::string medium;  // "" or Memory
  std::optional<Quantity> size_limit;
};
struct HostPathVolume {
  std::string path;
  std::string type;
};
struct Volume {
  std::string name;
  std::optional<PersistentVolumeClaimVolume> persistent_volume_claim;
  std::optional<EmptyDirVolume> empty_dir;
  std::optional<HostPathVolume> host_path;
  json::Document rest;  // configMap, secret, projected, …
};

struct PodSpec {
  std::vector<Volume> volumes;
  std::vector<Container> init_containers;
  std::vector<Container> containers;
  std::string restart_policy;
  std::optional<std::int64_t> termination_grace_period_seconds;
  std::string node_name;
  std::string hostname;
  std::string subdomain;
  std::string scheduler_name;
  std::string service_account_name;
  json::Document rest;  // securityContext, tolerations, …
};

struct PodTemplateSpec {
  ObjectMeta metadata;
  PodSpec spec;
};

struct ContainerStateTerminated {
  std::int32_t exit_code = 0;
  std::optional<std::int32_t> signal;
  std::string reason;  // Completed, Error, OOMKilled, ContainerCannotRun
  std::string message;
  std::optional<Time> started_at;
  std::optional<Time> finished_at;
  bool operator==(const ContainerStateTerminated&) const = default;
};
struct ContainerStateRunning {
  std::optional<Time> started_at;
  bool operator==(const ContainerStateRunning&) const = default;
};
struct ContainerStateWaiting {
  std::string reason;  // ContainerCreating, PodInitializing, CreateContainerError
  std::string message;
  bool operator==(const ContainerStateWaiting&) const = default;
};
struct ContainerState {
  std::optional<ContainerStateWaiting> waiting;
  std::optional<ContainerStateRunning> running;
  std::optional<ContainerStateTerminated> terminated;
  bool operator==(const ContainerState&) const = default;
};
struct ContainerStatus {
  std::string name;
  ContainerState state;
  ContainerState last_state;
  bool ready = false;
  bool started = false;
  std::int32_t restart_count = 0;
  std::string image;
  std::string image_id;
  bool operator==(const ContainerStatus&) const = default;
};

struct PodStatus {
  std::string phase;  // Pending, Running, Succeeded, Failed, Unknown
  std::vector<Condition> conditions;
  std::string message;
  std::string reason;
  std::string host_ip;
  std::string pod_ip;
  std::optional<Time> start_time;
  std::vector<ContainerStatus> init_container_statuses;
  std::vector<ContainerStatus> container_statuses;
  json::Document rest;
};

struct Pod {
  ObjectMeta metadata;
  PodSpec spec;
  PodStatus status;
};

// ---- the rest ----

struct NamespaceSpec {
  std::vector<std::string> finalizers;
};
struct NamespaceStatus {
  std::string phase;  // Active, Terminating
  json::Document rest;
};
struct Namespace {
  ObjectMeta metadata;
  NamespaceSpec spec;
  NamespaceStatus status;
};

struct ServicePort {
  std::string name;
  std::int32_t port = 0;
  std::string protocol;
  json::Document rest;  // targetPort, nodePort
};
struct ServiceSpec {
  StringMap selector;
  std::vector<ServicePort> ports;
  std::string cluster_ip;
  std::string type;
  bool publish_not_ready_addresses = false;
  json::Document rest;
};
struct Service {
  ObjectMeta metadata;
  ServiceSpec spec;
  json::Document status;
};

struct ConfigMap {
  ObjectMeta metadata;
  StringMap data;
  StringMap binary_data;
  std::optional<bool> immutable;
};

struct Secret {
  ObjectMeta metadata;
  std::string type;
  StringMap data;  // base64
  StringMap string_data;
  std::optional<bool> immutable;
};

struct ObjectReference {
  std::string api_version;
  std::string kind;
  std::string ns;  // "namespace"
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string field_path;
  bool operator==(const ObjectReference&) const = default;
};
struct EventSource {
  std::string component;
  std::string host;
};
struct Event {
  ObjectMeta metadata;
  ObjectReference involved_object;
  std::string reason;
  std::string message;
  std::string type;  // Normal, Warning
  EventSource source;
  std::optional<Time> first_timestamp;
  std::optional<Time> last_timestamp;
  std::int32_t count = 0;
  json::Document rest;  // eventTime, action, reportingComponent, …
};

struct NodeStatus {
  ResourceList capacity;
  ResourceList allocatable;
  std::vector<Condition> conditions;
  json::Document rest;  // addresses, nodeInfo
};
struct NodeSpec {
  bool unschedulable = false;
  json::Document rest;
};
struct Node {
  ObjectMeta metadata;
  NodeSpec spec;
  NodeStatus status;
};

struct PersistentVolumeClaimSpec {
  std::vector<std::string> access_modes;
  ResourceRequirements resources;
  std::string storage_class_name;
  std::string volume_name;
  json::Document rest;
};
struct PersistentVolumeClaimStatus {
  std::string phase;  // Bound
  std::vector<std::string> access_modes;
  ResourceList capacity;
  json::Document rest;
};
struct PersistentVolumeClaim {
  ObjectMeta metadata;
  PersistentVolumeClaimSpec spec;
  PersistentVolumeClaimStatus status;
};

}  // namespace muster::api

// Descriptors of these types.
namespace muster::reflect {

TypeDesc describe(Of<api::EnvVar>);
TypeDesc describe(Of<api::ContainerPort>);
TypeDesc describe(Of<api::VolumeMount>);
TypeDesc describe(Of<api::ResourceRequirements>);
TypeDesc describe(Of<api::Container>);
TypeDesc describe(Of<api::PersistentVolumeClaimVolume>);
TypeDesc describe(Of<api::EmptyDirVolume>);
TypeDesc describe(Of<api::HostPathVolume>);
TypeDesc describe(Of<api::Volume>);
TypeDesc describe(Of<api::PodSpec>);
TypeDesc describe(Of<api::PodTemplateSpec>);
TypeDesc describe(Of<api::ContainerStateTerminated>);
TypeDesc describe(Of<api::ContainerStateRunning>);
TypeDesc describe(Of<api::ContainerStateWaiting>);
TypeDesc describe(Of<api::ContainerState>);
TypeDesc describe(Of<api::ContainerStatus>);
TypeDesc describe(Of<api::PodStatus>);
TypeDesc describe(Of<api::Pod>);
TypeDesc describe(Of<api::NamespaceSpec>);
TypeDesc describe(Of<api::NamespaceStatus>);
TypeDesc describe(Of<api::Namespace>);
TypeDesc describe(Of<api::ServicePort>);
TypeDesc describe(Of<api::ServiceSpec>);
TypeDesc describe(Of<api::Service>);
TypeDesc describe(Of<api::ConfigMap>);
TypeDesc describe(Of<api::Secret>);
TypeDesc describe(Of<api::ObjectReference>);
TypeDesc describe(Of<api::EventSource>);
TypeDesc describe(Of<api::Event>);
TypeDesc describe(Of<api::NodeStatus>);
TypeDesc describe(Of<api::NodeSpec>);
TypeDesc describe(Of<api::Node>);
TypeDesc describe(Of<api::PersistentVolumeClaimSpec>);
TypeDesc describe(Of<api::PersistentVolumeClaimStatus>);
TypeDesc describe(Of<api::PersistentVolumeClaim>);

}  // namespace muster::reflect
