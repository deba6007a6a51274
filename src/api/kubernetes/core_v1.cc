// Descriptors of core/v1 except pods.
#include "api/kubernetes/core_v1.h"

#include "api/kubernetes/kubernetes_fields.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

template <>
const TypeDesc& type_of<NamespaceSpec>() {
  static const TypeDesc desc = object<NamespaceSpec>(
      "NamespaceSpec", "What keeps a namespace.",
      field<&NamespaceSpec::finalizers>("finalizers", "Who must agree before the namespace is removed."));
  return desc;
}

template <>
const TypeDesc& type_of<NamespaceStatus>() {
  static const TypeDesc desc =
      object<NamespaceStatus>("NamespaceStatus", "What is known about a namespace.",
                              field<&NamespaceStatus::phase>("phase", "Active, or Terminating while it empties.")
                                  .one_of({"Active", "Terminating"}))
          .open<&NamespaceStatus::rest>(field_names(kubernetes::message_named("NamespaceStatus")));
  return desc;
}

template <>
const TypeDesc& type_of<Namespace>() {
  static const TypeDesc desc =
      root<Namespace>("v1", "Namespace", "A space in which names are unique and which is deleted as one.",
                      field<&Namespace::metadata>("metadata", "Name, labels and history."),
                      field<&Namespace::spec>("spec", "What keeps the namespace."),
                      field<&Namespace::status>("status", "What is known about the namespace."));
  return desc;
}

template <>
const TypeDesc& type_of<ServicePort>() {
  static const TypeDesc desc =
      object<ServicePort>(
          "ServicePort", "One port of a service.",
          field<&ServicePort::name>("name", "Name of the port, needed when there are several."),
          field<&ServicePort::port>("port", "Port that clients connect to.").required().min(1).max(65535),
          field<&ServicePort::protocol>("protocol", "Protocol of the port.")
              .one_of({"SCTP", "TCP", "UDP"})
              .default_value("TCP"))
          .open<&ServicePort::rest>(field_names(kubernetes::message_named("ServicePort")));
  return desc;
}

template <>
const TypeDesc& type_of<ServiceSpec>() {
  static const TypeDesc desc =
      object<ServiceSpec>(
          "ServiceSpec", "Which pods a service stands for and how they are reached.",
          field<&ServiceSpec::selector>("selector", "Labels of the pods that the service stands for."),
          field<&ServiceSpec::ports>("ports", "Ports that the service offers.").merge_key("port"),
          field<&ServiceSpec::cluster_ip>("clusterIP", "Address of the service; None makes it headless."),
          field<&ServiceSpec::type>("type", "How the service is made reachable.")
              .one_of({"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"})
              .default_value("ClusterIP"),
          field<&ServiceSpec::publish_not_ready_addresses>("publishNotReadyAddresses",
                                                           "Whether names resolve before pods are ready."))
          .open<&ServiceSpec::rest>(field_names(kubernetes::message_named("ServiceSpec")));
  return desc;
}

template <>
const TypeDesc& type_of<Service>() {
  static const TypeDesc desc = root<Service>(
      "v1", "Service", "A stable name for a set of pods.",
      field<&Service::metadata>("metadata", "Name, labels, owners and history."),
      field<&Service::spec>("spec", "Which pods it stands for and how they are reached."),
      field<&Service::status>("status", "What is known about the service; empty unless it has a load balancer."));
  return desc;
}

template <>
const TypeDesc& type_of<ConfigMap>() {
  static const TypeDesc desc =
      root<ConfigMap>("v1", "ConfigMap", "Texts that pods read as files or variables.",
                      field<&ConfigMap::metadata>("metadata", "Name, labels, owners and history."),
                      field<&ConfigMap::data>("data", "Texts by name."),
                      field<&ConfigMap::binary_data>("binaryData", "Bytes by name, in base64.").base64_values(),
                      field<&ConfigMap::immutable>("immutable", "When true, the contents can no longer be changed."));
  return desc;
}

template <>
const TypeDesc& type_of<Secret>() {
  static const TypeDesc desc = root<Secret>(
      "v1", "Secret", "Passwords, keys and the like, which pods read as files or variables.",
      field<&Secret::metadata>("metadata", "Name, labels, owners and history."),
      field<&Secret::type>("type", "What kind of secret it is, for programs that use it.").default_value("Opaque"),
      field<&Secret::data>("data", "Values by name, in base64.").base64_values(),
      field<&Secret::string_data>("stringData", "Values by name, in plain text; moved into data when written."),
      field<&Secret::immutable>("immutable", "When true, the contents can no longer be changed."));
  return desc;
}

template <>
const TypeDesc& type_of<ObjectReference>() {
  static const TypeDesc desc = object<ObjectReference>(
      "ObjectReference", "Names another object.",
      field<&ObjectReference::api_version>("apiVersion", "Group and version of the object."),
      field<&ObjectReference::kind>("kind", "Kind of the object."),
      field<&ObjectReference::ns>("namespace", "Namespace of the object."),
      field<&ObjectReference::name>("name", "Name of the object."),
      field<&ObjectReference::uid>("uid", "Unique id of the object."),
      field<&ObjectReference::resource_version>("resourceVersion", "Revision of the object that is meant."),
      field<&ObjectReference::field_path>("fieldPath", "Part of the object that is meant, such as one container."));
  return desc;
}

template <>
const TypeDesc& type_of<EventSource>() {
  static const TypeDesc desc = object<EventSource>(
      "EventSource", "Who saw an event.", field<&EventSource::component>("component", "Program that reports it."),
      field<&EventSource::host>("host", "Machine it was seen on."));
  return desc;
}

template <>
const TypeDesc& type_of<Event>() {
  static const TypeDesc desc =
      root<Event>("v1", "Event", "Something that happened to an object, kept for a while.",
                  field<&Event::metadata>("metadata", "Name, namespace and history.").required(),
                  field<&Event::involved_object>("involvedObject", "The object it happened to.").required(),
                  field<&Event::reason>("reason", "One word for what happened."),
                  field<&Event::message>("message", "A sentence for what happened."),
                  field<&Event::type>("type", "Normal or Warning."), field<&Event::source>("source", "Who saw it."),
                  field<&Event::first_timestamp>("firstTimestamp", "When it was seen first."),
                  field<&Event::last_timestamp>("lastTimestamp", "When it was seen last."),
                  field<&Event::count>("count", "How often it was seen."))
          .open<&Event::rest>(field_names(kubernetes::message_named("Event")));
  return desc;
}

template <>
const TypeDesc& type_of<NodeStatus>() {
  static const TypeDesc desc =
      object<NodeStatus>("NodeStatus", "What is known about a machine.",
                         field<&NodeStatus::capacity>("capacity", "Resources the machine has."),
                         field<&NodeStatus::allocatable>("allocatable", "Resources that pods may use."),
                         field<&NodeStatus::conditions>("conditions", "Health of the machine.").list_map_key("type"))
          .open<&NodeStatus::rest>(field_names(kubernetes::message_named("NodeStatus")));
  return desc;
}

template <>
const TypeDesc& type_of<NodeSpec>() {
  static const TypeDesc desc =
      object<NodeSpec>("NodeSpec", "How a machine is used.",
                       field<&NodeSpec::unschedulable>("unschedulable", "When true, no new pods are placed on it."))
          .open<&NodeSpec::rest>(field_names(kubernetes::message_named("NodeSpec")));
  return desc;
}

template <>
const TypeDesc& type_of<Node>() {
  static const TypeDesc desc = root<Node>("v1", "Node", "A machine that runs pods.",
                                          field<&Node::metadata>("metadata", "Name, labels and history."),
                                          field<&Node::spec>("spec", "How the machine is used."),
                                          field<&Node::status>("status", "What is known about the machine."));
  return desc;
}

template <>
const TypeDesc& type_of<PersistentVolumeClaimSpec>() {
  static const TypeDesc desc =
      object<PersistentVolumeClaimSpec>(
          "PersistentVolumeClaimSpec", "Which storage is wanted.",
          field<&PersistentVolumeClaimSpec::access_modes>("accessModes", "How many machines may mount it, and how."),
          field<&PersistentVolumeClaimSpec::resources>("resources", "How much storage is wanted."),
          field<&PersistentVolumeClaimSpec::storage_class_name>("storageClassName", "Kind of storage that is wanted."),
          field<&PersistentVolumeClaimSpec::volume_name>("volumeName", "Volume that the claim is bound to."))
          .open<&PersistentVolumeClaimSpec::rest>(
              {"dataSource", "dataSourceRef", "selector", "volumeAttributesClassName", "volumeMode"});
  return desc;
}

template <>
const TypeDesc& type_of<PersistentVolumeClaimStatus>() {
  static const TypeDesc desc =
      object<PersistentVolumeClaimStatus>(
          "PersistentVolumeClaimStatus", "What is known about a claim.",
          field<&PersistentVolumeClaimStatus::phase>("phase", "Pending, Bound or Lost.")
              .one_of({"Pending", "Bound", "Lost"}),
          field<&PersistentVolumeClaimStatus::access_modes>("accessModes", "How the storage may be mounted."),
          field<&PersistentVolumeClaimStatus::capacity>("capacity", "How much the storage holds."))
          .open<&PersistentVolumeClaimStatus::rest>(
              field_names(kubernetes::message_named("PersistentVolumeClaimStatus")));
  return desc;
}

template <>
const TypeDesc& type_of<PersistentVolumeClaim>() {
  static const TypeDesc desc =
      root<PersistentVolumeClaim>("v1", "PersistentVolumeClaim", "Storage that outlives pods.",
                                  field<&PersistentVolumeClaim::metadata>("metadata", "Name, labels and history."),
                                  field<&PersistentVolumeClaim::spec>("spec", "Which storage is wanted."),
                                  field<&PersistentVolumeClaim::status>("status", "What is known about the claim."));
  return desc;
}

}  // namespace muster::reflect
