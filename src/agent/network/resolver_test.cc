#include "agent/network/resolver.h"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

bool needs_forwarder_at(std::string_view resolv_conf) {
  return needs_forwarder(resolv_conf, [](const std::string& address) {
    return address.starts_with("127.") || address == "::1" || address == "192.0.2.2";
  });
}

TEST(Resolver, NeedsForwarderIfPodsDoNotReachAServer) {
  for (const char* server : {"127.0.0.53", "::1", "192.0.2.2", "169.254.169.254", "fe80::1%eth0", "168.63.129.16"}) {
    EXPECT_TRUE(needs_forwarder_at(std::string("# stub\n  nameserver\t") + server + "\noptions edns0\n")) << server;
  }
  EXPECT_TRUE(needs_forwarder_at("nameserver 127.0.0.53\nnameserver 10.0.0.1\n")) << "a pod waits for the first one";
}

TEST(Resolver, NeedsNoForwarderIfPodsReachAllServers) {
  EXPECT_FALSE(needs_forwarder_at("nameserver 10.0.0.1\nnameserver 192.0.2.20\nnameserver 2001:db8::1\n"));
  EXPECT_FALSE(needs_forwarder_at("# nameserver 127.0.0.1\nsearch example.com\n"));
  EXPECT_FALSE(needs_forwarder_at(""));
}

TEST(Resolver, GetsOneServerAndKeepsTheRest) {
  EXPECT_EQ(
      resolver_text("# stub\nnameserver 127.0.0.53\nnameserver 127.0.0.54\noptions edns0\nsearch lan\n", "10.1.1.1"),
      "nameserver 10.1.1.1\n# stub\noptions edns0\nsearch lan\n");
}

TEST(Resolver, StaysAsItIsWithoutAnotherAddress) {
  EXPECT_EQ(resolver_text("nameserver 10.0.0.1\n", ""), "nameserver 10.0.0.1\n");
}

}  // namespace
}  // namespace muster::agent
