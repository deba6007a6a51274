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

/// Set by muster-git-sync: the only server that muster-git-askpass answers for. A submodule or a redirect may lead to
/// another one.
inline constexpr const char* kGitServerVariable = "MUSTER_GIT_SERVER";

/// The configuration that muster-git-sync writes for a repository that is a folder: it belongs to whoever owns it on
/// the machine, and git refuses the repositories of others unless a file says that they are safe.
inline constexpr const char* kGitConfigVariable = "GIT_CONFIG_GLOBAL";
inline constexpr const char* kGitConfigFile = "/tmp/muster-git-config";

/// What to fetch and how, read from the variables of git-sync v3.
struct GitFetch {
  std::string repository;  // without user and password, so that they are in no argument, message or file
  std::string folder;      // absolute
  std::string branch;      // "": the one that the repository's HEAD names
  std::string revision;
  std::int64_t depth = 0;  // 0: the whole history
  enum class Submodules { kRecursive, kShallow, kOff } submodules = Submodules::kRecursive;
  Duration limit{};
  std::vector<std::string> variables;  // of git's environment, NAME=VALUE
};

/// The scheme, host and port of an http or https address, "https://host"; "" for any other address.
std::string git_server(std::string_view address);

/// Whether git may be given the credentials: its question, such as "Password for 'https://me@host': ", must name the
/// server and nobody but the user.
bool may_answer(std::string_view question, std::string_view server, std::string_view user);

/// Replaces the password of every address in the text.
std::string without_passwords(std::string_view text);

/// `environment` holds NAME=VALUE. Invalid names every variable that git-sync has and this program does not.
Result<GitFetch> read_git_variables(const std::vector<std::string>& environment);

/// Whether the repository is a folder of the pod, "/path" or "file:///path".
bool is_local_repository(std::string_view repository);

/// Returns what is wrong with a name that git must take as a branch, by the rules of git check-ref-format; "" when it
/// can be one.
std::string branch_problem(std::string_view name);

/// Returns the line in which git says why it failed, of all that it wrote to standard error; "" when there is none.
std::string reason_in(std::string_view errors);

/// Returns the git commands to run one after the other; they leave the working tree in `folder`.
std::vector<std::vector<std::string>> git_commands(const GitFetch& fetch, const std::string& folder);

/// Returns the program with this file name; null when it is none of these. It gets the arguments after its name and the
/// environment, and returns the exit code.
using PodProgram = int (*)(const std::vector<std::string>& args, const std::vector<std::string>& environment);
PodProgram find_pod_program(std::string_view name);
std::vector<std::string> pod_program_names();

}  // namespace muster::arena
