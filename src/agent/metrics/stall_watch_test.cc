#include "agent/metrics/stall_watch.h"

#include <gmock/gmock.h>

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class StallWatchTest : public ::testing::Test {
 protected:
  /// Two seconds later the pod has used so much more processor time.
  void pass(Duration cpu) {
    reading_.cpu += cpu;
    now_ += 2s;
    watch_.take(reading_, now_);
  }
  void idle(Duration span) {
    for (Duration passed{}; passed < span; passed += 2s) pass(10ms);
  }

  std::vector<std::string> changed_;
  StallWatch watch_{10min, [this](const std::string& uid) { changed_.push_back(uid); }};
  PodReading reading_{.uid = "u"};
  MonoTime now_{};
};

TEST_F(StallWatchTest, AfterTenIdleMinutesAPodStalls) {
  pass(1s);
  pass(1s);
  EXPECT_EQ(watch_.stall_of("u"), "");
  idle(10min - 2s);
  EXPECT_EQ(watch_.stall_of("u"), "");
  idle(2s);
  EXPECT_EQ(watch_.stall_of("u"), "no output, CPU or GPU use for 10m");
  EXPECT_THAT(changed_, ElementsAre("u", "u"));
}

TEST_F(StallWatchTest, AnySignOfLifeEndsTheStall) {
  const std::vector<std::function<void()>> signs = {[this] { pass(500ms); },
                                                    [this] {
                                                      ++reading_.last_write;
                                                      pass(0ms);
                                                    },
                                                    [this] {
                                                      reading_.gpus = {{.uuid = "g", .utilisation = 1, .memory = 0}};
                                                      pass(0ms);
                                                      reading_.gpus.clear();
                                                    },
                                                    [this] { pass(-1s); }};
  for (const auto& sign : signs) {
    idle(10min + 2s);
    EXPECT_NE(watch_.stall_of("u"), "");
    sign();
    EXPECT_EQ(watch_.stall_of("u"), "");
  }
}

TEST_F(StallWatchTest, ItIsUnknownUntilThePodWasWatchedForLongEnough) {
  EXPECT_EQ(watch_.stall_of("u"), std::nullopt);
  idle(1min);
  EXPECT_EQ(watch_.stall_of("u"), std::nullopt);
  EXPECT_THAT(changed_, IsEmpty());
  idle(9min + 2s);
  EXPECT_NE(watch_.stall_of("u"), "");
  watch_.forget("u");
  EXPECT_EQ(watch_.stall_of("u"), std::nullopt);
}

TEST_F(StallWatchTest, WithoutATimeNothingEverStalls) {
  watch_ = StallWatch(0s, [this](const std::string& uid) { changed_.push_back(uid); });
  idle(24h);
  EXPECT_EQ(watch_.stall_of("u"), std::nullopt);
  EXPECT_THAT(changed_, IsEmpty());
}

}  // namespace
}  // namespace muster::agent
