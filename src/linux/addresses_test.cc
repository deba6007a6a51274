#include "linux/addresses.h"

#include <gtest/gtest.h>

namespace muster::linux_os {
namespace {

TEST(Addresses, LoopbackIsTheMachinesOwn) {
  EXPECT_TRUE(is_own_address("127.0.0.1"));
  EXPECT_TRUE(is_own_address("127.0.0.53"));
}

TEST(Addresses, OthersAreNot) {
  for (const char* other : {"192.0.2.1", "2001:db8::1", "0.0.0.0", "::", "localhost", ""}) {
    EXPECT_FALSE(is_own_address(other)) << other;
  }
}

}  // namespace
}  // namespace muster::linux_os
