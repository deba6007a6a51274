// Descriptors of the kinds that only the engine itself writes: CustomResourceDefinition and metrics.
#include "api/kubernetes/apiextensions_v1.h"

#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

TypeDesc describe(Of<DefinitionNames>) {
  return object<DefinitionNames>(
      "CustomResourceDefinitionNames", "How the kind is called.",
      field<&DefinitionNames::plural>("plural", "Name in paths."),
      field<&DefinitionNames::singular>("singular", "Name of one."),
      field<&DefinitionNames::kind>("kind", "Name in manifests."),
      field<&DefinitionNames::list_kind>("listKind", "Name of a list of them."),
      field<&DefinitionNames::short_names>("shortNames", "Names to type."),
      field<&DefinitionNames::categories>("categories", "Groups of kinds it is listed with, such as all."));
}

TypeDesc describe(Of<DefinitionVersion>) {
  return object<DefinitionVersion>("CustomResourceDefinitionVersion", "One version of the kind.",
                                   field<&DefinitionVersion::name>("name", "Name of the version.").required(),
                                   field<&DefinitionVersion::served>("served", "Whether it is served."),
                                   field<&DefinitionVersion::storage>("storage", "Whether objects are stored in it."))
      .open<&DefinitionVersion::rest>({"additionalPrinterColumns", "deprecated", "deprecationWarning", "schema",
                                       "selectableFields", "subresources"});
}

TypeDesc describe(Of<CustomResourceDefinitionSpec>) {
  return object<CustomResourceDefinitionSpec>(
             "CustomResourceDefinitionSpec", "What a kind is.",
             field<&CustomResourceDefinitionSpec::group>("group", "Group of the kind."),
             field<&CustomResourceDefinitionSpec::names>("names", "How the kind is called."),
             field<&CustomResourceDefinitionSpec::scope>("scope", "Whether its objects are in namespaces."),
             field<&CustomResourceDefinitionSpec::versions>("versions", "Versions of the kind."))
      .open<&CustomResourceDefinitionSpec::rest>({"conversion", "preserveUnknownFields"});
}

TypeDesc describe(Of<CustomResourceDefinitionStatus>) {
  return object<CustomResourceDefinitionStatus>(
      "CustomResourceDefinitionStatus", "Whether a kind is served.",
      field<&CustomResourceDefinitionStatus::conditions>("conditions", "Whether it is served under its names, and why.")
          .list_map_key("type"),
      field<&CustomResourceDefinitionStatus::accepted_names>("acceptedNames", "Names under which it is served."),
      field<&CustomResourceDefinitionStatus::stored_versions>("storedVersions",
                                                              "Versions in which objects were ever stored."));
}

TypeDesc describe(Of<CustomResourceDefinition>) {
  return root<CustomResourceDefinition>(
      "apiextensions.k8s.io/v1", "CustomResourceDefinition",
      "A kind that is not Kubernetes' own. The engine has its own kinds and accepts no others.",
      field<&CustomResourceDefinition::metadata>("metadata", "Name, labels and history."),
      field<&CustomResourceDefinition::spec>("spec", "What the kind is."),
      field<&CustomResourceDefinition::status>("status", "Whether the kind is served."));
}

TypeDesc describe(Of<NodeMetrics>) {
  return root<NodeMetrics>("metrics.k8s.io/v1beta1", "NodeMetrics", "What a node uses.",
                           field<&NodeMetrics::metadata>("metadata", "Name of the node."),
                           field<&NodeMetrics::timestamp>("timestamp", "When it was measured."),
                           field<&NodeMetrics::window>("window", "Over how long it was measured."),
                           field<&NodeMetrics::usage>("usage", "Processor and memory that are used."));
}

TypeDesc describe(Of<ContainerMetrics>) {
  return object<ContainerMetrics>("ContainerMetrics", "What a container uses.",
                                  field<&ContainerMetrics::name>("name", "Name of the container."),
                                  field<&ContainerMetrics::usage>("usage", "Processor and memory that are used."));
}

TypeDesc describe(Of<PodMetrics>) {
  return root<PodMetrics>("metrics.k8s.io/v1beta1", "PodMetrics", "What a pod uses.",
                          field<&PodMetrics::metadata>("metadata", "Name and namespace of the pod."),
                          field<&PodMetrics::timestamp>("timestamp", "When it was measured."),
                          field<&PodMetrics::window>("window", "Over how long it was measured."),
                          field<&PodMetrics::containers>("containers", "What each container uses."));
}

}  // namespace muster::reflect
