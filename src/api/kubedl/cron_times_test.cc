#include <gmock/gmock.h>

#include "api/kubedl/cron_schedule.h"
#include "base/time.h"

namespace muster::api {
namespace {

using ::testing::ElementsAre;

TimeZone::Instant instant(std::string_view text) {
  return std::chrono::floor<std::chrono::seconds>(*parse_rfc3339(text));
}

/// America/New_York by its present rule: an hour is left out in March and comes twice in November.
TimeZone new_york() {
  return TimeZone(*parse_zone_rule("EST5EDT,M3.2.0,M11.1.0"));
}

/// Returns the next times after `after`, in UTC.
std::vector<std::string> times(std::string_view schedule, std::string_view after, int count,
                               const TimeZone& zone = TimeZone()) {
  const auto parsed = parse_cron_schedule(schedule);
  if (!parsed) return {"not a schedule"};
  std::vector<std::string> out;
  TimeZone::Instant at = instant(after);
  for (int i = 0; i < count; ++i) {
    const auto next = next_cron_time(*parsed, zone, instant(after), at);
    if (!next) return out;
    at = *next;
    out.push_back(format_rfc3339(at));
  }
  return out;
}

std::string last(std::string_view schedule, std::string_view since, std::string_view now,
                 const TimeZone& zone = TimeZone()) {
  const auto found = last_cron_time(*parse_cron_schedule(schedule), zone, instant(since), instant(now));
  return found ? format_rfc3339(*found) : "none";
}

TEST(CronTimes, FollowTheFields) {
  EXPECT_THAT(times("*/20 8-9 * * *", "2026-01-01T08:15:30Z", 6),
              ElementsAre("2026-01-01T08:20:00Z", "2026-01-01T08:40:00Z", "2026-01-01T09:00:00Z",
                          "2026-01-01T09:20:00Z", "2026-01-01T09:40:00Z", "2026-01-02T08:00:00Z"));
  EXPECT_THAT(times("30 1 * * MON-fri", "2026-01-02T01:30:00Z", 2),
              ElementsAre("2026-01-05T01:30:00Z", "2026-01-06T01:30:00Z"));
  EXPECT_THAT(
      times("5/25 0 1 */6 ?", "2025-12-31T00:00:00Z", 4),
      ElementsAre("2026-01-01T00:05:00Z", "2026-01-01T00:30:00Z", "2026-01-01T00:55:00Z", "2026-07-01T00:05:00Z"));
  EXPECT_THAT(times("0 0 29 2 *", "2097-01-01T00:00:00Z", 1), ElementsAre("2104-02-29T00:00:00Z"));
  EXPECT_THAT(times("0 0 31 2 *", "2026-01-01T00:00:00Z", 1), ElementsAre());
}

TEST(CronTimes, EitherDayIsEnoughWhenBothAreGiven) {
  EXPECT_THAT(times("0 0 15 * 0", "2026-01-01T00:00:00Z", 3),
              ElementsAre("2026-01-04T00:00:00Z", "2026-01-11T00:00:00Z", "2026-01-15T00:00:00Z"));
  EXPECT_THAT(times("0 0 */10 * 0", "2026-01-01T00:00:00Z", 2),
              ElementsAre("2026-01-04T00:00:00Z", "2026-01-11T00:00:00Z"))
      << "a star with a step restricts, as in robfig/cron";
  EXPECT_THAT(times("0 0 * * 0", "2026-01-01T00:00:00Z", 1), ElementsAre("2026-01-04T00:00:00Z"));
}

TEST(CronTimes, WordsStandForFields) {
  EXPECT_THAT(times("@hourly", "2026-01-01T08:15:30Z", 1), ElementsAre("2026-01-01T09:00:00Z"));
  EXPECT_THAT(times("@weekly", "2026-01-01T08:15:30Z", 1), ElementsAre("2026-01-04T00:00:00Z"));
  EXPECT_THAT(times("@yearly", "2026-01-01T08:15:30Z", 1), ElementsAre("2027-01-01T00:00:00Z"));
}

TEST(CronTimes, EveryCountsFromItsBeginning) {
  EXPECT_THAT(times("@every 1h30m", "2026-01-01T08:00:10Z", 2),
              ElementsAre("2026-01-01T09:30:10Z", "2026-01-01T11:00:10Z"));
  EXPECT_THAT(times("@every 10ms", "2026-01-01T08:00:10Z", 1), ElementsAre("2026-01-01T08:00:11Z"));
  EXPECT_EQ(last("@every 1h", "2026-01-01T08:00:10Z", "2026-01-01T09:00:09Z"), "none");
  EXPECT_EQ(last("@every 1h", "2026-01-01T08:00:10Z", "2026-01-03T09:00:11Z"), "2026-01-03T09:00:10Z");
}

// The cases of robfig/cron for America/New_York in 2012.
TEST(CronTimes, ATimeThatTheClockLeavesOutDoesNotCome) {
  const TimeZone zone = new_york();
  EXPECT_THAT(times("0 2 * * *", "2012-03-11T05:00:00Z", 1, zone), ElementsAre("2012-03-12T06:00:00Z"));
  EXPECT_THAT(times("0 * * * *", "2012-03-11T06:00:00Z", 2, zone),
              ElementsAre("2012-03-11T07:00:00Z", "2012-03-11T08:00:00Z"));
  EXPECT_THAT(times("0 1 * * *", "2012-03-11T05:00:00Z", 2, zone),
              ElementsAre("2012-03-11T06:00:00Z", "2012-03-12T05:00:00Z"));
  EXPECT_EQ(last("30 2 * * *", "2012-03-10T12:00:00Z", "2012-03-11T12:00:00Z", zone), "none");
}

TEST(CronTimes, ATimeThatTheClockShowsTwiceComesTwice) {
  const TimeZone zone = new_york();
  EXPECT_THAT(times("0 1 * * *", "2012-11-04T04:00:00Z", 3, zone),
              ElementsAre("2012-11-04T05:00:00Z", "2012-11-04T06:00:00Z", "2012-11-05T06:00:00Z"));
  EXPECT_THAT(times("0 2 * * *", "2012-11-04T04:00:00Z", 2, zone),
              ElementsAre("2012-11-04T07:00:00Z", "2012-11-05T07:00:00Z"));
  EXPECT_EQ(last("0 1 * * *", "2012-11-01T00:00:00Z", "2012-11-04T05:59:00Z", zone), "2012-11-04T05:00:00Z");
  EXPECT_EQ(last("0 1 * * *", "2012-11-01T00:00:00Z", "2012-11-04T06:00:00Z", zone), "2012-11-04T06:00:00Z");
}

TEST(CronTimes, TheLastOneIsFoundHoweverManyWereMissed) {
  EXPECT_EQ(last("* * * * *", "1971-01-01T00:00:00Z", "2026-01-01T08:15:30Z"), "2026-01-01T08:15:00Z");
  EXPECT_EQ(last("0 0 1 1 *", "2020-06-01T00:00:00Z", "2025-12-31T00:00:00Z"), "2025-01-01T00:00:00Z");
  EXPECT_EQ(last("0 0 1 1 *", "2025-01-01T00:00:00Z", "2025-12-31T00:00:00Z"), "none") << "it was the last start";
  EXPECT_EQ(last("* * * * *", "2026-01-01T00:00:00Z", "2025-01-01T00:00:00Z"), "none") << "the clock went back";
}

TEST(CronTimes, ZonesOfTheDatabaseAreRead) {
  const auto shanghai = find_time_zone("Asia/Shanghai");
  if (!shanghai) GTEST_SKIP() << shanghai.error().message;
  EXPECT_THAT(times("TZ=Asia/Shanghai 0 9 * * *", "2026-01-01T00:30:00Z", 1, *shanghai),
              ElementsAre("2026-01-01T01:00:00Z"));
  const auto berlin = find_time_zone("Europe/Berlin");
  ASSERT_TRUE(berlin) << berlin.error().message;
  EXPECT_THAT(times("30 2 * * *", "2050-03-26T12:00:00Z", 1, *berlin), ElementsAre("2050-03-28T00:30:00Z"))
      << "27 March 2050 leaves the hour out";
}

}  // namespace
}  // namespace muster::api
