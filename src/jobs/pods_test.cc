#include "jobs/pods.h"

#include <gtest/gtest.h>

#include "json/document.h"

namespace muster::jobs {
namespace {

TEST(JobPods, AreNamedByRoleAndIndex) {
  const auto label = [](std::string_view metadata) {
    return replica_label(*json::parse(R"({"metadata":)" + std::string(metadata) + "}"), "mnist");
  };
  EXPECT_EQ(label(R"({"name":"mnist-0379c-worker-0","labels":{"replica-type":"worker","replica-index":"0"}})"),
            "worker-0");
  EXPECT_EQ(label(R"({"name":"mnist-master-0","labels":{"training.kubeflow.org/replica-type":"master",
      "training.kubeflow.org/replica-index":"0"}})"),
            "master-0");
  EXPECT_EQ(label(R"({"name":"mnist-worker-3"})"), "worker-3");
  EXPECT_EQ(label(R"({"name":"other"})"), "other");
}

TEST(JobPods, HaveAPlaceUnderTheLabelsOfEveryOperator) {
  const auto place = [](std::string_view labels) {
    return replica_place(*json::parse(R"({"metadata":{"labels":)" + std::string(labels) + "}}"));
  };
  EXPECT_EQ(place(R"({"replica-type":"PS","replica-index":"1"})"), (ReplicaPlace{"ps", 1}));
  EXPECT_EQ(place(R"({"training.kubeflow.org/replica-type":"worker","training.kubeflow.org/replica-index":"2"})"),
            (ReplicaPlace{"worker", 2}));
  EXPECT_EQ(place(R"({"mpi_role_type":"launcher"})"), (ReplicaPlace{"launcher", 0}));
  EXPECT_EQ(place("{}"), (ReplicaPlace{"", 0}));
}

}  // namespace
}  // namespace muster::jobs
