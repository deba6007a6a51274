// The job kinds: each is an adapter between its documents and the one job model. A new kind is a new entry here.
#pragma once

#include <span>
#include <string_view>

#include "base/clamped_seconds.h"
#include "base/result.h"
#include "control/job/model.h"
#include "control/where.h"
#include "json/document.h"

namespace muster::control {

struct Kind {
  std::string_view api_version;
  std::string_view kind;
  /// The object as the model has it. Invalid, in the words of admission, when the object could not have been admitted:
  /// on a cluster there is no webhook, and what the schema lets through is checked here.
  Result<Job> (*normalise)(const json::Document& object, Where where);
  /// The model's view of the status the object carries.
  JobStatus (*read_status)(const json::Document& object);
  /// The whole `status` member that says `status` in the kind's words, given what the object carries now. Gives the
  /// same document back when nothing changed: times move only with what they belong to.
  json::Document (*project)(const JobStatus& status, const json::Document& object, Time now);
};

std::span<const Kind> job_kinds();
const Kind* find_job_kind(std::string_view api_version, std::string_view kind);

// ---- shared by the adapters ----

/// The object with defaults set, or every problem it has.
Result<json::Document> checked(const json::Document& object, std::string_view api_version, std::string_view kind);
RestartPolicy restart_policy_from(std::string_view name, RestartPolicy fallback);
/// Sets identity and everything else that is read from metadata.
void set_identity(const json::Document& object, Job& job);
/// The deadline and the time to live, which every kind's policy has under the same names.
template <typename Policy>
void read_limits(const Policy& from, RunPolicy& to) {
  if (from.active_deadline_seconds) to.active_deadline = clamped_seconds(*from.active_deadline_seconds);
  if (from.ttl_seconds_after_finished) to.ttl_after_finished = std::chrono::seconds(*from.ttl_seconds_after_finished);
}
/// Warns where a template sets variables that the launch sets itself.
void note_reserved_variables(Job& job);

}  // namespace muster::control
