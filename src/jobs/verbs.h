// What people do to a job, as the requests it stands for: the CLI, `arena`, the console and kubectl send the same.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "json/document.h"

namespace muster::jobs {

enum class Verb { kPause, kResume, kStop, kScale };

/// A merge patch of the job, or of one of its subresources.
struct JobPatch {
  std::string subresource = {};
  json::Document body;
};

/// What a verb comes to: "paused" after a patch, "is already paused" without one.
struct VerbPlan {
  std::optional<JobPatch> patch;
  std::string outcome;
};

/// Why a verb cannot be carried out, and what to do instead.
struct Refusal {
  std::string what;
  std::string why;
  std::string fix;
};

using VerbResult = std::variant<VerbPlan, Refusal>;

/// `replicas` is for kScale alone. CHECKs that the object is a job.
VerbResult plan_verb(Verb verb, const json::Document& object, std::int64_t replicas = 0);

/// Returns the job as a new one: what its author wrote, without what the server and tools have added, not paused and
/// not stopped.
json::Document fresh_copy(const json::Document& object, const std::string& name);
/// Returns the names of the Secrets that the job refers to: those of its variables, volumes and notifications.
std::vector<std::string> secrets_named_in(const json::Document& object);
/// Returns the job as an owner of other objects.
json::Document owner_reference(const json::Document& object);
/// Returns the name of a new run: "mnist" gives "mnist-2", "mnist-2" gives "mnist-3".
std::string next_name(const std::string& name);

}  // namespace muster::jobs
