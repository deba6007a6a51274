// Names that Muster reads or writes in objects: keys of labels and annotations, and its own as a manager. One
// definition of each.
#pragma once

namespace muster::api {

// TensorStack
inline constexpr const char* kOwnerNameLabel = "tensorstack.dev/owner-name";
inline constexpr const char* kReplicaTypeLabel = "replica-type";
inline constexpr const char* kReplicaIndexLabel = "replica-index";
inline constexpr const char* kJobRoleLabel = "job-role";
inline constexpr const char* kGroupNameLabel = "scheduler.tensorstack.dev/group-name";
inline constexpr const char* kQueueLabel = "scheduler.tensorstack.dev/queue";
inline constexpr const char* kGroupRoleLabel = "scheduler.tensorstack.dev/role";
// Kubeflow
inline constexpr const char* kKubeflowOperatorLabel = "training.kubeflow.org/operator-name";
inline constexpr const char* kKubeflowJobNameLabel = "training.kubeflow.org/job-name";
inline constexpr const char* kKubeflowReplicaTypeLabel = "training.kubeflow.org/replica-type";
inline constexpr const char* kKubeflowReplicaIndexLabel = "training.kubeflow.org/replica-index";
inline constexpr const char* kKubeflowJobRoleLabel = "training.kubeflow.org/job-role";
// KubeDL
inline constexpr const char* kCronNameLabel = "kubedl.io/cron-name";  // on jobs: the Cron that made them
// Muster
inline constexpr const char* kManagerName = "muster.dev/operator";  // in spec.runPolicy.managedBy: our operator
inline constexpr const char* kFieldManager = "muster-operator";     // of what our operator writes on a cluster
inline constexpr const char* kNameLabel = "app.kubernetes.io/name";
inline constexpr const char* kManagedByLabel = "app.kubernetes.io/managed-by";  // on what `muster install` may change
inline constexpr const char* kManagedByMuster = "muster";
inline constexpr const char* kAttemptLabel = "muster.dev/attempt";                 // on pods: which try of this replica
inline constexpr const char* kGangSizeAnnotation = "muster.dev/gang-size";         // on pods: how many start together
inline constexpr const char* kHeadStartAnnotation = "muster.dev/head-start";       // on pods: of the gang's first rank
inline constexpr const char* kLocalRanksAnnotation = "muster.dev/local-ranks";     // on pods: "true": one machine
inline constexpr const char* kTensorBoardUidLabel = "muster.dev/tensorboard-uid";  // on children of a TensorBoard
inline constexpr const char* kNotebookUidLabel = "muster.dev/notebook-uid";        // on children of a Notebook
inline constexpr const char* kStopAnnotation = "muster.dev/stop";                  // on jobs: "true" ends them
inline constexpr const char* kRestartAnnotation = "muster.dev/restart";            // on jobs: gang or replica
inline constexpr const char* kFailFastAnnotation = "muster.dev/fail-fast";         // on jobs: "false" spares the peers
inline constexpr const char* kStalledCondition = "muster.dev/Stalled";             // of pods: true while idle
inline constexpr const char* kLastVisitAnnotation = "muster.dev/last-visit";  // on what has a page: when it was used
inline constexpr const char* kPathAnnotation = "muster.dev/path";             // on PVCs: the folder behind it

}  // namespace muster::api
