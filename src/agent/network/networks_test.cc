#include "agent/network/networks.h"

#include "agent/document_for_tests.h"

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

}  // namespace
}  // namespace muster::agent
