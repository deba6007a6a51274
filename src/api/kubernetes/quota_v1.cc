#include "api/kubernetes/quota_v1.h"

#include "api/kubernetes/kubernetes_fields.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

TypeDesc describe(Of<ResourceQuotaSpec>) {
  return object<ResourceQuotaSpec>(
             "ResourceQuotaSpec", "How much the namespace may hold.",
             field<&ResourceQuotaSpec::hard>("hard",
                                             "Most of each thing: pods, requests.cpu, count/RESOURCE.GROUP, …."),
             field<&ResourceQuotaSpec::scopes>("scopes", "Counts only pods that match all of these."))
      .open<&ResourceQuotaSpec::rest>(field_names(kubernetes::message_named("ResourceQuotaSpec")));
}

TypeDesc describe(Of<ResourceQuotaStatus>) {
  return object<ResourceQuotaStatus>(
      "ResourceQuotaStatus", "How much the namespace holds.",
      field<&ResourceQuotaStatus::hard>("hard", "Most of each thing, as it is enforced."),
      field<&ResourceQuotaStatus::used>("used", "How much of each thing there is."));
}

TypeDesc describe(Of<ResourceQuota>) {
  return root<ResourceQuota>("v1", "ResourceQuota", "Limits on what one namespace may hold.",
                             field<&ResourceQuota::metadata>("metadata", "Name, labels and history."),
                             field<&ResourceQuota::spec>("spec", "How much the namespace may hold."),
                             field<&ResourceQuota::status>("status", "How much the namespace holds."));
}

}  // namespace muster::reflect
