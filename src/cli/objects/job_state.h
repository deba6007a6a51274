// What the command line needs to know about a job of any kind: whether and how it has ended, which pods it has, how
// many replicas it wants and how often they were restarted.
#pragma once

#include <span>
#include <string>

#include "json/document.h"

namespace muster::cli {

enum class JobEnd { kUnfinished, kSucceeded, kFailed };

/// Reads status.phase (TensorStack's kinds, pods) or the conditions Succeeded, Completed, Complete and Failed.
JobEnd job_end(const json::Document& job);
/// Returns the phase ("Running", "Succeeded", …) or the newest true condition; "Pending" when there is neither.
std::string job_phase(const json::Document& job);
/// Returns the message of the condition that explains the phase; "" when there is none.
std::string job_message(const json::Document& job);

/// Returns why a container waits, or what it left at its end, which may be the last lines of its log.
std::string container_message(const json::Document& container_status);
/// Returns the pod's message about why it does not run or how it failed; "" when there is none.
std::string pod_message(const json::Document& pod);
/// Returns why an object is not running yet: a pod's own message or, for a job, the message of its condition Running,
/// else that of its first pending pod. "" when the object runs or has ended, or when the cause is unknown.
std::string waiting_cause(const json::Document& object, std::span<const json::Document> pods = {});

/// Whether the group has kinds that label the pods they create.
bool is_job_kind(const std::string& group);
/// Returns the label selector for the pods of a job of that group.
std::string pod_selector(const std::string& group, const std::string& job_name);

/// Returns the sum of the replicas of all roles in the spec.
std::int64_t replica_count(const json::Document& job);
/// Returns how many restarts count against the job's limit.
std::int64_t restart_count(const json::Document& job);
/// Returns a label such as "worker-0", from the pod's labels for role and index, else its name without the job's.
std::string replica_label(const json::Document& pod, const std::string& job_name);

}  // namespace muster::cli
