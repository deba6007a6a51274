#include "api/kubedl/cron_schedule.h"

#include <gmock/gmock.h>

namespace muster::api {
namespace {

TEST(CronSchedule, TakesWhatCronTakes) {
  for (const char* good : {"* * * * *",
                           "*/5 * * * *",
                           "0 0 1 1 0",
                           "59 23 31 12 6",
                           "05 07 09 03 00",
                           "30 1 * * 1-5",
                           "0,15,30-45/5 8-18/2 ? * *",
                           "5/15 * * * *",
                           "0 0 * JAN,jun-Dec mon-FRI",
                           "0  0   * * *",
                           "@yearly",
                           "@annually",
                           "@monthly",
                           "@weekly",
                           "@daily",
                           "@midnight",
                           "@hourly",
                           "@every 5m",
                           "@every 1h30m10.5s",
                           "@every .5h",
                           "TZ=Asia/Shanghai 0 0 * * *",
                           "CRON_TZ=UTC  @daily"}) {
    EXPECT_TRUE(is_cron_schedule(good)) << good;
  }
}

TEST(CronSchedule, RefusesTheRest) {
  for (const char* bad : {"",
                          " ",
                          "* * *",
                          "* * * *",
                          "* * * * * *",
                          "99 * * * *",
                          "60 * * * *",
                          "* 24 * * *",
                          "* * 0 * *",
                          "* * 32 * *",
                          "* * * 0 *",
                          "* * * 13 *",
                          "* * * * 7",
                          "* * * * -1",
                          "*/0 * * * *",
                          "* * * foo *",
                          "mon * * * *",
                          "1- * * * *",
                          "1,,2 * * * *",
                          "1-2-3 * * * *",
                          "*/5/5 * * * *",
                          "a * * * *",
                          " * * * * *",
                          "* * * * * ",
                          "@dayly",
                          "@every",
                          "@every 5",
                          "@every 5x",
                          "@every m",
                          "@every 1.2.3s",
                          "@daily x",
                          "TZ=UTC",
                          "TZ= * * * * *",
                          "X=Y * * * * *",
                          "100 * * * *"}) {
    EXPECT_FALSE(is_cron_schedule(bad)) << bad;
  }
}

TEST(CronSchedule, RangesRunForward) {
  EXPECT_EQ(backward_range("0 22-6 * * *"), "22-6");
  EXPECT_EQ(backward_range("0 0 * * 1,fri-mon/2"), "fri-mon");
  EXPECT_EQ(backward_range("0 6-22 * jan-dec 0-6"), std::nullopt);
  EXPECT_EQ(backward_range("@every 5m"), std::nullopt);
  EXPECT_EQ(backward_range("TZ=UTC 5-1 * * * *"), "5-1");
}

}  // namespace
}  // namespace muster::api
