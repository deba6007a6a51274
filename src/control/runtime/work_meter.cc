#include "control/runtime/work_meter.h"

#include <fmt/core.h>

#include "base/check.h"

namespace muster::control {

namespace {

using Series = std::map<std::pair<std::string, std::string>, prometheus::Histogram<12>>;

std::string group_in(std::string_view api_version) {
  return std::string(api_version.substr(0, api_version.find('/')));
}

std::string labels_of_kind(const std::pair<std::string, std::string>& kind) {
  return fmt::format(R"(group="{}",kind="{}")", kind.first, kind.second);
}

/// Conflicts are told apart: they happen whenever somebody else has written the object, and cost one more look.
std::string_view result_word(const Status& result) {
  if (result) return "ok";
  return result.error().reason == Reason::kConflict ? "conflict" : "error";
}

std::string_view phase_word(jobs::Phase phase) {
  switch (phase) {
    case jobs::Phase::kNew:
      return "New";
    case jobs::Phase::kPending:
      return "Pending";
    case jobs::Phase::kRunning:
      return "Running";
    case jobs::Phase::kPaused:
      return "Paused";
    case jobs::Phase::kResuming:
      return "Resuming";
    case jobs::Phase::kSucceeded:
      return "Succeeded";
    case jobs::Phase::kFailed:
      return "Failed";
  }
  CHECK(false);
}

void append_series(std::string& out, std::string_view name, std::string_view help, const Series& series,
                   const prometheus::Histogram<12>::Buckets& buckets) {
  prometheus::append_head(out, name, "histogram", help);
  for (const auto& [kind, histogram] : series) histogram.append(out, name, labels_of_kind(kind), buckets);
}

}  // namespace

void WorkMeter::reconciled(const std::string& api_version, const std::string& kind, Duration took,
                           const Status& result) {
  const Kind id{group_in(api_version), kind};
  ++reconciles_[{id, result_word(result)}];
  durations_[id].add(took, kWorkBuckets);
}

void WorkMeter::count(const KnownJob& job, int change) {
  jobs_[{job.kind, job.phase}] += change;
}

void WorkMeter::job_seen(std::string_view api_version, std::string_view kind, const std::string& job, jobs::Phase phase,
                         MonoTime now) {
  const auto [entry, is_new] = known_.try_emplace(job, KnownJob{{group_in(api_version), std::string(kind)}, phase});
  if (!is_new) count(entry->second, -1);
  entry->second.phase = phase;
  count(entry->second, 1);
  if (is_new && open_ && phase == jobs::Phase::kNew) births_[job] = {.seen = now};
  const auto birth = births_.find(job);
  if (birth == births_.end()) return;
  if (phase == jobs::Phase::kRunning) until_running_[entry->second.kind].add(now - birth->second.seen, kJobBuckets);
  if (phase == jobs::Phase::kRunning || jobs::is_finished(phase)) births_.erase(birth);
}

void WorkMeter::job_gone(const std::string& job) {
  births_.erase(job);
  const auto found = known_.find(job);
  if (found == known_.end()) return;
  count(found->second, -1);
  known_.erase(found);
}

void WorkMeter::pods_created(const std::string& job, MonoTime now) {
  const auto birth = births_.find(job);
  if (birth == births_.end() || std::exchange(birth->second.has_pods, true)) return;
  until_pods_[known_.at(job).kind].add(now - birth->second.seen, kJobBuckets);
}

void WorkMeter::append(std::string& out) const {
  prometheus::append_head(out, "muster_operator_jobs", "gauge", "Jobs by kind and state.");
  for (const auto& [key, number] : jobs_) {
    out += fmt::format("muster_operator_jobs{{{},state=\"{}\"}} {}\n", labels_of_kind(key.first),
                       phase_word(key.second), number);
  }
  prometheus::append_head(out, "muster_operator_reconciles_total", "counter",
                          "Looks at an object, by how applying the plan ended.");
  for (const auto& [key, number] : reconciles_) {
    out += fmt::format("muster_operator_reconciles_total{{{},result=\"{}\"}} {}\n", labels_of_kind(key.first),
                       key.second, number);
  }
  append_series(out, "muster_operator_reconcile_duration_seconds", "Time from a look to the end of its writes.",
                durations_, kWorkBuckets);
  append_series(out, "muster_operator_job_pods_created_seconds",
                "Time from when this process saw a new job until all of its pods existed.", until_pods_, kJobBuckets);
  append_series(out, "muster_operator_job_running_seconds",
                "Time from when this process saw a new job until it was Running.", until_running_, kJobBuckets);
}

}  // namespace muster::control
