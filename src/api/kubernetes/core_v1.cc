#include "api/kubernetes/core_v1.h"

#include "api/kubernetes/kubernetes_fields.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

TypeDesc describe(Of<NamespaceSpec>) {
  return object<NamespaceSpec>(
      "NamespaceSpec", "What keeps a namespace.",
      field<&NamespaceSpec::finalizers>("finalizers", "Who must agree before the namespace is removed."));
}

TypeDesc describe(Of<NamespaceStatus>) {
  return object<NamespaceStatus>("NamespaceStatus", "What is known about a namespace.",
                                 field<&NamespaceStatus::phase>("phase", "Active, or Terminating while it empties.")
                                     .one_of({"Active", "Terminating"}))
      .open<&NamespaceStatus::rest>(field_names(kubernetes::message_named("NamespaceStatus")));
}

TypeDesc describe(Of<Namespace>) {
  return root<Namespace>("v1", "Namespace", "A space in which names are unique and which is deleted as one.",
                         field<&Namespace::metadata>("metadata", "Name, labels and history."),
                         field<&Namespace::spec>("spec", "What keeps the namespace."),
                         field<&Namespace::status>("status", "What is known about the namespace."));
}

TypeDesc describe(Of<ServicePort>) {
  return object<ServicePort>(
             "ServicePort", "One port of a service.",
             field<&ServicePort::name>("name", "Name of the port, needed when there are several."),
             field<&ServicePort::port>("port", "Port that clients connect to.").required().min(1).max(65535),
             field<&ServicePort::protocol>("protocol", "Protocol of the port.")
                 .one_of({"SCTP", "TCP", "UDP"})
                 .default_value("TCP"))
      .open<&ServicePort::rest>(field_names(kubernetes::message_named("ServicePort")));
}

TypeDesc describe(Of<ServiceSpec>) {
  return object<ServiceSpec>(
             "ServiceSpec", "Which pods a service stands for and how they are reached.",
             field<&ServiceSpec::selector>("selector", "Labels of the pods that the service stands for."),
             field<&ServiceSpec::ports>("ports", "Ports that the service offers."),
             field<&ServiceSpec::cluster_ip>("clusterIP", "Address of the service; None makes it headless."),
             field<&ServiceSpec::type>("type", "How the service is made reachable.")
                 .one_of({"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"})
                 .default_value("ClusterIP"),
             field<&ServiceSpec::publish_not_ready_addresses>("publishNotReadyAddresses",
                                                              "Whether names resolve before pods are ready."))
      .open<&ServiceSpec::rest>(field_names(kubernetes::message_named("ServiceSpec")));
}

TypeDesc describe(Of<Service>) {
  return root<Service>(
      "v1", "Service", "A stable name for a set of pods.",
      field<&Service::metadata>("metadata", "Name, labels, owners and history."),
      field<&Service::spec>("spec", "Which pods it stands for and how they are reached."),
      field<&Service::status>("status", "What is known about the service; empty unless it has a load balancer."));
}

TypeDesc describe(Of<ConfigMap>) {
  return root<ConfigMap>(
      "v1", "ConfigMap", "Texts that pods read as files or variables.",
      field<&ConfigMap::metadata>("metadata", "Name, labels, owners and history."),
      field<&ConfigMap::data>("data", "Texts by name."),
      field<&ConfigMap::binary_data>("binaryData", "Bytes by name, in base64.").base64_values(),
      field<&ConfigMap::immutable>("immutable", "When true, the contents can no longer be changed."));
}

TypeDesc describe(Of<Secret>) {
  return root<Secret>(
      "v1", "Secret", "Passwords, keys and the like, which pods read as files or variables.",
      field<&Secret::metadata>("metadata", "Name, labels, owners and history."),
      field<&Secret::type>("type", "What kind of secret it is, for programs that use it.").default_value("Opaque"),
      field<&Secret::data>("data", "Values by name, in base64.").base64_values(),
      field<&Secret::string_data>("stringData", "Values by name, in plain text; moved into data when written."),
      field<&Secret::immutable>("immutable", "When true, the contents can no longer be changed."));
}

TypeDesc describe(Of<ObjectReference>) {
  return object<ObjectReference>(
      "ObjectReference", "Names another object.",
      field<&ObjectReference::api_version>("apiVersion", "Group and version of the object."),
      field<&ObjectReference::kind>("kind", "Kind of the object."),
      field<&ObjectReference::ns>("namespace", "Namespace of the object."),
      field<&ObjectReference::name>("name", "Name of the object."),
      field<&ObjectReference::uid>("uid", "Unique id of the object."),
      field<&ObjectReference::resource_version>("resourceVersion", "Revision of the object that is meant."),
      field<&ObjectReference::field_path>("fieldPath", "Part of the object that is meant, such as one container."));
}

TypeDesc describe(Of<EventSource>) {
  return object<EventSource>("EventSource", "Who saw an event.",
                             field<&EventSource::component>("component", "Program that reports it."),
                             field<&EventSource::host>("host", "Machine it was seen on."));
}

TypeDesc describe(Of<Event>) {
  return root<Event>("v1", "Event", "Something that happened to an object, kept for a while.",
                     field<&Event::metadata>("metadata", "Name, namespace and history.").required(),
                     field<&Event::involved_object>("involvedObject", "The object it happened to.").required(),
                     field<&Event::reason>("reason", "One word for what happened."),
                     field<&Event::message>("message", "A sentence for what happened."),
                     field<&Event::type>("type", "Normal or Warning."), field<&Event::source>("source", "Who saw it."),
                     field<&Event::first_timestamp>("firstTimestamp", "When it was seen first."),
                     field<&Event::last_timestamp>("lastTimestamp", "When it was seen last."),
                     field<&Event::count>("count", "How often it was seen."))
      .open<&Event::rest>(field_names(kubernetes::message_named("Event")));
}

TypeDesc describe(Of<NodeStatus>) {
  return object<NodeStatus>("NodeStatus", "What is known about a machine.",
                            field<&NodeStatus::capacity>("capacity", "Resources the machine has."),
                            field<&NodeStatus::allocatable>("allocatable", "Resources that pods may use."),
                            field<&NodeStatus::conditions>("conditions", "Health of the machine.").list_map_key("type"))
      .open<&NodeStatus::rest>(field_names(kubernetes::message_named("NodeStatus")));
}

TypeDesc describe(Of<NodeSpec>) {
  return object<NodeSpec>("NodeSpec", "How a machine is used.",
                          field<&NodeSpec::unschedulable>("unschedulable", "When true, no new pods are placed on it."))
      .open<&NodeSpec::rest>(field_names(kubernetes::message_named("NodeSpec")));
}

TypeDesc describe(Of<Node>) {
  return root<Node>("v1", "Node", "A machine that runs pods.",
                    field<&Node::metadata>("metadata", "Name, labels and history."),
                    field<&Node::spec>("spec", "How the machine is used."),
                    field<&Node::status>("status", "What is known about the machine."));
}

TypeDesc describe(Of<PersistentVolumeClaimSpec>) {
  return object<PersistentVolumeClaimSpec>(
             "PersistentVolumeClaimSpec", "Which storage is wanted.",
             field<&PersistentVolumeClaimSpec::access_modes>("accessModes", "How many machines may mount it, and how."),
             field<&PersistentVolumeClaimSpec::resources>("resources", "How much storage is wanted."),
             field<&PersistentVolumeClaimSpec::storage_class_name>("storageClassName",
                                                                   "Kind of storage that is wanted."),
             field<&PersistentVolumeClaimSpec::volume_name>("volumeName", "Volume that the claim is bound to."))
      .open<&PersistentVolumeClaimSpec::rest>(
          {"dataSource", "dataSourceRef", "selector", "volumeAttributesClassName", "volumeMode"});
}

TypeDesc describe(Of<PersistentVolumeClaimStatus>) {
  return object<PersistentVolumeClaimStatus>(
             "PersistentVolumeClaimStatus", "What is known about a claim.",
             field<&PersistentVolumeClaimStatus::phase>("phase", "Pending, Bound or Lost.")
                 .one_of({"Pending", "Bound", "Lost"}),
             field<&PersistentVolumeClaimStatus::access_modes>("accessModes", "How the storage may be mounted."),
             field<&PersistentVolumeClaimStatus::capacity>("capacity", "How much the storage holds."))
      .open<&PersistentVolumeClaimStatus::rest>(field_names(kubernetes::message_named("PersistentVolumeClaimStatus")));
}

TypeDesc describe(Of<PersistentVolumeClaim>) {
  return root<PersistentVolumeClaim>("v1", "PersistentVolumeClaim", "Storage that outlives pods.",
                                     field<&PersistentVolumeClaim::metadata>("metadata", "Name, labels and history."),
                                     field<&PersistentVolumeClaim::spec>("spec", "Which storage is wanted."),
                                     field<&PersistentVolumeClaim::status>("status", "What is known about the claim."));
}

// ---- pods and their parts ----

TypeDesc describe(Of<EnvVar>) {
  return object<EnvVar>("EnvVar", "One environment variable of a container.",
                        field<&EnvVar::name>("name", "Name of the variable.").required(),
                        field<&EnvVar::value>("value", "Its value; $(OTHER) refers to a variable defined before it."))
      .open<&EnvVar::rest>(field_names(kubernetes::message_named("EnvVar")));
}

TypeDesc describe(Of<ContainerPort>) {
  return object<ContainerPort>(
             "ContainerPort", "A port that a container listens on.",
             field<&ContainerPort::name>("name", "Name by which services and jobs find the port."),
             field<&ContainerPort::container_port>("containerPort", "Number of the port.").required().min(1).max(65535))
      .open<&ContainerPort::rest>(field_names(kubernetes::message_named("ContainerPort")));
}

TypeDesc describe(Of<VolumeMount>) {
  return object<VolumeMount>(
             "VolumeMount", "Makes a volume of the pod visible inside a container.",
             field<&VolumeMount::name>("name", "Name of one of the pod's volumes.").required(),
             field<&VolumeMount::mount_path>("mountPath", "Where the volume appears; made when missing.").required(),
             field<&VolumeMount::sub_path>("subPath", "Folder or file of the volume to mount instead of its root."),
             field<&VolumeMount::read_only>("readOnly", "When true, the container cannot write to it."))
      .open<&VolumeMount::rest>(field_names(kubernetes::message_named("VolumeMount")));
}

TypeDesc describe(Of<ResourceRequirements>) {
  return object<ResourceRequirements>(
             "ResourceRequirements", "How much of each resource is needed and allowed.",
             field<&ResourceRequirements::requests>(
                 "requests",
                 "What is set aside for it, such as cpu, memory or nvidia.com/gpu; defaults to the limits."),
             field<&ResourceRequirements::limits>("limits", "What it may use at most."))
      .open<&ResourceRequirements::rest>(field_names(kubernetes::message_named("ResourceRequirements")));
}

TypeDesc describe(Of<Container>) {
  return object<Container>(
             "Container", "One program of a pod.",
             field<&Container::name>("name", "Name of the container, unique in the pod.").required(),
             field<&Container::image>("image", "Image, which selects the environment that the program runs in."),
             field<&Container::command>("command", "Program and first arguments; replaces the image's entry point."),
             field<&Container::args>("args", "Arguments that follow the command."),
             field<&Container::working_dir>("workingDir", "Directory the program starts in; made when missing."),
             field<&Container::env>("env", "Environment variables, later ones may refer to earlier ones."),
             field<&Container::ports>("ports", "Ports the program listens on."),
             field<&Container::resources>("resources", "CPU, memory and devices the container needs and may use."),
             field<&Container::volume_mounts>("volumeMounts", "Volumes of the pod that the container sees, and where.")
                 .list_map_key("mountPath"))
      .open<&Container::rest>(field_names(kubernetes::message_named("Container")));
}

TypeDesc describe(Of<PersistentVolumeClaimVolume>) {
  return object<PersistentVolumeClaimVolume>(
      "PersistentVolumeClaimVolume", "A volume that a claim in the same namespace stands for.",
      field<&PersistentVolumeClaimVolume::claim_name>("claimName", "Name of the claim.").required(),
      field<&PersistentVolumeClaimVolume::read_only>("readOnly", "When true, every mount of it is read-only."));
}

TypeDesc describe(Of<EmptyDirVolume>) {
  return object<EmptyDirVolume>(
      "EmptyDirVolume", "A folder that is empty when the pod starts and gone when it ends.",
      field<&EmptyDirVolume::medium>("medium", "Empty for disk, Memory for a file system in memory."),
      field<&EmptyDirVolume::size_limit>("sizeLimit", "How much it may hold."));
}

TypeDesc describe(Of<HostPathVolume>) {
  return object<HostPathVolume>(
      "HostPathVolume", "A file or folder of the machine that the pod runs on.",
      field<&HostPathVolume::path>("path", "Absolute path on the machine.").required(),
      field<&HostPathVolume::type>("type", "What must be there, such as Directory or DirectoryOrCreate."));
}

TypeDesc describe(Of<Volume>) {
  return object<Volume>("Volume", "Storage that the containers of a pod can mount.",
                        field<&Volume::name>("name", "Name that volumeMounts refer to, unique in the pod.").required(),
                        field<&Volume::persistent_volume_claim>("persistentVolumeClaim", "Storage kept by a claim."),
                        field<&Volume::empty_dir>("emptyDir", "Scratch space that lives as long as the pod."),
                        field<&Volume::host_path>("hostPath", "A file or folder of the machine."))
      .open<&Volume::rest>(field_names(kubernetes::message_named("Volume")));
}

TypeDesc describe(Of<PodSpec>) {
  return object<PodSpec>(
             "PodSpec", "What a pod runs and where.",
             field<&PodSpec::volumes>("volumes", "Storage that containers can mount.").list_map_key("name"),
             field<&PodSpec::init_containers>("initContainers",
                                              "Programs that run one after the other before the containers start.")
                 .list_map_key("name"),
             field<&PodSpec::containers>("containers", "Programs that run together.")
                 .required()
                 .min_items(1)
                 .list_map_key("name"),
             field<&PodSpec::restart_policy>("restartPolicy", "When a container that ended restarts.")
                 .one_of({"Always", "OnFailure", "Never"})
                 .default_value("Always"),
             field<&PodSpec::termination_grace_period_seconds>("terminationGracePeriodSeconds",
                                                               "Seconds between the request to end and the kill.")
                 .min(0)
                 .default_value(30),
             field<&PodSpec::node_name>("nodeName", "Machine the pod is bound to; normally set by the scheduler."),
             field<&PodSpec::hostname>("hostname", "Host name the containers see; defaults to the name of the pod."),
             field<&PodSpec::subdomain>("subdomain", "Headless service under which the host name resolves."),
             field<&PodSpec::scheduler_name>("schedulerName", "Scheduler that places the pod."),
             field<&PodSpec::service_account_name>("serviceAccountName", "Identity of the pod towards the API."))
      .open<&PodSpec::rest>(field_names(kubernetes::message_named("PodSpec")));
}

TypeDesc describe(Of<PodTemplateSpec>) {
  return object<PodTemplateSpec>(
      "PodTemplateSpec", "From which the pods of a job are made.",
      field<&PodTemplateSpec::metadata>("metadata", "Labels and annotations that the pods get.").as_written(),
      field<&PodTemplateSpec::spec>("spec", "What the pods run.").as_written());
}

TypeDesc describe(Of<ContainerStateTerminated>) {
  return object<ContainerStateTerminated>(
             "ContainerStateTerminated", "How a container ended.",
             field<&ContainerStateTerminated::exit_code>("exitCode", "Exit code of the program.").required(),
             field<&ContainerStateTerminated::signal>("signal", "Signal that ended the program."),
             field<&ContainerStateTerminated::reason>("reason", "One word for how it ended."),
             field<&ContainerStateTerminated::message>("message", "A sentence for how it ended."),
             field<&ContainerStateTerminated::started_at>("startedAt", "When the program was started."),
             field<&ContainerStateTerminated::finished_at>("finishedAt", "When the program ended."))
      .partial(field_names(kubernetes::message_named("ContainerStateTerminated")));
}

TypeDesc describe(Of<ContainerStateRunning>) {
  return object<ContainerStateRunning>("ContainerStateRunning", "A container that runs.",
                                       field<&ContainerStateRunning::started_at>("startedAt", "When it was started."));
}

TypeDesc describe(Of<ContainerStateWaiting>) {
  return object<ContainerStateWaiting>(
      "ContainerStateWaiting", "A container that does not run yet.",
      field<&ContainerStateWaiting::reason>("reason", "One word for what it waits for."),
      field<&ContainerStateWaiting::message>("message", "A sentence for what it waits for."));
}

TypeDesc describe(Of<ContainerState>) {
  return object<ContainerState>("ContainerState", "The state of a container; exactly one member is set.",
                                field<&ContainerState::waiting>("waiting", "It does not run yet."),
                                field<&ContainerState::running>("running", "It runs."),
                                field<&ContainerState::terminated>("terminated", "It ended."));
}

TypeDesc describe(Of<ContainerStatus>) {
  return object<ContainerStatus>(
             "ContainerStatus", "What is known about one container of a pod.",
             field<&ContainerStatus::name>("name", "Name of the container.").required(),
             field<&ContainerStatus::state>("state", "Its state now."),
             field<&ContainerStatus::last_state>("lastState", "How it ended the time before, if it was restarted."),
             field<&ContainerStatus::ready>("ready", "Whether it is up and passes its readiness probe.").required(),
             field<&ContainerStatus::started>("started", "Whether it was started and its startup probe passed."),
             field<&ContainerStatus::restart_count>("restartCount", "Number of restarts.").required().min(0),
             field<&ContainerStatus::image>("image", "Image it runs.").required(),
             field<&ContainerStatus::image_id>("imageID", "Exact image it runs.").required())
      .partial(field_names(kubernetes::message_named("ContainerStatus")));
}

TypeDesc describe(Of<PodStatus>) {
  return object<PodStatus>(
             "PodStatus", "What is known about a pod.",
             field<&PodStatus::phase>("phase", "Pending, Running, Succeeded, Failed or Unknown.")
                 .one_of({"Pending", "Running", "Succeeded", "Failed", "Unknown"}),
             field<&PodStatus::conditions>("conditions", "Which steps of its life the pod has passed.")
                 .list_map_key("type"),
             field<&PodStatus::message>("message", "A sentence for why the pod is in this state."),
             field<&PodStatus::reason>("reason", "One word for why the pod is in this state."),
             field<&PodStatus::host_ip>("hostIP", "Address of the machine."),
             field<&PodStatus::pod_ip>("podIP", "Address of the pod."),
             field<&PodStatus::start_time>("startTime", "When the machine took the pod on."),
             field<&PodStatus::init_container_statuses>("initContainerStatuses", "One entry per init container."),
             field<&PodStatus::container_statuses>("containerStatuses", "One entry per container."))
      .open<&PodStatus::rest>(field_names(kubernetes::message_named("PodStatus")));
}

TypeDesc describe(Of<Pod>) {
  return root<Pod>("v1", "Pod", "Programs that run together on one machine.",
                   field<&Pod::metadata>("metadata", "Name, labels, owners and history."),
                   field<&Pod::spec>("spec", "What the pod runs and where.").required(),
                   field<&Pod::status>("status", "What is known about the pod; written by the machine it runs on."));
}

}  // namespace muster::reflect
