// A job that `muster run` has created: what it sees of this machine, read from the object.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/connect/session.h"
#include "cli/run/job.h"
#include "cli/run/objects.h"
#include "cli/run/run_from.h"
#include "json/document.h"

namespace muster::cli {

struct RanJob {
  std::string working_dir;
  std::string program;                 // the first word of its command
  std::string image;                   // "host": none
  std::string path;                    // its PATH, where it has one of its own
  std::vector<MountedFolder> folders;  // the project first; without the home that the engine keeps
};

/// nullopt for other jobs.
std::optional<RanJob> read_ran_job(const json::Document& job);

/// Lines about the failure of a job: the file that it did not see, the module that its Python lacks. None for a job of
/// another machine or one that `muster run` has not created.
std::vector<std::string> hints_about_job(Session& session, const json::Document& job);

/// Mounts the folders that new arguments name into the job, which is created afterwards, and says so. `claims` makes
/// what is needed, and takes it back on request.
Status show_folders_of(const std::vector<std::string>& arguments, Session& session, RunObjects& claims,
                       json::Document& job);

}  // namespace muster::cli
