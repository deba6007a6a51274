// The programs that fetch code in the pods of Arena's jobs: this binary under other names, which every pod of the
// engine has in /run/muster/bin. muster-git-sync does what the image git-sync v3 does with GIT_SYNC_ONE_TIME: the
// engine runs it for containers of such images. muster-git-askpass gives git the credentials, so that they are in no
// argument, URL or file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace muster::arena {

inline constexpr const char* kGitSyncProgram = "/run/muster/bin/muster-git-sync";
/// Set by the engine from the section `git` of its configuration: schemes separated by colons.
inline constexpr const char* kAllowedSchemesVariable = "MUSTER_GIT_ALLOWED_SCHEMES";

/// What to fetch and how, read from the variables of git-sync v3.
struct GitFetch {
  std::string repository;
  std::string folder;  // absolute
  std::string branch;  // "": the one that the repository's HEAD names
  std::string revision;
  std::int64_t depth = 0;  // 0: the whole history
  enum class Submodules { kRecursive, kShallow, kOff } submodules = Submodules::kRecursive;
  Duration limit{};
  std::vector<std::string> variables;  // of git's environment, NAME=VALUE
};

/// `environment` holds NAME=VALUE. Invalid names every variable that git-sync has and this program does not.
Result<GitFetch> read_git_variables(const std::vector<std::string>& environment);

/// Returns the git commands to run one after the other; they leave the working tree in `folder`.
std::vector<std::vector<std::string>> git_commands(const GitFetch& fetch, const std::string& folder);

/// Returns the program with this file name; null when it is none of these. It gets the arguments after its name and the
/// environment, and returns the exit code.
using PodProgram = int (*)(const std::vector<std::string>& args, const std::vector<std::string>& environment);
PodProgram find_pod_program(std::string_view name);
std::vector<std::string> pod_program_names();

}  // namespace muster::arena
