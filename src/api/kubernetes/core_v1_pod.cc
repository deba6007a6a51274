// Descriptors of pods and their parts.
#include "api/kubernetes/core_v1.h"
#include "api/kubernetes/kubernetes_fields.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

template <>
const TypeDesc& type_of<EnvVar>() {
  static const TypeDesc desc =
      object<EnvVar>("EnvVar", "One environment variable of a container.",
                     field<&EnvVar::name>("name", "Name of the variable.").required(),
                     field<&EnvVar::value>("value", "Its value; $(OTHER) refers to a variable defined before it."))
          .open<&EnvVar::rest>(field_names(kubernetes::message_named("EnvVar")));
  return desc;
}

template <>
const TypeDesc& type_of<ContainerPort>() {
  static const TypeDesc desc =
      object<ContainerPort>(
          "ContainerPort", "A port that a container listens on.",
          field<&ContainerPort::name>("name", "Name by which services and jobs find the port."),
          field<&ContainerPort::container_port>("containerPort", "Number of the port.").required().min(1).max(65535))
          .open<&ContainerPort::rest>(field_names(kubernetes::message_named("ContainerPort")));
  return desc;
}

template <>
const TypeDesc& type_of<VolumeMount>() {
  static const TypeDesc desc =
      object<VolumeMount>(
          "VolumeMount", "Makes a volume of the pod visible inside a container.",
          field<&VolumeMount::name>("name", "Name of one of the pod's volumes.").required(),
          field<&VolumeMount::mount_path>("mountPath", "Where the volume appears; made when missing.").required(),
          field<&VolumeMount::sub_path>("subPath", "Folder or file of the volume to mount instead of its root."),
          field<&VolumeMount::read_only>("readOnly", "When true, the container cannot write to it."))
          .open<&VolumeMount::rest>(field_names(kubernetes::message_named("VolumeMount")));
  return desc;
}

template <>
const TypeDesc& type_of<ResourceRequirements>() {
  static const TypeDesc desc =
      object<ResourceRequirements>(
          "ResourceRequirements", "How much of each resource is needed and allowed.",
          field<&ResourceRequirements::requests>(
              "requests", "What is set aside for it, such as cpu, memory or nvidia.com/gpu; defaults to the limits."),
          field<&ResourceRequirements::limits>("limits", "What it may use at most."))
          .open<&ResourceRequirements::rest>(field_names(kubernetes::message_named("ResourceRequirements")));
  return desc;
}

template <>
const TypeDesc& type_of<Container>() {
  static const TypeDesc desc =
      object<Container>(
          "Container", "One program of a pod.",
          field<&Container::name>("name", "Name of the container, unique in the pod.").required(),
          field<&Container::image>("image", "Image, which selects the environment that the program runs in."),
          field<&Container::command>("command", "Program and first arguments; replaces the image's entry point."),
          field<&Container::args>("args", "Arguments that follow the command."),
          field<&Container::working_dir>("workingDir", "Directory the program starts in; made when missing."),
          field<&Container::env>("env", "Environment variables, later ones may refer to earlier ones.")
              .merge_key("name"),
          field<&Container::ports>("ports", "Ports the program listens on.").merge_key("containerPort"),
          field<&Container::resources>("resources", "CPU, memory and devices the container needs and may use."),
          field<&Container::volume_mounts>("volumeMounts", "Volumes of the pod that the container sees, and where.")
              .list_map_key("mountPath"))
          .open<&Container::rest>(field_names(kubernetes::message_named("Container")));
  return desc;
}

template <>
const TypeDesc& type_of<PersistentVolumeClaimVolume>() {
  static const TypeDesc desc = object<PersistentVolumeClaimVolume>(
      "PersistentVolumeClaimVolume", "A volume that a claim in the same namespace stands for.",
      field<&PersistentVolumeClaimVolume::claim_name>("claimName", "Name of the claim.").required(),
      field<&PersistentVolumeClaimVolume::read_only>("readOnly", "When true, every mount of it is read-only."));
  return desc;
}

template <>
const TypeDesc& type_of<EmptyDirVolume>() {
  static const TypeDesc desc = object<EmptyDirVolume>(
      "EmptyDirVolume", "A folder that is empty when the pod starts and gone when it ends.",
      field<&EmptyDirVolume::medium>("medium", "Empty for disk, Memory for a file system in memory."),
      field<&EmptyDirVolume::size_limit>("sizeLimit", "How much it may hold."));
  return desc;
}

template <>
const TypeDesc& type_of<HostPathVolume>() {
  static const TypeDesc desc = object<HostPathVolume>(
      "HostPathVolume", "A file or folder of the machine that the pod runs on.",
      field<&HostPathVolume::path>("path", "Absolute path on the machine.").required(),
      field<&HostPathVolume::type>("type", "What must be there, such as Directory or DirectoryOrCreate."));
  return desc;
}

template <>
const TypeDesc& type_of<Volume>() {
  static const TypeDesc desc =
      object<Volume>("Volume", "Storage that the containers of a pod can mount.",
                     field<&Volume::name>("name", "Name that volumeMounts refer to, unique in the pod.").required(),
                     field<&Volume::persistent_volume_claim>("persistentVolumeClaim", "Storage kept by a claim."),
                     field<&Volume::empty_dir>("emptyDir", "Scratch space that lives as long as the pod."),
                     field<&Volume::host_path>("hostPath", "A file or folder of the machine."))
          .open<&Volume::rest>(field_names(kubernetes::message_named("Volume")));
  return desc;
}

template <>
const TypeDesc& type_of<PodSpec>() {
  static const TypeDesc desc =
      object<PodSpec>(
          "PodSpec", "What a pod runs and where.",
          field<&PodSpec::volumes>("volumes", "Storage that containers can mount.").list_map_key("name").retains_keys(),
          field<&PodSpec::init_containers>("initContainers",
                                           "Programs that run one after the other before the containers start.")
              .list_map_key("name"),
          field<&PodSpec::containers>("containers", "Programs that run together.")
              .required()
              .min_items(1)
              .list_map_key("name"),
          field<&PodSpec::restart_policy>("restartPolicy", "When a container that ended is started again.")
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
  return desc;
}

template <>
const TypeDesc& type_of<PodTemplateSpec>() {
  static const TypeDesc desc = object<PodTemplateSpec>(
      "PodTemplateSpec", "From which the pods of a job are made.",
      field<&PodTemplateSpec::metadata>("metadata", "Labels and annotations that the pods get.").as_written(),
      field<&PodTemplateSpec::spec>("spec", "What the pods run.").as_written());
  return desc;
}

template <>
const TypeDesc& type_of<ContainerStateTerminated>() {
  static const TypeDesc desc =
      object<ContainerStateTerminated>(
          "ContainerStateTerminated", "How a container ended.",
          field<&ContainerStateTerminated::exit_code>("exitCode", "Exit code of the program.").required(),
          field<&ContainerStateTerminated::signal>("signal", "Signal that ended the program."),
          field<&ContainerStateTerminated::reason>("reason", "One word for how it ended."),
          field<&ContainerStateTerminated::message>("message", "A sentence for how it ended."),
          field<&ContainerStateTerminated::started_at>("startedAt", "When the program was started."),
          field<&ContainerStateTerminated::finished_at>("finishedAt", "When the program ended."))
          .partial(field_names(kubernetes::message_named("ContainerStateTerminated")));
  return desc;
}

template <>
const TypeDesc& type_of<ContainerStateRunning>() {
  static const TypeDesc desc =
      object<ContainerStateRunning>("ContainerStateRunning", "A container that runs.",
                                    field<&ContainerStateRunning::started_at>("startedAt", "When it was started."));
  return desc;
}

template <>
const TypeDesc& type_of<ContainerStateWaiting>() {
  static const TypeDesc desc = object<ContainerStateWaiting>(
      "ContainerStateWaiting", "A container that does not run yet.",
      field<&ContainerStateWaiting::reason>("reason", "One word for what it waits for."),
      field<&ContainerStateWaiting::message>("message", "A sentence for what it waits for."));
  return desc;
}

template <>
const TypeDesc& type_of<ContainerState>() {
  static const TypeDesc desc =
      object<ContainerState>("ContainerState", "The state of a container; exactly one member is set.",
                             field<&ContainerState::waiting>("waiting", "It does not run yet."),
                             field<&ContainerState::running>("running", "It runs."),
                             field<&ContainerState::terminated>("terminated", "It ended."));
  return desc;
}

template <>
const TypeDesc& type_of<ContainerStatus>() {
  static const TypeDesc desc =
      object<ContainerStatus>(
          "ContainerStatus", "What is known about one container of a pod.",
          field<&ContainerStatus::name>("name", "Name of the container.").required(),
          field<&ContainerStatus::state>("state", "Its state now."),
          field<&ContainerStatus::last_state>("lastState", "How it ended the time before, if it was restarted."),
          field<&ContainerStatus::ready>("ready", "Whether it is up and passes its readiness probe.").required(),
          field<&ContainerStatus::started>("started", "Whether it was started and its startup probe passed."),
          field<&ContainerStatus::restart_count>("restartCount", "How often it was started again.").required().min(0),
          field<&ContainerStatus::image>("image", "Image it runs.").required(),
          field<&ContainerStatus::image_id>("imageID", "Exact image it runs.").required())
          .partial(field_names(kubernetes::message_named("ContainerStatus")));
  return desc;
}

template <>
const TypeDesc& type_of<PodStatus>() {
  static const TypeDesc desc =
      object<PodStatus>(
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
  return desc;
}

template <>
const TypeDesc& type_of<Pod>() {
  static const TypeDesc desc =
      root<Pod>("v1", "Pod", "Programs that run together on one machine.",
                field<&Pod::metadata>("metadata", "Name, labels, owners and history."),
                field<&Pod::spec>("spec", "What the pod runs and where.").required(),
                field<&Pod::status>("status", "What is known about the pod; written by the machine it runs on."));
  return desc;
}

}  // namespace muster::reflect
