#include "control/cron/cron.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/kubedl/cron_schedule.h"
#include "api/kubedl/cron_v1alpha1.h"
#include "api/muster/names.h"
#include "api/resource.h"
#include "base/strings.h"
#include "jobs/kind.h"

namespace muster::control {

namespace {

using Instant = TimeZone::Instant;

constexpr std::int32_t kDefaultHistoryLimit = 10;
// A plan stays small however many jobs have ended while nobody trimmed them.
constexpr std::size_t kMaxDeletes = 100;
// The wall clock may jump, and a timer does not count while the machine sleeps; so we look at least this often.
constexpr Duration kLongestRest = std::chrono::minutes(1);

// ---- the observed state ----

/// A job that the Cron made, as far as it matters here.
struct CronJob {
  api::ObjectMeta metadata;
  std::string api_version;
  std::string kind;
  Phase phase = Phase::kNew;
  std::optional<Time> completed;
};
using CronJobPtr = std::shared_ptr<const CronJob>;

Result<AnyObject> decode_cron_job(const json::Document& object) {
  const JobKind* kind = kind_of_job(object);
  CHECK(kind != nullptr);  // only these kinds are watched
  const json::Document* metadata = object.find("metadata");
  TRY_ASSIGN(auto decoded,
             reflect::decode<api::ObjectMeta>(metadata == nullptr ? json::Document(json::Object{}) : *metadata));
  const JobStatus status = kind->read_status(object);
  auto job = std::make_shared<const CronJob>(CronJob{.metadata = std::move(decoded),
                                                     .api_version = object.string_at("apiVersion"),
                                                     .kind = std::string(kind->kind),
                                                     .phase = status.phase,
                                                     .completed = status.completed});
  const api::ObjectMeta* shared = &job->metadata;
  return AnyObject{.object = std::move(job), .metadata = shared};
}

const reflect::TypeDesc& type_of_kind(const JobKind& kind) {
  return *api::find_kind(kind.api_version, kind.kind)->type;
}

struct CronView {
  const api::Cron& cron;
  std::vector<CronJobPtr> jobs;  // the oldest first
  Instant now;
};

CronView look_at(const api::Cron& cron, const Snapshot& seen, std::span<const JobKind> kinds) {
  CronView view{.cron = cron, .jobs = {}, .now = std::chrono::floor<std::chrono::seconds>(seen.now)};
  for (const JobKind& kind : kinds) {
    for (const AnyObject& child : seen.children.of(type_of_kind(kind))) {
      view.jobs.push_back(std::static_pointer_cast<const CronJob>(child.object));
    }
  }
  std::ranges::sort(view.jobs, {}, [](const CronJobPtr& job) {
    return std::pair(job->metadata.creation_timestamp, job->metadata.name);
  });
  return view;
}

bool is_active(const CronJobPtr& job) {
  return !is_finished(job->phase);
}

bool is_deleted(const CronJobPtr& job) {
  return job->metadata.deletion_timestamp.has_value();
}

ChildRef cron_job_ref(const CronJob& job) {
  return {.api_version = job.api_version, .kind = job.kind, .name = job.metadata.name, .uid = job.metadata.uid};
}

/// Returns the name of the job that was decided on and had not been seen when the status was written; "" when there is
/// none. There is at most one.
std::string decided_job(const CronView& view) {
  const auto& active = view.cron.status.active;
  const auto found = std::ranges::find(active, "", &api::ObjectReference::uid);
  return found == active.end() ? "" : found->name;
}

bool exists(const CronView& view, const std::string& name) {
  return std::ranges::any_of(view.jobs, [&](const CronJobPtr& job) { return job->metadata.name == name; });
}

// ---- status ----

/// The condition of a job as KubeDL names it.
std::string name_of(Phase phase) {
  switch (phase) {
    case Phase::kNew:
    case Phase::kPending:
      return "Created";
    case Phase::kRunning:
      return "Running";
    case Phase::kPaused:
    case Phase::kResuming:
      return "Suspended";
    case Phase::kSucceeded:
      return "Succeeded";
    case Phase::kFailed:
      return "Failed";
  }
  return "Created";
}

api::CronHistory history_of(const CronJob& job) {
  return {.uid = job.metadata.uid,
          .object = api::CronWorkloadReference{.api_group = job.api_version.substr(0, job.api_version.find('/')),
                                               .kind = job.kind,
                                               .name = job.metadata.name},
          .status = name_of(job.phase),
          .created = job.metadata.creation_timestamp,
          .finished = job.completed};
}

bool has_ended(const api::CronHistory& job) {
  return job.status == name_of(Phase::kSucceeded) || job.status == name_of(Phase::kFailed);
}

api::ObjectReference reference_to(const CronJob& job) {
  return {.api_version = job.api_version,
          .kind = job.kind,
          .ns = job.metadata.ns,
          .name = job.metadata.name,
          .uid = job.metadata.uid,
          .resource_version = {},
          .field_path = {}};
}

/// Returns all jobs that exist, and those that ended and are gone, such as after their time to live.
std::vector<api::CronHistory> all_history(const CronView& view) {
  std::vector<api::CronHistory> all;
  for (const api::CronHistory& past : view.cron.status.history) {
    const bool is_there =
        std::ranges::any_of(view.jobs, [&](const auto& job) { return job->metadata.uid == past.uid; });
    if (has_ended(past) && !is_there) all.push_back(past);
  }
  for (const CronJobPtr& job : view.jobs) all.push_back(history_of(*job));
  std::ranges::stable_sort(all, {}, &api::CronHistory::created);
  return all;
}

void emit(const char* type, const char* reason, std::string message, Plan& plan) {
  plan.reasons.push_back(message);
  plan.actions.emplace_back(EmitEvent{.type = type, .reason = reason, .message = std::move(message)});
}

/// Leaves the limit of ended jobs in the history and deletes the jobs beyond it, the oldest first.
void trim_history(const CronView& view, std::vector<api::CronHistory>& history, Plan& plan) {
  const std::int32_t limit = view.cron.spec.history_limit.value_or(kDefaultHistoryLimit);
  auto excess = std::ranges::count_if(history, has_ended) - limit;
  std::vector<std::string> deleted;
  std::erase_if(history, [&](const api::CronHistory& entry) {
    if (excess <= 0 || !has_ended(entry)) return false;
    const auto job = std::ranges::find(view.jobs, entry.uid, [](const auto& one) { return one->metadata.uid; });
    if (job != view.jobs.end() && !is_deleted(*job)) {
      if (deleted.size() == kMaxDeletes) return false;
      deleted.push_back((*job)->metadata.name);
      plan.actions.emplace_back(Delete{cron_job_ref(**job)});
    }
    --excess;
    return true;
  });
  if (deleted.empty()) return;
  emit("Normal", "SuccessfulDelete", fmt::format("historyLimit is {}: deleted {}", limit, join(deleted, ", ")), plan);
}

// ---- starts ----

/// Returns the job for one time. Its name, labels and owner are ours, the rest is the template's.
json::Document job_for(const CronView& view, const api::ObjectReference& start) {
  const api::Cron& cron = view.cron;
  json::Document job =
      cron.spec.template_.workload.is_object() ? cron.spec.template_.workload : json::Document(json::Object{});
  job["apiVersion"] = start.api_version;
  job["kind"] = start.kind;
  job.as_object().erase("status");
  const json::Document* written = job.find("metadata");
  json::Object metadata{{"name", start.name}, {"namespace", cron.metadata.ns}};
  for (const char* kept : {"labels", "annotations"}) {
    const json::Document* members = written == nullptr ? nullptr : written->find(kept);
    if (members != nullptr && members->is_object()) metadata.set(kept, *members);
  }
  job["metadata"] = std::move(metadata);
  if (job["metadata"].find("labels") == nullptr) job["metadata"]["labels"] = json::Object{};
  job["metadata"]["labels"][api::kCronNameLabel] = cron.metadata.name;
  job["metadata"]["ownerReferences"] = json::Array{json::Object{{"apiVersion", "apps.kubedl.io/v1alpha1"},
                                                                {"kind", "Cron"},
                                                                {"name", cron.metadata.name},
                                                                {"uid", cron.metadata.uid},
                                                                {"controller", true},
                                                                {"blockOwnerDeletion", true}}};
  return job;
}

/// The schedule with its zone; an error on a cluster, where nothing checked them.
struct Timetable {
  api::CronSchedule schedule;
  TimeZone zone;
};

Result<Timetable> timetable_of(const api::Cron& cron, const FindTimeZone& find_time_zone) {
  Error wrong;
  wrong.reason = Reason::kInvalid;
  const api::CronTemplate& job = cron.spec.template_;
  const api::Resource* kind = api::find_kind(job.api_version, job.kind);
  if (kind == nullptr || kind->pod_label.empty()) {
    wrong.message = fmt::format("spec.template: {} {} is not a job kind of this server", job.api_version, job.kind);
    return wrong;
  }
  auto schedule = api::parse_cron_schedule(cron.spec.schedule);
  wrong.message = fmt::format(
      "spec.schedule: \"{}\" is not a schedule; write minute, hour, day, month and day of the "
      "week, or @daily, or @every 5m",
      cron.spec.schedule);
  if (!schedule) return wrong;
  auto zone = find_time_zone(schedule->time_zone);
  if (!zone) return in_context("spec.schedule", std::move(zone).error());
  return Timetable{*std::move(schedule), *std::move(zone)};
}

/// Returns whether jobs may start now, whatever the time is.
bool may_start(const CronView& view) {
  const api::CronSpec& spec = view.cron.spec;
  return !spec.suspend && (!spec.deadline || view.now <= *spec.deadline);
}

/// Returns the job as status.active has it before it exists.
api::ObjectReference start_of(const CronView& view, const std::string& name) {
  const api::CronTemplate& job = view.cron.spec.template_;
  return {.api_version = job.api_version,
          .kind = job.kind,
          .ns = view.cron.metadata.ns,
          .name = name,
          .uid = {},
          .resource_version = {},
          .field_path = {}};
}

/// Deletes the jobs that still run, where the next one replaces them. This may have been cut short by a crash, so it is
/// repeated until the next one is there.
void replace_active(const CronView& view, const std::string& next, Plan& plan) {
  if (view.cron.spec.concurrency_policy != "Replace") return;
  for (const CronJobPtr& job : view.jobs) {
    if (!is_active(job) || is_deleted(job)) continue;
    emit("Normal", "Replaced", fmt::format("deleting {} to start {}", job->metadata.name, next), plan);
    plan.actions.emplace_back(Delete{cron_job_ref(*job)});
  }
}

/// Returns whether the job of a time that has come must wait for one that runs.
bool has_to_wait(const CronView& view, Instant due, Plan& plan) {
  if (view.cron.spec.concurrency_policy != "Forbid") return false;
  const auto active = std::ranges::find_if(view.jobs, is_active);
  if (active == view.jobs.end()) return false;
  emit("Normal", "JobAlreadyActive",
       fmt::format("the job of {} waits until {} has ended, because concurrencyPolicy is Forbid", format_rfc3339(due),
                   (*active)->metadata.name),
       plan);
  return true;
}

/// Returns the start to carry out: one that was decided on, or a new one when a time has come since the last.
std::optional<api::ObjectReference> next_start(const CronView& view, const Timetable& times, api::CronStatus& status,
                                               Plan& plan) {
  if (!may_start(view)) return std::nullopt;
  const Instant since = std::chrono::floor<std::chrono::seconds>(
      view.cron.status.last_schedule_time.value_or(view.cron.metadata.creation_timestamp.value_or(view.now)));
  const auto next = api::next_cron_time(times.schedule, times.zone, since, std::max(since, view.now));
  if (next) plan.recheck_after = std::min<Duration>(*next - view.now, kLongestRest);
  if (const std::string name = decided_job(view); !name.empty() && !exists(view, name)) {
    replace_active(view, name, plan);
    return start_of(view, name);
  }
  const auto due = api::last_cron_time(times.schedule, times.zone, since, view.now);
  if (!due || has_to_wait(view, *due, plan)) return std::nullopt;
  const auto first = api::next_cron_time(times.schedule, times.zone, since, since);
  if (first && *first < *due) {
    emit("Normal", "MissedSchedule",
         fmt::format("missed the scheduled times since {}; starting only the last one, {}", format_rfc3339(*first),
                     format_rfc3339(*due)),
         plan);
  }
  status.last_schedule_time = *due;
  const std::string name = api::cron_job_name(view.cron.metadata.name, *due);
  replace_active(view, name, plan);
  return start_of(view, name);
}

}  // namespace

Plan plan_cron(const Snapshot& seen, const FindTimeZone& find_time_zone, std::span<const JobKind> kinds) {
  const auto cron = reflect::decode<api::Cron>(seen.primary);
  // Admission rejects what cannot be decoded. The garbage collector deletes the jobs of a Cron being deleted.
  if (!cron || cron->metadata.deletion_timestamp) return {};
  const CronView view = look_at(*cron, seen, kinds);
  Plan plan;
  api::CronStatus status{
      .active = {}, .history = all_history(view), .last_schedule_time = cron->status.last_schedule_time};
  trim_history(view, status.history, plan);
  for (const CronJobPtr& job : view.jobs) {
    if (is_active(job)) status.active.push_back(reference_to(*job));
  }
  if (const std::string name = decided_job(view); exists(view, name)) {
    emit("Normal", "SuccessfulCreate", fmt::format("made {}", name), plan);
  }
  const auto times = timetable_of(*cron, find_time_zone);
  if (!times) {
    emit("Warning", "InvalidSpec", times.error().message, plan);
  } else if (const auto start = next_start(view, *times, status, plan)) {
    status.active.push_back(*start);
    plan.actions.emplace_back(Create{job_for(view, *start)});
  }
  plan.status = reflect::encode(status);
  return plan;
}

Controller cron_controller(FindTimeZone find_time_zone, std::span<const JobKind> kinds) {
  Controller controller{.api_version = "apps.kubedl.io/v1alpha1", .kind = "Cron", .children = {}, .plan = {}};
  for (const JobKind& kind : kinds) {
    controller.children.push_back({.type = &type_of_kind(kind),
                                   .label_selector = api::kCronNameLabel,
                                   .decode = &decode_cron_job,
                                   .uid_label = {}});
  }
  controller.plan = [find = std::move(find_time_zone), kinds](const Snapshot& seen) {
    return plan_cron(seen, find, kinds);
  };
  return controller;
}

}  // namespace muster::control
