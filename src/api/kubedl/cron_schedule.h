// Cron schedules: five fields with lists, ranges, steps and names, @daily and similar words, @every 1h30m, and an
// optional time zone in front. Accepts what robfig/cron accepts, the parser that Kubernetes and KubeDL use.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::api {

/// An RE2 pattern that accepts the same texts as `is_cron_schedule`.
std::string cron_schedule_pattern();
bool is_cron_schedule(std::string_view text);
/// A range that ends before it begins, such as "22-6", which no pattern can reject. `schedule` passes is_cron_schedule.
std::optional<std::string> backward_range(std::string_view schedule);

}  // namespace muster::api
