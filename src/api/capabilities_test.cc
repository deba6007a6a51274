#include "api/capabilities.h"

#include <gtest/gtest.h>

namespace muster::api {
namespace {

std::uint64_t bits(const std::string& capabilities) {
  return capabilities_of(*json::parse(R"({"capabilities":)" + capabilities + "}"));
}

TEST(Capabilities, WithoutAWishAPodHasAllThatItCanHave) {
  EXPECT_EQ(capabilities_of(*json::parse("{}")), 0x4fbU);
}

TEST(Capabilities, WhatIsDroppedIsGoneUnlessItIsAdded) {
  EXPECT_EQ(bits(R"({"drop":["ALL"]})"), 0U);
  EXPECT_EQ(bits(R"({"drop":["KILL"]})"), 0x4fbU & ~0x20U);
  EXPECT_EQ(bits(R"({"drop":["ALL"],"add":["NET_BIND_SERVICE"]})"), 0x400U);
}

TEST(Capabilities, MemoryIsLockedOnlyByThoseThatAskForIt) {
  EXPECT_EQ(bits(R"({"add":["IPC_LOCK"]})"), 0x44fbU);
  EXPECT_EQ(bits(R"({"drop":["ALL"],"add":["CAP_IPC_LOCK"]})"), kIpcLockBit);
}

TEST(Capabilities, WhatAPodCannotHaveIsUnknown) {
  EXPECT_EQ(capability_bit("CAP_CHOWN"), 1U);
  EXPECT_EQ(capability_bit("SYS_ADMIN"), std::nullopt);
  EXPECT_EQ(capability_bit("ALL"), std::nullopt);
}

}  // namespace
}  // namespace muster::api
