#include "agent/network/networks.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <optional>

#include "agent/document_for_tests.h"
#include "base/files.h"
#include "linux/remove_tree.h"
#include "testing/sim_loop.h"

namespace muster::agent {
namespace {

json::Document pod_of(const std::string& owner, const std::string& ns = "ml") {
  return doc(R"({"metadata":{"name":"p","namespace":")" + ns + R"(","uid":"pod-uid","ownerReferences":[)" + owner +
             R"(]},"spec":{}})");
}

TEST(NetworkKey, IsSharedByThePodsOfAnOwner) {
  EXPECT_EQ(network_key(pod_of(R"({"kind":"PyTorchJob","uid":"job-uid","controller":true})")), "ml.job-uid");
}

TEST(NetworkKey, IsThePodsOwnWithoutAController) {
  EXPECT_EQ(network_key(pod_of("")), "ml.pod-uid");
  EXPECT_EQ(network_key(pod_of(R"({"kind":"ConfigMap","uid":"other"})")), "ml.pod-uid");
}

TEST(NetworkKey, DiffersBetweenNamespacesWhateverOwnerAPodNames) {
  const std::string owner = R"({"kind":"PyTorchJob","uid":"job-uid","controller":true})";
  EXPECT_NE(network_key(pod_of(owner, "mine")), network_key(pod_of(owner, "theirs")));
}

TEST(NetworkKey, DiffersForPodsInTheHostsNetwork) {
  const auto pod = pod_of(R"({"kind":"PyTorchJob","uid":"job-uid","controller":true})");
  EXPECT_EQ(host_network_key(pod), "ml.job-uid.host");
}

TEST(NetworkKey, NeverLeadsOutOfItsFolder) {
  EXPECT_EQ(network_key(pod_of(R"({"kind":"X","uid":"../../etc","controller":true})")), "ml.pod-uid");
}

TEST(HasOwnNetwork, UnlessThePodOrTheConfigurationAsksForTheHosts) {
  const auto pod = pod_of("");
  EXPECT_TRUE(has_own_network({.own_networks = true}, pod));
  EXPECT_FALSE(has_own_network({}, pod));
  EXPECT_FALSE(has_own_network({.own_networks = true}, doc(R"({"spec":{"hostNetwork":true}})")));
}

/// Pods that still run after a restart of the engine.
class RecoveredNetworks : public ::testing::Test {
 protected:
  RecoveredNetworks() {
    char name[] = "/tmp/muster-networks-XXXXXX";
    folder_ = ::mkdtemp(name);
    paths_.emplace(folder_);
    trash_.emplace(paths_->trash());
    networks_.emplace(
        loop_, *paths_, *trash_, NetworkPolicy{.own_networks = true}, [](const json::Document&) { return 0; },
        [](const std::string&) {});
  }
  ~RecoveredNetworks() override {
    networks_.reset();
    trash_.reset();
    (void)linux_os::remove_tree(folder_).has_value();
  }
  void recover(const std::string& uid, const std::string& key) {
    ASSERT_TRUE(make_directories(paths_->pod(uid), 0700));
    if (!key.empty()) ASSERT_TRUE(write_file_atomically(paths_->pod_network(uid), key, 0600));
    networks_->recover(uid);
  }
  std::string failure_of_socket(const std::string& uid) {
    std::string message = "nothing";
    networks_->open_socket(uid, [&](const Result<Fd>& opened) { message = opened ? "" : opened.error().message; });
    loop_.settle();
    return message;
  }

  testing::SimLoop loop_;
  std::string folder_;
  std::optional<Paths> paths_;
  std::optional<Trash> trash_;
  std::optional<Networks> networks_;
};

TEST_F(RecoveredNetworks, APodWithoutOneIsInTheMachinesUntilItEnds) {
  recover("alone", "");
  recover("ranks", "ml.job.host");
  for (const char* uid : {"alone", "ranks"}) {
    EXPECT_TRUE(networks_->is_on_host(uid)) << uid;
    EXPECT_FALSE(networks_->holds(uid)) << uid;
    networks_->release(uid);
    EXPECT_FALSE(networks_->is_on_host(uid)) << uid;
    EXPECT_EQ(failure_of_socket(uid), "the pod has ended") << uid;
  }
}

TEST_F(RecoveredNetworks, APodWhoseNetworkHasLostItsOwnerIsNotInTheMachines) {
  recover("orphan", "ml.job");
  EXPECT_FALSE(networks_->is_on_host("orphan"));
  EXPECT_TRUE(networks_->holds("orphan"));
  EXPECT_EQ(failure_of_socket("orphan"), "the owner of the pod's network has ended");
  networks_->release("orphan");
  EXPECT_FALSE(networks_->is_on_host("orphan"));
  EXPECT_EQ(failure_of_socket("orphan"), "the pod has ended");
}

TEST_F(RecoveredNetworks, AnUnknownPodIsInNone) {
  EXPECT_FALSE(networks_->is_on_host("stranger"));
  EXPECT_FALSE(networks_->holds("stranger"));
  EXPECT_EQ(failure_of_socket("stranger"), "the pod has ended");
}

}  // namespace
}  // namespace muster::agent
