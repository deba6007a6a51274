// Cron schedules: five fields with lists, ranges, steps and names, @daily and similar words, @every 1h30m, and an
// optional time zone in front. Accepts what robfig/cron accepts, the parser that Kubernetes and KubeDL use.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time_zone.h"

namespace muster::api {

/// An RE2 pattern that accepts the same texts as `is_cron_schedule`.
std::string cron_schedule_pattern();
bool is_cron_schedule(std::string_view text);
/// A range that ends before it begins, such as "22-6", which no pattern can reject. `schedule` passes is_cron_schedule.
std::optional<std::string> backward_range(std::string_view schedule);

struct CronSchedule {
  std::string time_zone;                      // "": that of the machine
  std::optional<std::chrono::seconds> every;  // set: the rest is not used
  std::vector<std::chrono::minutes> clock;    // times of a day, in order
  // Bit sets; bit 1 is the first day of a month, January and Monday.
  std::uint64_t days = 0;
  std::uint64_t months = 0;
  std::uint64_t weekdays = 0;
  // Both days of the month and of the week are restricted: then one of the two is enough.
  bool either_day = false;
};

/// Returns nullopt for what is_cron_schedule rejects, for ranges that end before they begin, and for too long
/// durations.
std::optional<CronSchedule> parse_cron_schedule(std::string_view text);

// The schedule is compared with what a clock shows in the time zone: a time that a change of the offset leaves out does
// not come on that day, and one that comes twice counts twice, as with robfig/cron.

/// Returns the first time after `after`; nullopt when there is none within nine years, which is more than the longest
/// time between two 29ths of February. `since` is where @every counts from.
std::optional<TimeZone::Instant> next_cron_time(const CronSchedule& schedule, const TimeZone& zone,
                                                TimeZone::Instant since, TimeZone::Instant after);
/// Returns the last time after `since` and not after `now`; nullopt when there is none.
std::optional<TimeZone::Instant> last_cron_time(const CronSchedule& schedule, const TimeZone& zone,
                                                TimeZone::Instant since, TimeZone::Instant now);

/// Returns the name of the job that a Cron makes for a time of its schedule, the same each time.
std::string cron_job_name(const std::string& cron, TimeZone::Instant scheduled);

}  // namespace muster::api
