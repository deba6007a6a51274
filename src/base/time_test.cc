#include "base/time.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/clamped_seconds.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

Time at(std::int64_t seconds, std::int64_t nanos = 0) {
  return Time(std::chrono::seconds(seconds) + Duration(nanos));
}

TEST(Rfc3339, FormatsWithThreePrecisions) {
  const Time t = at(1'794'778'236, 123'456);
  EXPECT_EQ(format_rfc3339(t), "2026-11-15T21:30:36Z");
  EXPECT_EQ(format_rfc3339_micro(t), "2026-11-15T21:30:36.000123Z");
  EXPECT_EQ(format_rfc3339_nano(t), "2026-11-15T21:30:36.000123456Z");
}

TEST(Rfc3339, FormatsBeforeTheEpoch) {
  EXPECT_EQ(format_rfc3339_micro(at(-1, 500'000)), "1969-12-31T23:59:59.000500Z");
}

TEST(Rfc3339, ParsesFractionsAndOffsets) {
  EXPECT_EQ(parse_rfc3339("2026-11-15T21:30:36Z"), at(1'794'778'236));
  EXPECT_EQ(parse_rfc3339("2026-11-15T21:30:36.5Z"), at(1'794'778'236, 500'000'000));
  EXPECT_EQ(parse_rfc3339("2026-11-15T21:30:36.0001234567Z"), at(1'794'778'236, 123'456));
  EXPECT_EQ(parse_rfc3339("2026-11-15T23:30:36+02:00"), at(1'794'778'236));
  EXPECT_EQ(parse_rfc3339("2026-11-15T16:00:36-05:30"), at(1'794'778'236));
  EXPECT_EQ(parse_rfc3339("2024-02-29T00:00:00Z"), at(1'709'164'800));
}

TEST(Rfc3339, RejectsInvalidTimes) {
  for (const char* text :
       {"", "2026-11-15", "2026-11-15T21:30:36", "2026-11-15T21:30:36.Z", "2026-13-15T21:30:36Z",
        "2025-02-29T00:00:00Z", "2026-11-15T24:00:00Z", "2026-11-15T21:60:36Z", "2026-11-15T21:30:36Zx",
        "2026-11-15T21:30:36+2:00", "2026-11-15T21:30:36+24:00", "9999-11-15T21:30:36Z", "0001-01-01T00:00:00Z",
        "26-11-15T21:30:36Z", "2026-11-15 21:30:36Z"}) {
    EXPECT_EQ(parse_rfc3339(text), std::nullopt) << text;
  }
}

TEST(Rfc3339, HoldsTheRangeThatMessagesName) {
  EXPECT_STREQ(kTimeRange, "in the years 1678 to 2261");
  EXPECT_TRUE(parse_rfc3339("1678-01-01T00:00:00+23:59"));
  EXPECT_TRUE(parse_rfc3339("2261-12-31T23:59:59.999999999-23:59"));
  EXPECT_FALSE(parse_rfc3339("1677-01-01T00:00:00Z"));
  EXPECT_FALSE(parse_rfc3339("2263-01-01T00:00:00Z"));
}

TEST(Rfc3339, ParsesFormattedTimes) {
  for (std::int64_t s = -4'000'000'000; s < 8'000'000'000; s += 98'765'432) {
    const Time t = at(s, (s % 1000 + 1000) % 1000);
    EXPECT_EQ(parse_rfc3339(format_rfc3339_nano(t)), t) << format_rfc3339_nano(t);
  }
}

TEST(HumanDuration, FollowsKubectl) {
  const std::vector<std::pair<Duration, std::string>> cases = {
      {-2s, "<invalid>"},    {-1s, "0s"},         {0s, "0s"},           {45s, "45s"},
      {119s, "119s"},        {120s, "2m"},        {150s, "2m30s"},      {599s, "9m59s"},
      {10min, "10m"},        {15min + 9s, "15m"}, {179min, "179m"},     {3h, "3h"},
      {3h + 12min, "3h12m"}, {8h, "8h"},          {12h + 5min, "12h"},  {47h, "47h"},
      {48h, "2d"},           {53h, "2d5h"},       {8 * 24h, "8d"},      {10 * 24h, "10d"},
      {729 * 24h, "729d"},   {730 * 24h, "2y"},   {760 * 24h, "2y30d"}, {8 * 365 * 24h + 240h, "8y"},
  };
  for (const auto& [duration, text] : cases) EXPECT_EQ(human_duration(duration), text);
}

TEST(ClampedSeconds, CanBeAddedToAnyTime) {
  EXPECT_EQ(clamped_seconds(90), 90s);
  EXPECT_EQ(clamped_seconds(-90), -90s);
  const Time now = *parse_rfc3339("2026-01-01T00:00:00Z");
  EXPECT_EQ(format_rfc3339(now + clamped_seconds(std::numeric_limits<std::int64_t>::max())), "2125-12-08T00:00:00Z");
  EXPECT_EQ(format_rfc3339(now + clamped_seconds(std::numeric_limits<std::int64_t>::min())), "1926-01-26T00:00:00Z");
}

TEST(ParseDuration, TakesGoForms) {
  EXPECT_EQ(parse_duration("90s"), 90s);
  EXPECT_EQ(parse_duration("1h30m"), 90min);
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("1.5h"), 90min);
  EXPECT_EQ(parse_duration(".5s"), 500ms);
  EXPECT_EQ(parse_duration("-2m"), -2min);
  EXPECT_EQ(parse_duration("3us4ns"), 3004ns);
  EXPECT_EQ(parse_duration("0"), 0s);
}

TEST(ParseDuration, RejectsEverythingElse) {
  for (const char* text :
       {"", "-", "5", "s", "1x", "1h-3m", "1d", ".s", "1 s", "99999999999h", "99999999999999999999s"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace muster
