// Finds jobs by name alone: users type `mnist`, and all job kinds are searched for it.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/objects/selection.h"

namespace muster::cli {

struct FoundJob {
  Selected job;
  json::Document object;
};

/// The order of lists of jobs: the newest first.
bool newest_first(const FoundJob& a, const FoundJob& b);

/// Returns the jobs of all kinds that the server has, the newest first. An empty `ns` lists all namespaces.
Result<std::vector<FoundJob>> list_jobs(Session& session, const std::string& ns, const client::ListOptions& options);

/// Returns the jobs of this name, of all kinds that the server has, in the session's namespace.
Result<std::vector<FoundJob>> jobs_named(Session& session, const std::string& name);

/// Returns the job that the words name: NAME, TYPE/NAME or TYPE NAME. `usage` is the fix to show when they name none.
std::variant<FoundJob, Failure> find_job(Session& session, const std::vector<std::string>& words,
                                         const std::string& usage);

/// The same for one or more jobs: NAME…, TYPE NAME… or TYPE/NAME…
std::variant<std::vector<FoundJob>, Failure> find_jobs(Session& session, const std::vector<std::string>& words,
                                                       const std::string& usage);

/// Returns the failure for a name that no job has, with the name that may have been meant.
Failure no_such_job(Session& session, const std::string& name);
/// Returns the failure for a name that several jobs of different kinds have.
Failure several_jobs(const std::vector<FoundJob>& jobs);

}  // namespace muster::cli
