#include "api/kubernetes/meta_v1.h"

#include "api/kubernetes/kubernetes_fields.h"
#include "reflect/describe.h"

namespace muster::reflect {

using api::Condition;
using api::LabelSelector;
using api::ObjectMeta;
using api::OwnerReference;

TypeDesc describe(Of<OwnerReference>) {
  return object<OwnerReference>(
      "OwnerReference", "Names the object that this one belongs to and goes away with.",
      field<&OwnerReference::api_version>("apiVersion", "Group and version of the owner.").required(),
      field<&OwnerReference::kind>("kind", "Kind of the owner.").required(),
      field<&OwnerReference::name>("name", "Name of the owner, in the same namespace or cluster-wide.").required(),
      field<&OwnerReference::uid>("uid", "Unique id of the owner, so that a namesake made later is not meant.")
          .required(),
      field<&OwnerReference::controller>("controller", "True for the one owner that manages this object."),
      field<&OwnerReference::block_owner_deletion>(
          "blockOwnerDeletion", "Whether a foreground deletion of the owner waits until this object is gone."));
}

TypeDesc describe(Of<ObjectMeta>) {
  return object<ObjectMeta>(
             "ObjectMeta", "What every object carries: its names, labels, owners and history.",
             field<&ObjectMeta::name>("name", "Name, unique among objects of the kind in the namespace."),
             field<&ObjectMeta::generate_name>(
                 "generateName", "Prefix from which the server makes a unique name when name is not set."),
             field<&ObjectMeta::ns>("namespace", "Namespace the object lives in."),
             field<&ObjectMeta::uid>("uid", "Unique id in time and space, set by the server."),
             field<&ObjectMeta::resource_version>("resourceVersion",
                                                  "Opaque revision of the last change, for watches and safe updates."),
             field<&ObjectMeta::generation>("generation", "Counts the changes of the wanted state."),
             field<&ObjectMeta::creation_timestamp>("creationTimestamp", "When the server accepted the object."),
             field<&ObjectMeta::deletion_timestamp>("deletionTimestamp",
                                                    "When the object is to be gone; set by a graceful deletion."),
             field<&ObjectMeta::deletion_grace_period_seconds>(
                 "deletionGracePeriodSeconds", "Seconds the object is given to end before it is removed."),
             field<&ObjectMeta::labels>("labels", "Short keys and values that selectors match."),
             field<&ObjectMeta::annotations>("annotations", "Free keys and values that tools keep with the object."),
             field<&ObjectMeta::owner_references>("ownerReferences",
                                                  "Objects this one depends on; when all are gone it is collected.")
                 .list_map_key("uid"),
             field<&ObjectMeta::finalizers>("finalizers",
                                            "Names of those who must agree before the object is removed."))
      .open<&ObjectMeta::rest>(field_names(api::kubernetes::message_named("ObjectMeta")));
}

TypeDesc describe(Of<Condition>) {
  return object<Condition>(
             "Condition", "One aspect of the state of an object, with when and why it last changed.",
             field<&Condition::type>("type", "The aspect this is about.").required(),
             field<&Condition::status>("status", "Whether it holds.").required().one_of({"True", "False", "Unknown"}),
             field<&Condition::reason>("reason", "One word for why it is so, for programs."),
             field<&Condition::message>("message", "A sentence for why it is so, for people."),
             field<&Condition::last_update_time>("lastUpdateTime",
                                                 "When the condition was last looked at and changed."),
             field<&Condition::last_transition_time>("lastTransitionTime", "When status last changed."))
      .partial({"lastProbeTime", "lastHeartbeatTime", "observedGeneration"});
}

TypeDesc describe(Of<LabelSelector>) {
  return object<LabelSelector>(
             "LabelSelector", "Selects objects by their labels; all parts must match.",
             field<&LabelSelector::match_labels>("matchLabels", "Labels that must have these values."))
      .open<&LabelSelector::rest>(field_names(api::kubernetes::message_named("LabelSelector")));
}

}  // namespace muster::reflect
