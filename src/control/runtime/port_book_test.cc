#include "control/runtime/port_book.h"

#include <gtest/gtest.h>

#include <set>

namespace muster::control {
namespace {

class PortBookTest : public ::testing::Test {
 protected:
  PortBook book(std::uint64_t first_slot) {
    return {[this](const std::string& uid) { return live_.contains(uid); },
            [this](int port) { return !taken_by_others_.contains(port); }, first_slot};
  }

  std::set<std::string> live_;
  std::set<int> taken_by_others_;
  PortBook book_ = book(0);
};

TEST_F(PortBookTest, OffersTheNextFreeRangeAndRemembersIt) {
  live_ = {"a", "b", "c"};
  book_.note("a", 20000);
  EXPECT_EQ(book_.offer("b"), 20010);
  EXPECT_EQ(book_.offer("b"), 20010);
  EXPECT_EQ(book_.offer("c"), 20020);
}

TEST_F(PortBookTest, ReusesTheRangeOfAJobThatIsOver) {
  live_ = {"a", "b"};
  EXPECT_EQ(book_.offer("a"), 20000);
  live_.erase("a");
  EXPECT_EQ(book_.offer("b"), 20000);
}

TEST_F(PortBookTest, PassesOverPortsThatOtherProgramsHold) {
  live_ = {"a"};
  taken_by_others_ = {20000, 20010};
  EXPECT_EQ(book_.offer("a"), 20020);
}

TEST_F(PortBookTest, BeginsWhereItIsToldAndGoesRound) {
  live_ = {"a", "b"};
  PortBook late = book(999);
  EXPECT_EQ(late.offer("a"), 29990);
  EXPECT_EQ(late.offer("b"), 20000);
}

TEST_F(PortBookTest, OffersNothingWhenAllAreTaken) {
  for (int i = 0; i < 1000; ++i) {
    const std::string uid = std::to_string(i);
    live_.insert(uid);
    ASSERT_TRUE(book_.offer(uid));
  }
  EXPECT_EQ(book_.offer("one more"), std::nullopt);
  live_.erase("7");
  EXPECT_EQ(book_.offer("one more"), 20070);
}

TEST_F(PortBookTest, OffersAsManyInARowAsAreNeededAndLooksAtEachOfThem) {
  live_ = {"a", "b", "c"};
  taken_by_others_ = {20024};
  EXPECT_EQ(book_.offer("a", 25), 20030);
  EXPECT_EQ(book_.offer("b", 20), 20000);
  EXPECT_EQ(book_.offer("c"), 20020);
}

TEST_F(PortBookTest, KeepsTheWholeRangeOfAJobItWasToldAbout) {
  live_ = {"a", "b"};
  book_.note("a", 20000, 31);
  EXPECT_EQ(book_.offer("b"), 20040);
}

TEST_F(PortBookTest, IgnoresPortsThatCannotBeAJobs) {
  live_ = {"a", "b", "c", "d"};
  book_.note("a", 80);
  book_.note("b", -1, -1);
  book_.note("c", 20010, 2147483647);
  EXPECT_EQ(book_.offer("d"), 20000);
  EXPECT_EQ(book_.offer("e"), std::nullopt);
}

TEST_F(PortBookTest, GivesAJobThatHasGrownAnotherRange) {
  live_ = {"a", "b"};
  EXPECT_EQ(book_.offer("a", 5), 20000);
  EXPECT_EQ(book_.offer("b"), 20010);
  EXPECT_EQ(book_.offer("a", 15), 20020);
}

TEST_F(PortBookTest, OffersNothingToAJobThatNeedsMoreThanThereAre) {
  live_ = {"a"};
  EXPECT_EQ(book_.offer("a", 10000), 20000);
  EXPECT_EQ(book_.offer("a", 10001), std::nullopt);
}

}  // namespace
}  // namespace muster::control
