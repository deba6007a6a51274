// The pods of a job, for commands that take a job's name where others take a pod's.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cli/jobs/find_job.h"
#include "jobs/summary.h"

namespace muster::cli {

Result<std::vector<json::Document>> pods_of_job(Session& session, const Selected& job, const std::string& uid);

/// Returns the pod whose end decides about the job. Where it does not exist, or another operator named it, returns the
/// first one in rank order; null when there are no pods.
const json::Document* deciding_pod(const jobs::Summary& job, std::span<const json::Document> pods);

/// Returns the failure for a name that neither a pod nor a job has.
Failure no_pod_and_no_job(const Session& session, const std::string& name);

/// Returns the pod that a command line names by NAME or pod/NAME, else the deciding pod of the job that it names by
/// NAME or TYPE/NAME.
std::variant<json::Document, Failure> find_pod_or_decider(Session& session, const std::string& ns,
                                                          const std::string& word);

}  // namespace muster::cli
