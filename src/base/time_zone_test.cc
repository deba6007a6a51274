#include "base/time_zone.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace muster {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TimeZone::Instant instant(std::string_view text) {
  return std::chrono::floor<seconds>(*parse_rfc3339(text));
}

/// A file in the form of RFC 8536 with times of eight bytes: the changes, and the rule at the end.
std::string compiled(const std::vector<std::pair<std::int64_t, int>>& changes, std::string_view rule) {
  const auto number = [](std::int64_t value, int size) {
    std::string out;
    for (int i = size - 1; i >= 0; --i) out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff);
    return out;
  };
  const auto header = [&](std::size_t times, std::size_t types) {
    return "TZif2" + std::string(15, '\0') + number(0, 4) + number(0, 4) + number(0, 4) +
           number(static_cast<std::int64_t>(times), 4) + number(static_cast<std::int64_t>(types), 4) + number(4, 4);
  };
  const std::string letters("LMT\0", 4);
  std::string out = header(0, 1) + number(0, 6) + letters + header(changes.size(), changes.size() + 1);
  for (const auto& [when, offset] : changes) out += number(when, 8);
  for (std::size_t i = 0; i < changes.size(); ++i) out += static_cast<char>(i + 1);
  out += number(-600, 4) + number(0, 2);
  for (const auto& [when, offset] : changes) out += number(offset, 4) + number(0, 2);
  return out + letters + "\n" + std::string(rule) + "\n";
}

TEST(TimeZone, IsUtcWithoutADatabase) {
  const TimeZone::Span span = TimeZone().at(instant("2026-03-08T07:00:00Z"));
  EXPECT_EQ(span.offset, seconds(0));
  EXPECT_EQ(span.begin, TimeZone::Instant::min());
  EXPECT_EQ(span.end, TimeZone::Instant::max());
  EXPECT_TRUE(find_time_zone("UTC"));
  EXPECT_TRUE(find_time_zone(""));
}

TEST(TimeZone, ListedChangesComeBeforeTheRule) {
  const auto zone = TimeZone::parse(compiled({{1000, 3600}, {2000, 7200}}, "EST5EDT,M3.2.0,M11.1.0"));
  ASSERT_TRUE(zone) << zone.error().message;
  const auto at = [&](std::int64_t when) { return zone->at(TimeZone::Instant(seconds(when))); };
  EXPECT_EQ(at(999).offset, minutes(-10));
  EXPECT_EQ(at(999).end, TimeZone::Instant(seconds(1000)));
  EXPECT_EQ(at(1000).offset, hours(1));
  EXPECT_EQ(at(1999).begin, TimeZone::Instant(seconds(1000)));
  EXPECT_EQ(at(2000).offset, hours(-5)) << "January 1970 is in winter";
  EXPECT_EQ(zone->at(instant("2090-07-01T00:00:00Z")).offset, hours(-4));
}

TEST(TimeZone, RuleChangesTwiceAYear) {
  const auto zone = TimeZone::parse(compiled({{0, 0}}, "EST5EDT,M3.2.0,M11.1.0"));
  ASSERT_TRUE(zone) << zone.error().message;
  const TimeZone::Span summer = zone->at(instant("2026-07-01T00:00:00Z"));
  EXPECT_EQ(summer.offset, hours(-4));
  EXPECT_EQ(summer.begin, instant("2026-03-08T07:00:00Z"));
  EXPECT_EQ(summer.end, instant("2026-11-01T06:00:00Z"));
  const TimeZone::Span winter = zone->at(instant("2026-12-31T23:59:59Z"));
  EXPECT_EQ(winter.offset, hours(-5));
  EXPECT_EQ(winter.begin, summer.end);
  EXPECT_EQ(winter.end, instant("2027-03-14T07:00:00Z"));
  EXPECT_EQ(zone->at(summer.begin - seconds(1)).offset, hours(-5));
}

TEST(TimeZone, RuleOfTheSouthBeginsTheYearInSummer) {
  const auto zone = TimeZone::parse(compiled({{0, 0}}, "AEST-10AEDT,M10.1.0,M4.1.0/3"));
  ASSERT_TRUE(zone) << zone.error().message;
  const TimeZone::Span summer = zone->at(instant("2026-12-31T20:00:00Z"));
  EXPECT_EQ(summer.offset, hours(11));
  EXPECT_EQ(summer.begin, instant("2026-10-03T16:00:00Z"));
  EXPECT_EQ(summer.end, instant("2027-04-03T16:00:00Z"));
}

TEST(TimeZone, RulesHaveManyForms) {
  EXPECT_EQ(parse_zone_rule("<+0330>-3:30")->standard, hours(3) + minutes(30));
  EXPECT_FALSE(parse_zone_rule("CST-8")->changes);
  const auto julian = parse_zone_rule("AAA3BBB2:30,J60/0,300/-1:30");
  ASSERT_TRUE(julian && julian->changes);
  EXPECT_EQ(julian->daylight, -hours(2) - minutes(30));
  EXPECT_EQ(julian->changes->first.form, ZoneChange::Form::kJulian);
  EXPECT_EQ(julian->changes->second.form, ZoneChange::Form::kDayOfYear);
  EXPECT_EQ(julian->changes->second.time, -hours(1) - minutes(30));
  for (const char* wrong :
       {"", "E5", "EST", "EST5EDT", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.6.0,J1",
        "EST5EDT,M3.2.0,M11.1.0,", "EST200", "<+03", "EST5EDT,J0,J1", "EST5:60"}) {
    EXPECT_FALSE(parse_zone_rule(wrong)) << wrong;
  }
}

TEST(TimeZone, BrokenFilesAreRefused) {
  const std::string good = compiled({{1000, 3600}, {2000, 7200}}, "CET-1CEST,M3.5.0,M10.5.0/3");
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(TimeZone::parse(good.substr(0, size))) << size;
  }
  EXPECT_FALSE(TimeZone::parse(compiled({{2000, 3600}, {1000, 7200}}, "")));
  EXPECT_FALSE(TimeZone::parse(compiled({{1000, 3600}}, "nonsense")));
  EXPECT_TRUE(TimeZone::parse(compiled({{1000, 3600}}, "")));
}

TEST(TimeZone, NamesThatDoNotExistSayWhatToWrite) {
  for (const char* name : {"Mars/Olympus", "../../../etc/passwd", "Asia", "tzdata.zi"}) {
    const auto zone = find_time_zone(name);
    ASSERT_FALSE(zone) << name;
    EXPECT_NE(zone.error().message.find(name), std::string::npos) << zone.error().message;
  }
}

}  // namespace
}  // namespace muster
