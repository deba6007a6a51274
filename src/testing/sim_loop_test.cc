#include "testing/sim_loop.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "base/time.h"

namespace muster::testing {
namespace {

using namespace std::chrono_literals;

class SimLoopTest : public ::testing::Test {
 protected:
  Task note(std::string word) {
    return [this, word = std::move(word)] { log_.push_back(word); };
  }

  SimLoop loop_;
  std::vector<std::string> log_;
};

TEST_F(SimLoopTest, RunsNothingBeforeSettle) {
  loop_.post(note("a"));
  loop_.after(0s, note("b"));
  EXPECT_TRUE(log_.empty());
  loop_.settle();
  EXPECT_EQ(log_, (std::vector<std::string>{"a", "b"}));
}

TEST_F(SimLoopTest, FiresTimersByDueTimeThenInTheOrderSet) {
  loop_.after(2s, note("late"));
  loop_.after(1s, note("first"));
  loop_.after(1s, note("second"));
  loop_.advance(1s);
  EXPECT_EQ(log_, (std::vector<std::string>{"first", "second"}));
  loop_.advance(1s);
  EXPECT_EQ(log_.back(), "late");
}

TEST_F(SimLoopTest, TasksSeeTheirOwnInstant) {
  std::vector<Duration> seen;
  const MonoTime start = loop_.mono();
  loop_.after(1s, [&] {
    seen.push_back(loop_.mono() - start);
    loop_.post([&] { loop_.after(2s, [&] { seen.push_back(loop_.mono() - start); }); });
  });
  loop_.advance(10s);
  EXPECT_EQ(seen, (std::vector<Duration>{1s, 3s}));
  EXPECT_EQ(loop_.mono() - start, 10s);
  EXPECT_EQ(format_rfc3339(loop_.now()), "2026-01-01T00:00:10Z");
}

TEST_F(SimLoopTest, PostedTasksRunBeforeTimersOfTheSameInstant) {
  loop_.after(1s, [this] {
    log_.push_back("timer");
    loop_.post(note("posted"));
  });
  loop_.after(1s, note("next timer"));
  loop_.advance(1s);
  EXPECT_EQ(log_, (std::vector<std::string>{"timer", "posted", "next timer"}));
}

TEST_F(SimLoopTest, CancelledTimersDoNotFire) {
  const Loop::Id id = loop_.after(1s, note("never"));
  EXPECT_NE(id, 0U);
  EXPECT_EQ(loop_.until_next_timer(), 1s);
  loop_.cancel(id);
  loop_.cancel(id);
  loop_.advance(2s);
  EXPECT_TRUE(log_.empty());
  EXPECT_EQ(loop_.timers(), 0U);
}

TEST_F(SimLoopTest, ATaskMayCancelATimerOfItsOwnInstant) {
  Loop::Id second = 0;
  loop_.after(1s, [&] { loop_.cancel(second); });
  second = loop_.after(1s, note("never"));
  loop_.advance(1s);
  EXPECT_TRUE(log_.empty());
}

TEST_F(SimLoopTest, DescriptorsAreRecordedAndNeverFire) {
  const Loop::Id id = loop_.on_readable(0, note("never"));
  loop_.advance(1h);
  EXPECT_TRUE(loop_.watches(0));
  loop_.cancel(id);
  EXPECT_FALSE(loop_.watches(0));
  EXPECT_TRUE(log_.empty());
}

TEST_F(SimLoopTest, ForgetsEverythingEvenWhatIsPostedMeanwhile) {
  struct PostsWhenDropped {
    ~PostsWhenDropped() { loop.post(task); }
    SimLoop& loop;
    std::function<void()> task;
  };
  loop_.post(
      [held = std::shared_ptr<PostsWhenDropped>(new PostsWhenDropped{loop_, [this] { log_.push_back("late"); }})] {});
  loop_.after(1s, note("timer"));
  loop_.forget();
  loop_.advance(1h);
  EXPECT_TRUE(log_.empty());
  EXPECT_EQ(loop_.timers(), 0u);
}

TEST_F(SimLoopTest, OtherThreadsMayPost) {
  std::jthread([this] { loop_.post(note("from afar")); }).join();
  loop_.settle();
  EXPECT_EQ(log_, (std::vector<std::string>{"from afar"}));
}

}  // namespace
}  // namespace muster::testing
