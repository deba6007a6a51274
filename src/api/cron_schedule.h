// Schedules as cron has them: five fields with lists, ranges, steps and names, @daily and its like, @every 1h30m, and a
// time zone in front. What robfig/cron takes, which is behind Kubernetes' and KubeDL's schedules.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::api {

/// RE2; says all that `is_cron_schedule` does.
std::string cron_schedule_pattern();
bool is_cron_schedule(std::string_view text);
/// A range that ends before it begins, which no pattern can say: "22-6". Of a text that is_cron_schedule.
std::optional<std::string> backward_range(std::string_view schedule);

}  // namespace muster::api
