// A file that is started as a program: whether this machine can start it, and what the first line of a script names.
#pragma once

#include <string>
#include <variant>

#include "cli/run/run_from.h"
#include "cli/terminal/print_error.h"

namespace muster::cli {

enum class ProgramForm { kBinary, kScript, kNeither };

struct ProgramFile {
  ProgramForm form = ProgramForm::kNeither;
  /// Of a script: the program that runs it, as a whole path: what `env` finds in PATH for `#!/usr/bin/env bash`.
  std::string interpreter = {};
};

/// Reads the beginning of a file. A failure for a script whose first line names nothing that can run it; `typed` is how
/// the user names it.
std::variant<ProgramFile, Failure> read_program_file(const std::string& path, const std::string& typed,
                                                     const RunFrom& from);

/// True for python, python3 and python3.12, also with folders before it.
bool is_python_name(const std::string& program);

}  // namespace muster::cli
