// Descriptors of apps.kubedl.io/v1alpha1.
#include "api/cron_v1alpha1.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

namespace {

constexpr const char* kSchedulePattern =
    R"(^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|[-0-9A-Za-z*,/?]+( +[-0-9A-Za-z*,/?]+){4})$)";

bool is_cron_field(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return ('0' <= c && c <= '9') || ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') ||
           std::string_view("-*,/?").find(c) != std::string_view::npos;
  });
}

/// What the pattern says; whether each number is in its range, the controller says.
bool is_cron_schedule(std::string_view text) {
  constexpr std::array<std::string_view, 7> kNames = {"@yearly", "@annually", "@monthly", "@weekly",
                                                      "@daily",  "@midnight", "@hourly"};
  if (std::ranges::find(kNames, text) != kNames.end()) return true;
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  int fields = 0;
  for (const std::string& part : split(text, ' ')) {
    if (part.empty()) continue;
    if (!is_cron_field(part)) return false;
    ++fields;
  }
  return fields == 5;
}

}  // namespace

template <>
const TypeDesc& type_of<CronTemplate>() {
  static const TypeDesc desc =
      object<CronTemplate>("CronTemplate", "The job that is made at each time of the schedule.",
                           field<&CronTemplate::api_version>("apiVersion", "Group and version of the job.").required(),
                           field<&CronTemplate::kind>("kind", "Kind of the job.").required(),
                           field<&CronTemplate::workload>("workload", "The job itself: its metadata and spec."));
  return desc;
}

template <>
const TypeDesc& type_of<CronSpec>() {
  static const TypeDesc desc = object<CronSpec>(
      "CronSpec", "When which job is made.",
      field<&CronSpec::schedule>("schedule", "When, as minute, hour, day, month and day of the week; or @daily.")
          .required()
          .pattern(kSchedulePattern, &is_cron_schedule),
      field<&CronSpec::concurrency_policy>("concurrencyPolicy", "What happens while the job before still runs.")
          .one_of({"Allow", "Forbid", "Replace"})
          .default_value("Allow"),
      field<&CronSpec::suspend>("suspend", "While true, no jobs are made.").default_value(false),
      field<&CronSpec::deadline>("deadline", "When the schedule ends; never when not set."),
      field<&CronSpec::history_limit>("historyLimit", "How many finished jobs are kept.").min(0).default_value(10),
      field<&CronSpec::template_>("template", "The job that is made.").required());
  return desc;
}

template <>
const TypeDesc& type_of<CronWorkloadReference>() {
  static const TypeDesc desc =
      object<CronWorkloadReference>("CronWorkloadReference", "Names a job that was made.",
                                    field<&CronWorkloadReference::api_group>("apiGroup", "Group of the job."),
                                    field<&CronWorkloadReference::kind>("kind", "Kind of the job.").required(),
                                    field<&CronWorkloadReference::name>("name", "Name of the job.").required());
  return desc;
}

template <>
const TypeDesc& type_of<CronHistory>() {
  static const TypeDesc desc = object<CronHistory>(
      "CronHistory", "One job that was made.", field<&CronHistory::uid>("uid", "Unique id of the job."),
      field<&CronHistory::object>("object", "Which job it is."),
      field<&CronHistory::status>("status", "How far it is, or how it ended."),
      field<&CronHistory::created>("created", "When it was made."),
      field<&CronHistory::finished>("finished", "When it ended."));
  return desc;
}

template <>
const TypeDesc& type_of<CronStatus>() {
  static const TypeDesc desc = object<CronStatus>(
      "CronStatus", "Which jobs were made.", field<&CronStatus::active>("active", "Jobs that are not finished."),
      field<&CronStatus::history>("history", "Jobs that were made, the newest last."),
      field<&CronStatus::last_schedule_time>("lastScheduleTime", "When a job was made last."));
  return desc;
}

template <>
const TypeDesc& type_of<Cron>() {
  static const TypeDesc desc =
      root<Cron>("apps.kubedl.io/v1alpha1", "Cron", "Makes a job by a schedule.",
                 field<&Cron::metadata>("metadata", "Name, labels, owners and history."),
                 field<&Cron::spec>("spec", "When which job is made.").required(),
                 field<&Cron::status>("status", "Which jobs were made; written by the controller."));
  return desc;
}

}  // namespace muster::reflect
