#include "agent/metrics/memory_limits.h"

#include <gmock/gmock.h>

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kMebi = 1 << 20;

MeasuredPod pod(std::map<std::string, std::int64_t> limits) {
  MeasuredPod made{.uid = "u", .ns = "default", .name = "p", .init = 1, .containers = {{"a", 11}, {"b", 12}}};
  made.memory_limits = std::move(limits);
  return made;
}
HeldMemory anonymous(std::int64_t bytes) {
  return {.anonymous = bytes};
}

TEST(MemoryLimits, TheContainerThatIsOverItsLimitHasToEndAndNoOther) {
  const auto found = over_memory(pod({{"a", 100 * kMebi}, {"b", 100 * kMebi}}),
                                 {.containers = {{"a", anonymous(100 * kMebi + 1)}, {"b", anonymous(100 * kMebi)}},
                                  .all = anonymous(200 * kMebi + 1)});
  ASSERT_THAT(found, ElementsAre(::testing::Field(&OverMemory::container, "a")));
  EXPECT_EQ(found[0].pid, 11);
  EXPECT_THAT(found[0].message, HasSubstr("it used 101Mi of 100Mi"));
}

TEST(MemoryLimits, AFileInMemoryThatIsMappedCountsOnce) {
  const HeldMemory held{.anonymous = 10 * kMebi, .shared = 60 * kMebi, .folders = 80 * kMebi};
  EXPECT_EQ(held.bytes(), 90 * kMebi);
}

TEST(MemoryLimits, AContainerWithoutALimitMayUseAnything) {
  const MemoryOfPod memory{.containers = {{"a", anonymous(1)}, {"b", anonymous(1000 * kMebi)}},
                           .all = anonymous(1001 * kMebi)};
  EXPECT_THAT(over_memory(pod({{"a", 100 * kMebi}}), memory), IsEmpty());
  EXPECT_THAT(over_memory(pod({}), memory), IsEmpty());
}

TEST(MemoryLimits, WhatNoContainerHasAloneCountsForThePod) {
  const MemoryOfPod memory{.containers = {{"a", anonymous(10 * kMebi)}, {"b", anonymous(90 * kMebi)}},
                           .all = {.anonymous = 100 * kMebi, .shared = 0, .folders = 101 * kMebi}};
  const auto found = over_memory(pod({{"a", 100 * kMebi}, {"b", 100 * kMebi}}), memory);
  ASSERT_THAT(found, ElementsAre(::testing::Field(&OverMemory::container, "b"))) << "it is nearest to its own limit";
  EXPECT_THAT(found[0].message, HasSubstr("they used 201Mi of 200Mi"));
}

TEST(MemoryLimits, AContainerThatDoesNotRunIsNotEnded) {
  MeasuredPod with_one = pod({{"a", kMebi}, {"gone", kMebi}});
  const auto found =
      over_memory(with_one, {.containers = {{"gone", anonymous(2 * kMebi)}}, .all = anonymous(2 * kMebi)});
  EXPECT_THAT(found, IsEmpty());
}

}  // namespace
}  // namespace muster::agent
