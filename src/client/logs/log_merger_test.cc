#include "client/logs/log_merger.h"

#include <gtest/gtest.h>

namespace muster::client {
namespace {

LogMerger make_merger(bool show_times = false) {
  return LogMerger({"[a] ", "[b] "}, show_times);
}

TEST(LogMerger, LinesComeInTheOrderOfTheirTimes) {
  LogMerger merger = make_merger();
  merger.feed(0, "01Z one\n03Z three\n");
  EXPECT_EQ(merger.take(), "") << "the other log may begin earlier";
  merger.feed(1, "02Z two\n");
  EXPECT_EQ(merger.take(), "[a] one\n[b] two\n");
  EXPECT_EQ(merger.waiting(0), 10u);
  merger.end(1);
  EXPECT_EQ(merger.take(), "[a] three\n");
  merger.feed(0, "04Z fo");
  EXPECT_EQ(merger.take(), "");
  merger.feed(0, "ur");
  merger.end(0);
  EXPECT_EQ(merger.take(), "[a] four\n");
}

TEST(LogMerger, LinesOfTheSameTimeStayInTheOrderOfTheirLogs) {
  LogMerger merger = make_merger();
  merger.feed(1, "01Z b1\n01Z b2\n");
  merger.feed(0, "01Z a1\n01Z a2\n");
  merger.end(0);
  merger.end(1);
  EXPECT_EQ(merger.take(), "[a] a1\n[a] a2\n[b] b1\n[b] b2\n");
}

TEST(LogMerger, ASilentLogHoldsUpNoneThatIsFollowed) {
  LogMerger merger = make_merger();
  merger.stop_waiting();
  merger.feed(0, "01Z one\n02Z \n03Z\n");
  EXPECT_EQ(merger.take(), "[a] one\n[a] \n[a] \n");
}

TEST(LogMerger, TimesAreShownOnRequest) {
  LogMerger merger = make_merger(true);
  merger.stop_waiting();
  merger.feed(1, "01Z one\n");
  EXPECT_EQ(merger.take(), "[b] 01Z one\n");
}

}  // namespace
}  // namespace muster::client
