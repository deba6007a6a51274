// What helps after a job of `muster run` has failed: the module that a Python lacks, the file that the job did not see.
#pragma once

#include <string>
#include <vector>

#include "cli/run/folders.h"
#include "cli/run/programs.h"

namespace muster::cli {

/// Lines about the message of a failed job, without line ends. Most failures have none.
std::vector<std::string> hints_about(const std::string& message, const RunPrograms& programs, const JobFolders& folders,
                                     const SafeFolders& safe, const RunFrom& from);

}  // namespace muster::cli
