#include "client/backoff.h"

#include <gtest/gtest.h>

#include "testing/seeded_rng.h"

namespace muster::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Backoff, DoublesUpToTheLongestAndIsSpread) {
  testing::SeededRng rng;
  const Backoff backoff;
  std::int64_t middle = 100;
  for (int failures = 1; failures < 1000; ++failures) {
    const Duration wait = backoff.wait(failures, std::nullopt, rng);
    EXPECT_GE(wait, milliseconds(middle * 3 / 4));
    EXPECT_LE(wait, milliseconds(middle * 5 / 4));
    middle = std::min<std::int64_t>(middle * 2, 10'000);
  }
  EXPECT_NE(backoff.wait(9, std::nullopt, rng), backoff.wait(9, std::nullopt, rng));
}

TEST(Backoff, NeverComesBeforeTheServerAsks) {
  testing::SeededRng rng;
  for (int i = 0; i < 1000; ++i) {
    const Duration wait = Backoff().wait(1, seconds(4), rng);
    EXPECT_GE(wait, seconds(4));
    EXPECT_LT(wait, seconds(5));
  }
  EXPECT_GE(Backoff().wait(8, seconds(1), rng), milliseconds(7500)) << "own wait is longer";
  EXPECT_GE(Backoff().wait(1, Duration::zero(), rng), milliseconds(75));
}

}  // namespace
}  // namespace muster::client
