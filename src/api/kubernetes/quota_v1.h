// ResourceQuota of core/v1: how much one namespace may hold.
#pragma once

#include <string>
#include <vector>

#include "api/kubernetes/core_v1.h"
#include "api/kubernetes/meta_v1.h"
#include "reflect/type_desc.h"

namespace muster::api {

struct ResourceQuotaSpec {
  ResourceList hard;                // "pods", "requests.cpu", "count/pytorchjobs.kubeflow.org", …
  std::vector<std::string> scopes;  // only objects that match all of these are counted
  json::Document rest;              // scopeSelector
};
struct ResourceQuotaStatus {
  ResourceList hard;
  ResourceList used;
};
struct ResourceQuota {
  ObjectMeta metadata;
  ResourceQuotaSpec spec;
  ResourceQuotaStatus status;
};

}  // namespace muster::api

namespace muster::reflect {
TypeDesc describe(Of<api::ResourceQuotaSpec>);
TypeDesc describe(Of<api::ResourceQuotaStatus>);
TypeDesc describe(Of<api::ResourceQuota>);
}  // namespace muster::reflect
