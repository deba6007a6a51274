#include "apiserver/protobuf/tables.h"

#include <map>
#include <utility>

namespace muster::apiserver::protobuf {

const Message* find_message(std::string_view api_version, std::string_view kind) {
  // Clients send DeleteOptions in the version of the group they talk to.
  if (kind == "DeleteOptions") return &kDeleteOptions;
  static const std::map<std::pair<std::string_view, std::string_view>, const Message*> messages = {
      {{"v1", "Binding"}, &kBinding},
      {{"v1", "ConfigMap"}, &kConfigMap},
      {{"v1", "Event"}, &kEvent},
      {{"v1", "Namespace"}, &kNamespace},
      {{"v1", "Node"}, &kNode},
      {{"v1", "PersistentVolume"}, &kPersistentVolume},
      {{"v1", "PersistentVolumeClaim"}, &kPersistentVolumeClaim},
      {{"v1", "Pod"}, &kPod},
      {{"v1", "ResourceQuota"}, &kResourceQuota},
      {{"v1", "Secret"}, &kSecret},
      {{"v1", "Service"}, &kService},
      {{"v1", "ServiceAccount"}, &kServiceAccount},
      {{"apps/v1", "Deployment"}, &kDeployment},
      {{"coordination.k8s.io/v1", "Lease"}, &kLease},
      {{"scheduling.k8s.io/v1", "PriorityClass"}, &kPriorityClass},
      {{"authentication.k8s.io/v1", "SelfSubjectReview"}, &kSelfSubjectReview},
      {{"authorization.k8s.io/v1", "SelfSubjectAccessReview"}, &kSelfSubjectAccessReview},
      {{"authorization.k8s.io/v1", "SelfSubjectRulesReview"}, &kSelfSubjectRulesReview},
  };
  const auto found = messages.find({api_version, kind});
  return found == messages.end() ? nullptr : found->second;
}

}  // namespace muster::apiserver::protobuf
