// The messages that clients send in protobuf, with the number, name and type of each field. No message contains itself,
// so the tables bound the depth of what is decoded.
#pragma once

#include "apiserver/protobuf/message.h"

namespace muster::apiserver::protobuf {

extern const Message kDeleteOptions;
extern const Message kObjectMeta;
extern const Message kNamespace;
extern const Message kConfigMap;
extern const Message kSecret;
extern const Message kCondition;
extern const Message kService;
extern const Message kObjectReference;
extern const Message kLocalObjectReference;
extern const Message kServiceAccount;
extern const Message kResourceQuota;
extern const Message kEvent;
extern const Message kNode;
extern const Message kLabelSelectorRequirement;
extern const Message kLabelSelector;
extern const Message kPersistentVolumeClaim;
extern const Message kNodeSelectorTerm;
extern const Message kNodeSelector;
extern const Message kPersistentVolume;
extern const Message kBinding;
extern const Message kObjectFieldSelector;
extern const Message kResourceFieldSelector;
extern const Message kVolumeSource;
extern const Message kPod;
extern const Message kPodTemplateSpec;
extern const Message kDeployment;
extern const Message kLease;
extern const Message kPriorityClass;
extern const Message kFieldSelectorRequirement;
extern const Message kSelfSubjectAccessReview;
extern const Message kSelfSubjectRulesReview;
extern const Message kSelfSubjectReview;

/// The message of a kind; null when its bodies are not accepted in protobuf.
const Message* find_message(std::string_view api_version, std::string_view kind);

}  // namespace muster::apiserver::protobuf
