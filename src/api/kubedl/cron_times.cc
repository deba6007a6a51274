// When a schedule comes next, and when it came last.
#include <algorithm>

#include "api/kubedl/cron_schedule.h"

namespace muster::api {

namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::minutes;
using std::chrono::seconds;
using Instant = TimeZone::Instant;
// What a clock on the wall shows, counted as if it were UTC.
using Local = Instant;

constexpr days kLongestGap{9 * 366};

bool is_day_of(const CronSchedule& schedule, std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  const auto has = [](std::uint64_t bits, unsigned bit) { return (bits >> bit & 1) != 0; };
  if (!has(schedule.months, static_cast<unsigned>(date.month()))) return false;
  const bool by_month = has(schedule.days, static_cast<unsigned>(date.day()));
  const bool by_week = has(schedule.weekdays, std::chrono::weekday(day).c_encoding());
  return schedule.either_day ? by_month || by_week : by_month && by_week;
}

/// Returns the first time from `begin` on and before `end`.
std::optional<Local> first_between(const CronSchedule& schedule, Local begin, Local end) {
  for (auto day = floor<days>(begin); day < end; day += days(1)) {
    if (!is_day_of(schedule, day)) continue;
    const auto found = std::ranges::lower_bound(schedule.clock, std::chrono::ceil<minutes>(begin - day));
    if (found == schedule.clock.end()) continue;
    if (day + *found >= end) return std::nullopt;
    return day + *found;
  }
  return std::nullopt;
}

/// Returns the last time from `begin` on and before `end`.
std::optional<Local> last_between(const CronSchedule& schedule, Local begin, Local end) {
  for (auto day = floor<days>(end - seconds(1)); day + days(1) > begin; day -= days(1)) {
    if (!is_day_of(schedule, day)) continue;
    const auto found = std::ranges::lower_bound(schedule.clock, std::chrono::ceil<minutes>(end - day));
    if (found == schedule.clock.begin()) continue;
    if (day + *std::prev(found) < begin) return std::nullopt;
    return day + *std::prev(found);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Instant> next_cron_time(const CronSchedule& schedule, const TimeZone& zone, Instant since,
                                      Instant after) {
  if (schedule.every) {
    if (after < since) return since + *schedule.every;
    return since + ((after - since) / *schedule.every + 1) * *schedule.every;
  }
  const Instant limit = after + kLongestGap;
  for (Instant from = after + seconds(1); from < limit;) {
    const TimeZone::Span span = zone.at(from);
    const Instant end = std::min(span.end, limit);
    if (const auto found = first_between(schedule, from + span.offset, end + span.offset)) return *found - span.offset;
    from = end;
  }
  return std::nullopt;
}

std::optional<Instant> last_cron_time(const CronSchedule& schedule, const TimeZone& zone, Instant since, Instant now) {
  if (now <= since) return std::nullopt;
  if (schedule.every) {
    const auto periods = (now - since) / *schedule.every;
    if (periods == 0) return std::nullopt;
    return since + periods * *schedule.every;
  }
  const Instant first = std::max(since + seconds(1), now - kLongestGap);
  for (Instant to = now + seconds(1); to > first;) {  // the time before `to` is searched
    const TimeZone::Span span = zone.at(to - seconds(1));
    const Instant begin = std::max(span.begin, first);
    if (const auto found = last_between(schedule, begin + span.offset, to + span.offset)) return *found - span.offset;
    to = begin;
  }
  return std::nullopt;
}

}  // namespace muster::api
