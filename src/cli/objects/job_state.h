// What the command line needs to know of a job of any kind: has it ended and how, which pods are its, how many there
// will be.
#pragma once

#include <span>
#include <string>

#include "json/document.h"

namespace muster::cli {

enum class JobEnd { kUnfinished, kSucceeded, kFailed };

/// By status.phase (TensorStack's kinds, pods) or by the conditions Succeeded, Completed, Complete and Failed.
JobEnd job_end(const json::Document& job);
/// "Running", "Succeeded", …: the phase, or the newest condition that is true; "Pending" when there is neither.
std::string job_phase(const json::Document& job);
/// The message of the condition that explains the phase; "" when there is none.
std::string job_message(const json::Document& job);

/// What the pod says about why it does not run, or how it failed; "" when nothing.
std::string pod_message(const json::Document& pod);
/// Why an object that should run does not yet, in one sentence: a pod's own message, or for a job the one of its
/// condition Running, else of the first of its pods that waits. "" when it runs or has ended, or nobody knows.
std::string waiting_cause(const json::Document& object, std::span<const json::Document> pods = {});

/// Whether the kind is one that makes pods we can find.
bool is_job_kind(const std::string& group);
/// Selects the pods of a job of that group.
std::string pod_selector(const std::string& group, const std::string& job_name);

/// Sum over all roles, as the spec has it.
std::int64_t replica_count(const json::Document& job);
/// "worker-0": by the pod's labels for role and index, else its name without the job's.
std::string replica_label(const json::Document& pod, const std::string& job_name);

}  // namespace muster::cli
