// Descriptors of apps/v1.
#include "api/kubernetes/apps_v1.h"

#include "api/kubernetes/kubernetes_fields.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

TypeDesc describe(Of<RollingUpdate>) {
  return object<RollingUpdate>(
      "RollingUpdateDeployment", "How fast pods are replaced.",
      field<&RollingUpdate::max_unavailable>("maxUnavailable", "How many pods may be missing meanwhile.")
          .int_or_string(),
      field<&RollingUpdate::max_surge>("maxSurge", "How many pods may be there beyond the wanted number.")
          .int_or_string());
}

TypeDesc describe(Of<DeploymentStrategy>) {
  return object<DeploymentStrategy>(
      "DeploymentStrategy", "How pods are replaced when the template changes.",
      field<&DeploymentStrategy::type>("type", "All at once, or a few at a time.")
          .one_of({"Recreate", "RollingUpdate"}),
      field<&DeploymentStrategy::rolling_update>("rollingUpdate", "How fast, a few at a time."));
}

TypeDesc describe(Of<DeploymentSpec>) {
  return object<DeploymentSpec>(
      "DeploymentSpec", "Which pods run, and how many.",
      field<&DeploymentSpec::replicas>("replicas", "How many pods are wanted.").default_value(1),
      field<&DeploymentSpec::selector>("selector", "Labels by which the pods are known; the template must have them."),
      field<&DeploymentSpec::template_>("template", "From which the pods are made.").required(),
      field<&DeploymentSpec::strategy>("strategy", "How pods are replaced when the template changes."),
      field<&DeploymentSpec::min_ready_seconds>("minReadySeconds",
                                                "Seconds a pod must be ready before it counts as available.")
          .min(0),
      field<&DeploymentSpec::revision_history_limit>("revisionHistoryLimit", "How many older templates are kept.")
          .min(0)
          .default_value(10),
      field<&DeploymentSpec::paused>("paused", "While true, changes of the template have no effect."),
      field<&DeploymentSpec::progress_deadline_seconds>("progressDeadlineSeconds",
                                                        "Seconds without progress after which it counts as failed.")
          .default_value(600));
}

TypeDesc describe(Of<DeploymentStatus>) {
  return object<DeploymentStatus>(
             "DeploymentStatus", "What is known about a deployment.",
             field<&DeploymentStatus::observed_generation>("observedGeneration",
                                                           "Generation of the deployment that this status is about."),
             field<&DeploymentStatus::replicas>("replicas", "Pods that there are."),
             field<&DeploymentStatus::updated_replicas>("updatedReplicas", "Pods made from the current template."),
             field<&DeploymentStatus::ready_replicas>("readyReplicas", "Pods that are ready."),
             field<&DeploymentStatus::available_replicas>("availableReplicas", "Pods that are ready for long enough."),
             field<&DeploymentStatus::unavailable_replicas>("unavailableReplicas", "Pods that are still missing."),
             field<&DeploymentStatus::conditions>("conditions", "Whether it is available and makes progress, and why.")
                 .list_map_key("type"))
      .partial(field_names(kubernetes::message_named("DeploymentStatus")));
}

TypeDesc describe(Of<Deployment>) {
  return root<Deployment>("apps/v1", "Deployment", "Pods that are always there in the wanted number.",
                          field<&Deployment::metadata>("metadata", "Name, labels, owners and history."),
                          field<&Deployment::spec>("spec", "Which pods run, and how many."),
                          field<&Deployment::status>("status", "Its status; written by the controller."));
}

}  // namespace muster::reflect
