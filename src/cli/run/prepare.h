// What the flags and words of `muster run` come to, before anything is created, and the creation.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/run/flags.h"
#include "cli/run/folders.h"
#include "cli/run/job.h"
#include "cli/run/objects.h"
#include "cli/run/programs.h"
#include "cli/run/variables.h"
#include "cli/run/words.h"

namespace muster::cli {

struct PreparedRun {
  RunCommand command = {};
  RunShape shape = {};
  RunPrograms programs = {};
  std::optional<JobFolders> folders = {};
  JobOfScript job = {};
  std::vector<Variable> secrets = {};
  std::vector<std::string> notify = {};  // as the flag has it
};

/// Looks at everything that can be wrong before anything is created. `more_words` are words that jobs get besides
/// `words`: also the folders that they name are shown.
std::variant<PreparedRun, Failure> prepare_run(const RunFrom& from, const SafeFolders& safe, const RunFlags& flags,
                                               const std::vector<std::string>& words,
                                               const std::vector<std::string>& more_words = {});

/// Creates the job with all that it needs. A job that is refused leaves nothing behind.
Result<json::Document> create_run(Session& session, PreparedRun& prepared);

}  // namespace muster::cli
