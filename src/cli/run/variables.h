// The environment variables of a job of `muster run`.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/run/job.h"
#include "cli/run/run_from.h"
#include "cli/terminal/print_error.h"

namespace muster::cli {

/// Variables of the shell whose value names a file or folder that the script opens.
std::vector<std::pair<std::string, std::string>> path_variables(const RunFrom& from);

/// What a job takes from the shell unasked: PYTHONPATH, proxies, PIP_*, where Hugging Face and torch keep their files.
void add_shell_variables(JobOfScript& to, const RunFrom& from);
/// What torchrun tells a process besides its rank. All ranks are on one machine and see all GPUs of the job.
void add_local_ranks(JobOfScript& to, const RunFrom& from);

/// A value of -e or --secret: NAME=VALUE, or NAME for the value of the shell. `flag` is the name of the flag.
struct Variable {
  std::string name;
  std::string value;
  bool is_of_shell = false;
};
std::optional<Failure> read_variables(const std::vector<std::string>& given, const std::string& flag,
                                      const RunFrom& from, std::vector<Variable>& to);

/// Returns a text that a pod shows as it is: Kubernetes replaces $(NAME).
std::string as_it_is(const std::string& value);

}  // namespace muster::cli
