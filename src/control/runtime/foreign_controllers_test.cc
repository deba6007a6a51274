#include "control/runtime/foreign_controllers.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "testing/fake_transport.h"
#include "testing/sim_loop.h"

namespace muster::control {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kTorch = "pytorchjobs.kubeflow.org";
constexpr const char* kMpi = "mpijobs.kubeflow.org";

std::string list_of(const std::string& item) {
  return R"({"kind":"List","items":[)" + item + "]}";
}

std::string lease(const std::string& renewed, const std::string& holder = "me") {
  return fmt::format(R"({{"metadata":{{"namespace":"kubeflow","name":"l"}},"spec":{{"holderIdentity":"{}",)"
                     R"("leaseDurationSeconds":15,"renewTime":"{}"}}}})",
                     holder, renewed);
}

std::string deployment(int available) {
  return fmt::format(R"({{"metadata":{{"namespace":"kubeflow","name":"d"}},"status":{{"availableReplicas":{}}}}})",
                     available);
}

class ForeignControllersTest : public ::testing::Test {
 protected:
  void start(const std::set<std::string>& kinds, const std::vector<std::string>& namespaces = {}) {
    others_.emplace(loop_, client_, kinds, namespaces, [this](const std::string& kind) { changed_.push_back(kind); });
    others_->start([this] { ++first_; });
    loop_.settle();
  }
  /// Answers the requests of one look: for each operator its Leases, then its Deployments.
  void answer(const std::vector<std::string>& lists) {
    for (const std::string& list : lists) {
      const std::size_t i = answered_++;
      ASSERT_LT(i, transport_.count());
      list == "forbidden" ? transport_.reply(i, 403, R"({"kind":"Status","reason":"Forbidden"})")
                          : transport_.reply(i, list == "away" ? 503 : 200, list_of(list));
    }
    loop_.settle();
  }
  void pass(int seconds) { loop_.advance(std::chrono::seconds(seconds)); }

  testing::SimLoop loop_;
  client::FakeTransport transport_{loop_};
  client::ApiClient client_{transport_, ""};
  std::vector<std::string> changed_;
  int first_ = 0;
  std::size_t answered_ = 0;
  std::optional<ForeignControllers> others_;
};

TEST_F(ForeignControllersTest, IsReadyAfterItsFirstLook) {
  start({kTorch});
  EXPECT_EQ(
      transport_.request(0).target,
      "/apis/coordination.k8s.io/v1/leases?fieldSelector=metadata.name%3D1ca428e5.training-operator.kubeflow.org");
  EXPECT_EQ(transport_.request(1).target,
            "/apis/apps/v1/deployments?labelSelector=control-plane%3Dkubeflow-training-operator");
  EXPECT_EQ(first_, 0);
  answer({"", ""});
  EXPECT_EQ(first_, 1);
  EXPECT_EQ(others_->operator_of(kTorch), "");
  EXPECT_THAT(changed_, IsEmpty());
}

TEST_F(ForeignControllersTest, AsksNothingAboutKindsThatNobodyElseHas) {
  start({"crons.apps.kubedl.io"});
  EXPECT_EQ(first_, 1);
  EXPECT_EQ(transport_.count(), 0);
}

TEST_F(ForeignControllersTest, ALeaseHoldsForTwiceItsDuration) {
  start({kTorch});
  answer({lease("2026-01-01T00:00:00.000000Z"), ""});
  EXPECT_EQ(others_->operator_of(kTorch), "training-operator (Lease kubeflow/l)");
  EXPECT_THAT(changed_, ElementsAre(kTorch));
  pass(29);
  EXPECT_EQ(transport_.count(), 2);
  pass(1);
  answer({lease("2026-01-01T00:00:00.000000Z"), ""});
  EXPECT_EQ(others_->operator_of(kTorch), "");
  EXPECT_THAT(changed_, ElementsAre(kTorch, kTorch));
}

TEST_F(ForeignControllersTest, ALeaseThatWasReleasedCountsForNothing) {
  start({kTorch});
  answer({lease("2026-01-01T00:00:00Z", ""), deployment(0)});
  EXPECT_EQ(others_->operator_of(kTorch), "");
}

TEST_F(ForeignControllersTest, ADeploymentWithAnAvailableReplicaRuns) {
  start({kTorch, kMpi});
  answer({"", "", "", deployment(1)});
  EXPECT_EQ(others_->operator_of(kTorch), "");
  EXPECT_EQ(others_->operator_of(kMpi), "mpi-operator (Deployment kubeflow/d)");
  EXPECT_THAT(changed_, ElementsAre(kMpi));
}

TEST_F(ForeignControllersTest, WhatMayNotBeReadIsUnknown) {
  start({kTorch});
  answer({"forbidden", "forbidden"});
  EXPECT_EQ(first_, 1);
  EXPECT_EQ(others_->operator_of(kTorch), "");
}

TEST_F(ForeignControllersTest, TheLastAnswerHoldsWhileTheServerIsAway) {
  start({kTorch});
  answer({"", deployment(1)});
  pass(30);
  answer({"away", "away"});
  EXPECT_EQ(others_->operator_of(kTorch), "training-operator (Deployment kubeflow/d)");
  EXPECT_THAT(changed_, ElementsAre(kTorch));
}

TEST_F(ForeignControllersTest, LooksOnlyIntoTheGivenNamespaces) {
  start({kTorch}, {"a", "b"});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_THAT(transport_.request(i).target, ::testing::HasSubstr(i < 2 ? "/namespaces/a/" : "/namespaces/b/"));
  }
  answer({"forbidden", "", "", deployment(1)});
  EXPECT_EQ(first_, 1);
  EXPECT_EQ(others_->operator_of(kTorch), "training-operator (Deployment kubeflow/d)");
}

}  // namespace
}  // namespace muster::control
