// A training job as Arena shows it, computed from its object and its pods. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arena/jobs/job_types.h"
#include "base/time.h"
#include "json/document.h"

namespace muster::arena {

/// One pod of a job.
struct Instance {
  std::string name;
  std::string phase;    // Pending, Running, Succeeded, Failed, Unknown
  std::string state;    // what kubectl prints: Running, Completed, Error, Init:0/1, …
  std::string ip;       // of the pod
  std::string node;     // name of the node; "" while it has none
  std::string node_ip;  // "" while it has none
  Time created;
  bool is_chief = false;
  std::int64_t requested_gpus = 0;
  bool holds_gpus = false;  // it was started and has not ended
};

struct Job {
  const JobType* type = nullptr;
  std::string uid;
  std::string name;
  std::string ns;
  std::string status;    // PENDING, QUEUING, RUNNING, SUCCEEDED, FAILED
  std::string priority;  // "N/A" when it has none
  Time created;
  std::optional<Time> started;
  std::optional<Time> ended;
  std::int64_t requested_gpus = 0;
  std::vector<Instance> instances;  // in the order of roles and indices, the chief first
  std::string message;              // why it waits or failed; "" when unknown

  const Instance* chief() const;
  bool is_finished() const { return status == "SUCCEEDED" || status == "FAILED"; }
  std::int64_t allocated_gpus() const;
  /// How long it has run: until its end, or until now.
  Duration duration(Time now) const;
};

inline constexpr const char* kGpu = "nvidia.com/gpu";
inline constexpr const char* kGpusAnnotation = "requestGPUsOfJobOwner";
inline constexpr const char* kTypeLabel = "app";
inline constexpr const char* kReleaseLabel = "release";

/// `pods` may contain those of other jobs.
Job job_of(const JobType& type, const json::Document& object, std::span<const json::Document> pods);
/// Returns the type of a job by its label; the first type of its kind for jobs that Arena did not submit.
const JobType& type_of_job(const json::Document& object, std::string_view kind);

/// Returns the limit on GPUs of a pod's containers together.
std::int64_t gpus_of(const json::Document& pod_spec);
/// Whether the status of the object has this condition, and it is true.
bool has_condition(const json::Document& object, std::string_view type);

/// The order of `arena list`: the newest first, jobs that have not started before all others.
bool starts_later(const Job& a, const Job& b);

}  // namespace muster::arena
