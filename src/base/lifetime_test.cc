#include "base/lifetime.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "base/unique_function.h"

namespace muster {
namespace {

TEST(Lifetime, AGuardedCallbackRunsWhileTheObjectLives) {
  const Lifetime lifetime;
  std::string got;
  UniqueFunction<void(std::unique_ptr<std::string>)> callback =
      lifetime.guard([&](std::unique_ptr<std::string> text) { got = *text; });
  callback(std::make_unique<std::string>("done"));
  EXPECT_EQ(got, "done");
}

TEST(Lifetime, AGuardedCallbackDoesNothingAfterTheEnd) {
  std::optional<Lifetime> lifetime(std::in_place);
  int runs = 0;
  Task task = lifetime->guard([&] { ++runs; });
  const Lifetime::Watch watch = lifetime->watch();
  EXPECT_FALSE(watch.over());
  lifetime.reset();
  task();
  EXPECT_EQ(runs, 0);
  EXPECT_TRUE(watch.over());
}

TEST(Lifetime, ACallbackMayEndIt) {
  std::optional<Lifetime> lifetime(std::in_place);
  int runs = 0;
  Task task = lifetime->guard([&] {
    ++runs;
    lifetime.reset();
  });
  task();
  task();
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace muster
