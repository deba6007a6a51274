// The Python and the program of a job of `muster run`, as this machine has them.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/run/folders.h"
#include "cli/run/job.h"
#include "cli/run/run_from.h"
#include "cli/run/words.h"
#include "python/choose.h"

namespace muster::cli {

struct RunPrograms {
  std::optional<python::Choice> python = {};
  std::string text = {};            // how the user is told of the Python; "": there is none
  std::string program_folder = {};  // of a program that only the user's PATH has
};

/// Chooses the Python and puts it into the command. `python` and `image` are the flags.
std::variant<RunPrograms, Failure> find_run_programs(RunCommand& command, const std::string& python,
                                                     const std::string& image, const RunFrom& from);

/// Shows them to the job, where they lie on this machine.
void add_programs(const RunPrograms& programs, const RunFrom& from, JobOfScript& to, JobFolders& folders);

}  // namespace muster::cli
