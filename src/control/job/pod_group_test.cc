#include "control/job/pod_group.h"

#include <gtest/gtest.h>

#include "control/plan.h"

namespace muster::control {
namespace {

jobs::Job mnist() {
  jobs::Job job;
  job.api_version = "kubeflow.org/v1";
  job.kind = "MPIJob";
  job.name = "mnist";
  job.uid = "u-1";
  return job;
}

api::PodGroup group_of(const std::string& api_version, const std::string& kind) {
  api::PodGroup group;
  group.metadata.name = "mnist";
  if (kind.empty()) return group;
  group.metadata.owner_references.push_back({.api_version = api_version,
                                             .kind = kind,
                                             .name = "mnist",
                                             .uid = "u-2",
                                             .controller = true,
                                             .block_owner_deletion = true});
  return group;
}

TEST(GroupName, IsTheJobsUnlessAnotherKindHasIt) {
  EXPECT_EQ(group_name_for(mnist(), nullptr, nullptr), "mnist");
  const api::PodGroup other_kind = group_of("kubeflow.org/v1", "PyTorchJob");
  EXPECT_EQ(group_name_for(mnist(), nullptr, &other_kind), "mnist-a24a7");
  const api::PodGroup other_api = group_of("batch.tensorstack.dev/v1beta1", "MPIJob");
  EXPECT_EQ(group_name_for(mnist(), nullptr, &other_api), "mnist-a24a7");
  const api::PodGroup of_a_user = group_of("", "");
  EXPECT_EQ(group_name_for(mnist(), nullptr, &of_a_user), "mnist-a24a7");
}

TEST(GroupName, OfADeletedJobOfTheSameKindIsWaitedFor) {
  const api::PodGroup predecessors = group_of("kubeflow.org/v1", "MPIJob");
  EXPECT_EQ(group_name_for(mnist(), nullptr, &predecessors), "mnist");
}

TEST(GroupName, StaysAsItIs) {
  api::PodGroup own = group_of("kubeflow.org/v1", "MPIJob");
  own.metadata.name = "mnist-a24a7";
  EXPECT_EQ(group_name_for(mnist(), &own, nullptr), "mnist-a24a7") << "although the other name is free again";
}

}  // namespace
}  // namespace muster::control
