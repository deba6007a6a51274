#include "agent/machine/machine.h"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

TEST(DescribeNetwork, SaysWhatPodsShareAndWhy) {
  EXPECT_EQ(describe_network({.missing = "pasta is not installed"}),
            "pods share the network of the machine, and reach its ports and each other's: pasta is not installed");
  EXPECT_EQ(describe_network({}), "pods share the network of the machine, as `network: host` says");
}

TEST(DescribeNetwork, SaysWhatNetworksOfJobsLack) {
  EXPECT_EQ(describe_network({.own_networks = true}),
            "each job has a network of its own; pasta connects it with the outside");
  EXPECT_EQ(describe_network({.own_networks = true, .missing = "pasta is not installed"}),
            "each job has a network of its own, without a way to the outside: pasta is not installed");
  EXPECT_EQ(
      describe_network({.own_networks = true, .takes_ports = "make a link of type veth: EOPNOTSUPP"}),
      "each job has a network of its own; pasta connects it with the outside; pods of other jobs cannot listen on "
      "the port of a Service: make a link of type veth: EOPNOTSUPP");
}

}  // namespace
}  // namespace muster::agent
