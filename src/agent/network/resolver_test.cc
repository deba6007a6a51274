#include "agent/network/resolver.h"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

TEST(Resolver, IsLocalIfEveryServerIsOnLoopback) {
  EXPECT_TRUE(is_resolver_local("# stub\nnameserver 127.0.0.53\noptions edns0\n"));
  EXPECT_TRUE(is_resolver_local("nameserver ::1\n  nameserver\t127.0.0.1\n"));
  EXPECT_FALSE(is_resolver_local("nameserver 127.0.0.53\nnameserver 10.0.0.1\n"));
  EXPECT_FALSE(is_resolver_local("search example.com\n"));
  EXPECT_FALSE(is_resolver_local(""));
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
