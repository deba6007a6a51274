// notices decides what a target is still to be told about a job. It is pure: the job, what was sent and the time go in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "jobs/summary.h"
#include "json/document.h"
#include "notify/target.h"

namespace muster::notify {

/// What was not sent within this time is news no more.
inline constexpr Duration kNewsFor = std::chrono::hours(24);
/// A job that starts sooner than this after its creation has not waited.
inline constexpr Duration kWaited = std::chrono::minutes(1);

struct Notice {
  Occasion occasion = Occasion::kSuccess;
  std::string id;    // different from those of other notices about the job: "failure", "stall-2"
  std::string text;  // "mnist failed after 3m: ModuleNotFoundError: …"
};

/// A job as far as notices are concerned.
struct JobNews {
  std::string ns;
  std::string name;
  std::string kind;
  std::string uid;
  Time created = {};
  std::string values;  // those of its run in a sweep: "lr=0.1 seed=3"
  std::string sweep;
  json::Document annotations;
  jobs::Summary summary;
};
/// CHECKs that the object is a job.
JobNews news_of(const json::Document& object);

/// Returns what the job's annotation names: targets of the configuration, and "secret/NAME".
std::vector<std::string> named_targets(const json::Document& annotations);
/// Returns false when no target can be due, whatever the job is doing: a cheap check of all jobs.
bool concerns_anybody(const json::Document& annotations, const std::vector<Target>& targets);

/// Returns what the target is to be told now, if anything.
std::optional<Notice> due_notice(const JobNews& job, const Target& target, Time now);

/// The annotation of a job that records what a target was told, and its value with one more notice in it. The uid keeps
/// a copy of the job from looking as if it had been told.
std::string record_key(const std::string& target);
std::string record_with(const JobNews& job, const std::string& target, const std::string& id);
/// In the record, the id of a notice that was given up.
std::string given_up(const std::string& id);

}  // namespace muster::notify
