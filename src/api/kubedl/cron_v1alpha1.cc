// Descriptors of apps.kubedl.io/v1alpha1.
#include "api/kubedl/cron_v1alpha1.h"

#include "api/kubedl/cron_schedule.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

TypeDesc describe(Of<CronTemplate>) {
  return object<CronTemplate>(
      "CronTemplate", "Template of the job that is created at each scheduled time.",
      field<&CronTemplate::api_version>("apiVersion", "Group and version of the job.").required(),
      field<&CronTemplate::kind>("kind", "Kind of the job.").required(),
      field<&CronTemplate::workload>("workload", "The job itself: its metadata and spec."));
}

TypeDesc describe(Of<CronSpec>) {
  return object<CronSpec>(
      "CronSpec", "When which job is made.",
      field<&CronSpec::schedule>("schedule",
                                 "When, as minute, hour, day, month and day of the week; @daily, or @every 5m.")
          .required()
          .pattern(cron_schedule_pattern(), &is_cron_schedule,
                   "write minute, hour, day, month and day of the week, each in its range, or @daily, or @every 5m"),
      field<&CronSpec::concurrency_policy>("concurrencyPolicy", "What to do while the previous job still runs.")
          .one_of({"Allow", "Forbid", "Replace"})
          .default_value("Allow"),
      field<&CronSpec::suspend>("suspend", "While true, no jobs are created.").default_value(false),
      field<&CronSpec::deadline>("deadline", "When the schedule ends; never if not set."),
      field<&CronSpec::history_limit>("historyLimit", "How many finished jobs are kept.").min(0).default_value(10),
      field<&CronSpec::template_>("template", "The job that is made.").required());
}

TypeDesc describe(Of<CronWorkloadReference>) {
  return object<CronWorkloadReference>("CronWorkloadReference", "Reference to a created job.",
                                       field<&CronWorkloadReference::api_group>("apiGroup", "Group of the job."),
                                       field<&CronWorkloadReference::kind>("kind", "Kind of the job.").required(),
                                       field<&CronWorkloadReference::name>("name", "Name of the job.").required());
}

TypeDesc describe(Of<CronHistory>) {
  return object<CronHistory>("CronHistory", "One job that was made.",
                             field<&CronHistory::uid>("uid", "Unique id of the job."),
                             field<&CronHistory::object>("object", "Which job it is."),
                             field<&CronHistory::status>("status", "How far it is, or how it ended."),
                             field<&CronHistory::created>("created", "When it was made."),
                             field<&CronHistory::finished>("finished", "When it ended."));
}

TypeDesc describe(Of<CronStatus>) {
  return object<CronStatus>("CronStatus", "Which jobs were made.",
                            field<&CronStatus::active>("active", "Jobs that are not finished."),
                            field<&CronStatus::history>("history", "Created jobs, the newest last."),
                            field<&CronStatus::last_schedule_time>("lastScheduleTime", "When a job was made last."));
}

TypeDesc describe(Of<Cron>) {
  return root<Cron>("apps.kubedl.io/v1alpha1", "Cron", "Makes a job by a schedule.",
                    field<&Cron::metadata>("metadata", "Name, labels, owners and history."),
                    field<&Cron::spec>("spec", "When which job is made.").required(),
                    field<&Cron::status>("status", "Created jobs; written by the controller."));
}

}  // namespace muster::reflect
