// Time zones from the system's database: which offset from UTC is in force when. Reads the compiled form (TZif,
// RFC 8536) and the rule at its end, which applies after the last listed change.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace muster {

/// The day of a year on which a rule changes the offset, and the local time on that day.
struct ZoneChange {
  enum class Form { kJulian, kDayOfYear, kWeekday } form = Form::kWeekday;
  int day = 0;    // of the year, or of the week with 0 for Sunday
  int month = 0;  // for kWeekday
  int week = 0;   // for kWeekday; 5 is the last one
  std::chrono::seconds time = std::chrono::hours(2);
};

/// "EST5EDT,M3.2.0,M11.1.0": what holds after the last listed change. Without daylight saving time, `changes` is
/// absent.
struct ZoneRule {
  std::chrono::seconds standard{0};
  std::chrono::seconds daylight{0};
  std::optional<std::pair<ZoneChange, ZoneChange>> changes;  // to daylight saving time, and back
};

/// Returns nullopt if the text is not a rule.
std::optional<ZoneRule> parse_zone_rule(std::string_view text);

class TimeZone {
 public:
  using Seconds = std::chrono::seconds;
  using Instant = std::chrono::sys_seconds;

  /// A time during which the offset does not change, from `begin` until just before `end`.
  struct Span {
    Instant begin;
    Instant end;
    Seconds offset;  // local time minus UTC
  };

  /// UTC.
  TimeZone() = default;
  /// A zone that follows the rule at all times.
  explicit TimeZone(const ZoneRule& rule) : rule_(rule) {}
  /// Reads a compiled time zone.
  static Result<TimeZone> parse(std::string_view tzif);

  Span at(Instant when) const;

 private:
  Span by_rule(Instant when, Instant since) const;

  struct Transition {
    Instant when;
    Seconds offset;
  };
  Seconds first_{0};                     // before all transitions
  std::vector<Transition> transitions_;  // in order of time
  std::optional<ZoneRule> rule_;         // after the last one; absent: its offset stays
};

/// Finds a zone by its name, such as "Asia/Shanghai"; "" is the zone of this machine. "UTC" needs no database. The
/// error says what is wrong with the name, or with the database.
Result<TimeZone> find_time_zone(const std::string& name);

}  // namespace muster
