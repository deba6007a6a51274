// Descriptors of kinds that are only stored.
#include "api/kubernetes/records_v1.h"

#include "api/kubernetes/kubernetes_fields.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

TypeDesc describe(Of<LocalObjectReference>) {
  return object<LocalObjectReference>("LocalObjectReference", "Names an object of the same namespace.",
                                      field<&LocalObjectReference::name>("name", "Name of the object."));
}

TypeDesc describe(Of<ServiceAccount>) {
  return root<ServiceAccount>(
      "v1", "ServiceAccount", "A name under which pods run.",
      field<&ServiceAccount::metadata>("metadata", "Name, labels, owners and history."),
      field<&ServiceAccount::secrets>("secrets", "Secrets that pods of this account may use."),
      field<&ServiceAccount::image_pull_secrets>("imagePullSecrets", "Secrets with passwords of image registries."),
      field<&ServiceAccount::automount_service_account_token>(
          "automountServiceAccountToken", "Whether pods of this account get a token for the API server."));
}

TypeDesc describe(Of<PersistentVolumeSpec>) {
  return object<PersistentVolumeSpec>(
             "PersistentVolumeSpec", "What a volume is and who may use it.",
             field<&PersistentVolumeSpec::capacity>("capacity", "How much the volume holds."),
             field<&PersistentVolumeSpec::access_modes>("accessModes", "How the volume may be mounted."),
             field<&PersistentVolumeSpec::claim_ref>("claimRef", "Claim that the volume is bound to."),
             field<&PersistentVolumeSpec::persistent_volume_reclaim_policy>(
                 "persistentVolumeReclaimPolicy", "What happens to the volume when its claim is deleted.")
                 .one_of({"Delete", "Recycle", "Retain"})
                 .default_value("Retain"),
             field<&PersistentVolumeSpec::storage_class_name>("storageClassName", "Class of storage it belongs to."),
             field<&PersistentVolumeSpec::volume_mode>("volumeMode", "Whether it is a file system or a block device.")
                 .one_of({"Block", "Filesystem"})
                 .default_value("Filesystem"),
             field<&PersistentVolumeSpec::host_path>("hostPath", "A folder of the machine."))
      .open<&PersistentVolumeSpec::rest>(field_names(kubernetes::message_named("PersistentVolumeSpec")));
}

TypeDesc describe(Of<PersistentVolumeStatus>) {
  return object<PersistentVolumeStatus>(
      "PersistentVolumeStatus", "What is known about a volume.",
      field<&PersistentVolumeStatus::phase>("phase", "Whether the volume is free, bound or left behind.")
          .one_of({"Available", "Bound", "Failed", "Pending", "Released"}),
      field<&PersistentVolumeStatus::message>("message", "A sentence for why it is so."),
      field<&PersistentVolumeStatus::reason>("reason", "One word for why it failed."),
      field<&PersistentVolumeStatus::last_phase_transition_time>("lastPhaseTransitionTime",
                                                                 "When the phase changed last."));
}

TypeDesc describe(Of<PersistentVolume>) {
  return root<PersistentVolume>("v1", "PersistentVolume", "A piece of storage that claims can be bound to.",
                                field<&PersistentVolume::metadata>("metadata", "Name, labels and history."),
                                field<&PersistentVolume::spec>("spec", "What the volume is and who may use it."),
                                field<&PersistentVolume::status>("status", "What is known about the volume."));
}

TypeDesc describe(Of<LeaseSpec>) {
  return object<LeaseSpec>(
             "LeaseSpec", "Who holds a lease and until when.",
             field<&LeaseSpec::holder_identity>("holderIdentity", "Who holds the lease."),
             field<&LeaseSpec::lease_duration_seconds>("leaseDurationSeconds",
                                                       "Seconds after the last renewal when others may take it.")
                 .min(1),
             field<&LeaseSpec::acquire_time>("acquireTime", "When the holder took the lease."),
             field<&LeaseSpec::renew_time>("renewTime", "When the holder renewed the lease last."),
             field<&LeaseSpec::lease_transitions>("leaseTransitions", "How often the holder changed.").min(0))
      .open<&LeaseSpec::rest>(field_names(kubernetes::message_named("LeaseSpec")));
}

TypeDesc describe(Of<Lease>) {
  return root<Lease>("coordination.k8s.io/v1", "Lease", "A lock that is lost unless renewed, for choosing a leader.",
                     field<&Lease::metadata>("metadata", "Name, labels, owners and history."),
                     field<&Lease::spec>("spec", "Who holds the lease and until when."));
}

TypeDesc describe(Of<PriorityClass>) {
  return root<PriorityClass>(
      "scheduling.k8s.io/v1", "PriorityClass", "A name for how important pods are.",
      field<&PriorityClass::metadata>("metadata", "Name, labels and history."),
      field<&PriorityClass::value>("value", "How important: the highest goes first.").default_value(0),
      field<&PriorityClass::global_default>("globalDefault", "Whether it is for pods that name no class."),
      field<&PriorityClass::description>("description", "When to use this class."),
      field<&PriorityClass::preemption_policy>("preemptionPolicy", "Whether such pods may displace others.")
          .one_of({"Never", "PreemptLowerPriority"})
          .default_value("PreemptLowerPriority"));
}

}  // namespace muster::reflect
