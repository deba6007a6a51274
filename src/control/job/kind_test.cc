#include "control/job/kind.h"

#include <gmock/gmock.h>

#include "api/resource.h"

namespace muster::control {
namespace {

TEST(JobKinds, AreThoseThatTheApiCallsActedOn) {
  for (const api::Resource& resource : api::resources()) {
    if (resource.group != "batch.tensorstack.dev" && resource.group != "kubeflow.org") continue;
    EXPECT_EQ(resource.is_acted_on(), find_job_kind(resource.api_version(), resource.kind) != nullptr)
        << resource.qualified_name() << ": kStoredOnly in api/resource.cc and job_kinds() disagree";
  }
}

}  // namespace
}  // namespace muster::control
