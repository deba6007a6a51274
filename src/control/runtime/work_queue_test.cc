#include "control/runtime/work_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/sim_loop.h"

namespace muster::control {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WorkQueueTest : public ::testing::Test {
 protected:
  static ObjectKey key(const std::string& name) { return {"v1", "Job", "default", name}; }

  muster::testing::SimLoop loop_;
  std::vector<std::string> runs_;
  WorkQueue queue_{loop_, [this](const ObjectKey& k) { runs_.push_back(k.name); }};
};

TEST_F(WorkQueueTest, DoesNothingBeforeItIsOpen) {
  queue_.add(key("a"));
  loop_.settle();
  EXPECT_THAT(runs_, IsEmpty());
  queue_.open();
  loop_.settle();
  EXPECT_THAT(runs_, ElementsAre("a"));
}

TEST_F(WorkQueueTest, QueuesAKeyOnce) {
  queue_.open();
  queue_.add(key("a"));
  queue_.add(key("b"));
  queue_.add(key("a"));
  loop_.settle();
  EXPECT_THAT(runs_, ElementsAre("a", "b"));
}

TEST_F(WorkQueueTest, RunsAKeyAgainThatWasAddedDuringItsRun) {
  queue_.open();
  queue_.add(key("a"));
  loop_.settle();
  queue_.add(key("a"));
  queue_.add(key("a"));
  loop_.settle();
  EXPECT_THAT(runs_, ElementsAre("a")) << "one run at a time";
  queue_.done(key("a"));
  loop_.settle();
  EXPECT_THAT(runs_, ElementsAre("a", "a"));
  queue_.done(key("a"));
  loop_.settle();
  EXPECT_THAT(runs_, ElementsAre("a", "a"));
}

TEST_F(WorkQueueTest, KeepsOneTimerPerKey) {
  queue_.open();
  queue_.add_after(key("a"), std::chrono::seconds(10));
  queue_.add_after(key("a"), std::chrono::seconds(20));
  loop_.advance(std::chrono::seconds(15));
  EXPECT_THAT(runs_, IsEmpty());
  loop_.advance(std::chrono::seconds(5));
  EXPECT_THAT(runs_, ElementsAre("a"));
  queue_.add_after(key("b"), std::chrono::seconds(1));
  queue_.forget(key("b"));
  loop_.advance(std::chrono::seconds(2));
  EXPECT_THAT(runs_, ElementsAre("a"));
}

TEST_F(WorkQueueTest, BoundsTheRunsUnderWay) {
  queue_.open();
  for (int i = 0; i < 40; ++i) queue_.add(key(std::to_string(i)));
  loop_.settle();
  EXPECT_EQ(runs_.size(), 32u);
  queue_.done(key("0"));
  loop_.settle();
  EXPECT_EQ(runs_.size(), 33u);
}

}  // namespace
}  // namespace muster::control
