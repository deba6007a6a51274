// Curves without configuration: the event files that a job leaves in its claims (jobs/log_folders.h), found by a
// limited search. The jobs of a project share its claim, so only the files of the job's own pods count.
#pragma once

#include <string>
#include <vector>

#include "base/unique_function.h"
#include "client/api_client.h"
#include "jobs/progress.h"
#include "node/progress_source.h"

namespace muster::web {

struct FoundCurves {
  struct Folder {
    std::string claim;
    std::string path;
  };
  std::vector<Folder> folders;
  jobs::Progress progress;  // by the last values there
  bool is_complete = true;  // false: there was more to search than is searched
  node::EventOwner owner;   // which files in these folders are the job's
};

/// Calls `done` once, never inline. What cannot be read is left out. `client` and `source` outlive the search.
void find_curves(client::ApiClient& client, node::ProgressSource& source, const json::Document& job,
                 UniqueFunction<void(FoundCurves)> done);

/// Whether the job says itself where it logs.
bool names_its_logs(const json::Document& object);

}  // namespace muster::web
