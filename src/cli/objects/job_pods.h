// The pods of a job, for commands that take a job's name where others take a pod's.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cli/objects/find_job.h"

namespace muster::cli {

Result<std::vector<json::Document>> pods_of_job(Session& session, const Selected& job, const std::string& uid);

/// Returns the pod whose end decides about the job: the master, chief or launcher, else the first worker. Null when
/// there are no pods.
const json::Document* leading_pod(std::span<const json::Document> pods);

/// Returns the failure for a name that neither a pod nor a job has.
Failure no_pod_and_no_job(const Session& session, const std::string& name);

/// Returns the pod that a command line names by NAME or pod/NAME, else the leading pod of the job that it names by NAME
/// or TYPE/NAME.
std::variant<json::Document, Failure> find_pod_or_leader(Session& session, const std::string& ns,
                                                         const std::string& word);

}  // namespace muster::cli
