#include "base/work_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/sim_loop.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WorkQueueTest : public ::testing::Test {
 protected:
  testing::SimLoop loop_;
  std::vector<std::string> runs_;
  WorkQueue<std::string> queue_{loop_, {.running = 32}, [this](const std::string& key) { runs_.push_back(key); }};
};

TEST_F(WorkQueueTest, DoesNothingBeforeItIsOpen) {
  queue_.add("a");
  loop_.settle();
  EXPECT_THAT(runs_, IsEmpty());
  queue_.open();
  loop_.settle();
  EXPECT_THAT(runs_, ElementsAre("a"));
}

TEST_F(WorkQueueTest, QueuesAKeyOnce) {
  queue_.open();
  queue_.add("a");
  queue_.add("b");
  queue_.add("a");
  loop_.settle();
  EXPECT_THAT(runs_, ElementsAre("a", "b"));
}

TEST_F(WorkQueueTest, RunsAKeyAgainThatWasAddedDuringItsRun) {
  queue_.open();
  queue_.add("a");
  loop_.settle();
  queue_.add("a");
  queue_.add("a");
  loop_.settle();
  EXPECT_THAT(runs_, ElementsAre("a")) << "one run at a time";
  queue_.done("a");
  loop_.settle();
  EXPECT_THAT(runs_, ElementsAre("a", "a"));
  queue_.done("a");
  loop_.settle();
  EXPECT_THAT(runs_, ElementsAre("a", "a"));
}

TEST_F(WorkQueueTest, KeepsOneTimerPerKey) {
  queue_.open();
  queue_.add_after("a", std::chrono::seconds(10));
  queue_.add_after("a", std::chrono::seconds(20));
  loop_.advance(std::chrono::seconds(15));
  EXPECT_THAT(runs_, IsEmpty());
  loop_.advance(std::chrono::seconds(5));
  EXPECT_THAT(runs_, ElementsAre("a"));
  queue_.add_after("b", std::chrono::seconds(1));
  queue_.forget("b");
  loop_.advance(std::chrono::seconds(2));
  EXPECT_THAT(runs_, ElementsAre("a"));
}

TEST_F(WorkQueueTest, BoundsTheRunsUnderWay) {
  queue_.open();
  for (int i = 0; i < 40; ++i) queue_.add(std::to_string(i));
  loop_.settle();
  EXPECT_EQ(runs_.size(), 32u);
  queue_.done("0");
  loop_.settle();
  EXPECT_EQ(runs_.size(), 33u);
}

TEST_F(WorkQueueTest, ARunThatEndsAtOnceLetsTheNextStartInTheSameTurn) {
  WorkQueue<std::string>* queue = nullptr;
  int turns = 0;
  WorkQueue<std::string> quick(loop_, {.running = 1, .per_turn = 2, .starts_idle = false}, [&](const std::string& key) {
    runs_.push_back(key);
    if (key == "a" && runs_.size() == 1) queue->add("a");
    queue->done(key);
  });
  queue = &quick;
  for (const char* key : {"a", "b", "c"}) quick.add(key);
  quick.open();
  loop_.post([&] { turns = static_cast<int>(runs_.size()); });
  loop_.settle();
  EXPECT_EQ(turns, 2) << "the rest waits until the loop is idle";
  EXPECT_EQ(runs_[2], "c") << "what was added again goes to the end";
  EXPECT_EQ(runs_[3], "a");
}

TEST_F(WorkQueueTest, NothingRunsAfterItsEnd) {
  {
    WorkQueue<std::string> gone(loop_, {}, [this](const std::string& key) { runs_.push_back(key); });
    gone.open();
    gone.add("a");
    gone.add_after("b", std::chrono::seconds(1));
  }
  loop_.advance(std::chrono::seconds(2));
  EXPECT_THAT(runs_, IsEmpty());
}

}  // namespace
}  // namespace muster
