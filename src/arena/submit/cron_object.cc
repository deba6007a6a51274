#include "arena/submit/cron_object.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "api/kubedl/cron_schedule.h"
#include "base/time.h"

namespace muster::arena {

namespace {

constexpr std::array<std::string_view, 3> kCronPolicies = {"Allow", "Forbid", "Replace"};

cli::Failure bad_cron_flag(std::string what, std::string fix) {
  return {.what = "failed to validate command args: " + std::move(what), .fix = std::move(fix)};
}

}  // namespace

void CronFlags::add_flags(Flags& flags) {
  flags.add("schedule", &schedule,
            "the schedule of cron, such as \"0 9 * * 1-5\", @daily or \"TZ=Asia/Shanghai @daily\"");
  flags.add("concurrency-policy", &concurrency_policy,
            "specifies how to treat concurrent executions of a task, the options are: Allow, Forbid, Replace");
  flags.set_choices("concurrency-policy", {kCronPolicies.begin(), kCronPolicies.end()});
  flags.add("suspend", &suspend, "if suspend the cron task");
  flags.add("deadline", &deadline, "the timestamp after which no job starts, such as 2026-12-31T00:00:00Z");
  flags.add("history-limit", &history_limit, "the number of finished jobs that the cron keeps");
}

std::optional<cli::Failure> CronFlags::check() const {
  if (schedule.empty())
    return bad_cron_flag("--schedule must be set", "--schedule \"0 9 * * 1-5\", or --schedule @daily");
  if (!api::parse_cron_schedule(schedule)) {
    return bad_cron_flag(
        fmt::format("--schedule is invalid, got {}", schedule),
        "write minute, hour, day, month and day of the week, each in its range, or @daily, or @every 5m");
  }
  if (std::ranges::find(kCronPolicies, concurrency_policy) == kCronPolicies.end()) {
    return bad_cron_flag(fmt::format("--concurrency-policy is invalid, got {}", concurrency_policy),
                         "Allow, Forbid or Replace");
  }
  if (!deadline.empty() && !parse_rfc3339(deadline)) {
    return bad_cron_flag(fmt::format("--deadline is invalid, got {}", deadline),
                         fmt::format("write a time such as 2026-12-31T00:00:00Z, {}", kTimeRange));
  }
  if (history_limit < 0 || history_limit > INT32_MAX) {
    return bad_cron_flag(fmt::format("--history-limit is invalid, got {}", history_limit), "write a number from 0 on");
  }
  return std::nullopt;
}

Submission on_schedule(Submission made, const CronFlags& flags) {
  json::Object workload{{"metadata", json::Object{{"labels", *made.job.at("metadata", "labels")},
                                                  {"annotations", *made.job.at("metadata", "annotations")}}},
                        {"spec", *made.job.find("spec")}};
  json::Object spec{{"schedule", flags.schedule},
                    {"concurrencyPolicy", flags.concurrency_policy},
                    {"suspend", flags.suspend},
                    {"historyLimit", flags.history_limit},
                    {"template", json::Object{{"apiVersion", made.job.string_at("apiVersion")},
                                              {"kind", made.job.string_at("kind")},
                                              {"workload", std::move(workload)}}}};
  if (!flags.deadline.empty()) spec.set("deadline", format_rfc3339(*parse_rfc3339(flags.deadline)));
  Submission out{
      .job = json::Object{{"apiVersion", fmt::format("{}/{}", kCronGroup, kCronVersion)},
                          {"kind", "Cron"},
                          {"metadata", json::Object{{"name", made.job.string_at("metadata", "name")},
                                                    {"namespace", made.job.string_at("metadata", "namespace")},
                                                    {"labels", *made.job.at("metadata", "labels")}}},
                          {"spec", std::move(spec)}},
      .parts = std::move(made.parts)};
  out.parts.erase(out.parts.begin());
  return out;
}

}  // namespace muster::arena
