// What muster-git-sync and muster-git-askpass do.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include "arena/code_sync/git_sync.h"
#include "base/files.h"
#include "base/run_program.h"
#include "base/strings.h"

namespace muster::arena {

namespace {

namespace fs = std::filesystem;

/// The message becomes the container's status, so that `arena get -e` shows it.
int fail_sync(const std::string& message) {
  fmt::print(stderr, "error: {}\n", message);
  if (std::FILE* file = std::fopen("/dev/termination-log", "w")) {
    std::fputs(message.c_str(), file);
    std::fclose(file);
  }
  return 1;
}

std::string failure_text(const GitFetch& fetch, const std::vector<std::string>& command,
                         const Result<ProgramEnd>& end) {
  const std::string where = fmt::format("cannot fetch the code from {}", fetch.repository);
  if (!end && end.error().reason == Reason::kTimeout) {
    return fmt::format("{}: it took longer than {}; GIT_SYNC_TIMEOUT sets the seconds", where,
                       human_duration(fetch.limit));
  }
  if (!end) return fmt::format("{}: {}; is git installed?", where, end.error().message);
  const auto verb = std::ranges::find_if(command, [](const std::string& word) {
    return word == "clone" || word == "fetch" || word == "checkout" || word == "submodule";
  });
  return fmt::format("{}: git {} ended with exit code {}; its messages are in the log of this container", where,
                     verb == command.end() ? "" : *verb, end->exit_code);
}

int git_sync_main(const std::vector<std::string>& /*args*/, const std::vector<std::string>& environment) {
  const auto fetch = read_git_variables(environment);
  if (!fetch) return fail_sync(fetch.error().message);
  // What an earlier run of this container left is removed: git clones into an empty folder only.
  const std::string unfinished = fetch->folder + ".unfinished";
  std::error_code error;
  fs::remove_all(unfinished, error);
  fs::remove_all(fetch->folder, error);
  for (const std::vector<std::string>& command : git_commands(*fetch, unfinished)) {
    const auto end = run_program({.words = command, .env = fetch->variables, .limit = fetch->limit});
    if (!end || !end->succeeded()) return fail_sync(failure_text(*fetch, command, end));
  }
  fs::rename(unfinished, fetch->folder, error);
  if (error) return fail_sync(fmt::format("cannot rename {} to {}: {}", unfinished, fetch->folder, error.message()));
  fmt::print("fetched {} into {}\n", fetch->repository, fetch->folder);
  return 0;
}

/// git asks "Username for …" and "Password for …".
int git_askpass_main(const std::vector<std::string>& args, const std::vector<std::string>& environment) {
  const bool wants_user = !args.empty() && to_lower(args[0]).starts_with("username");
  const auto value = [&environment](std::string_view name) -> std::string {
    for (const std::string& entry : environment) {
      if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=')
        return entry.substr(name.size() + 1);
    }
    return "";
  };
  std::string answer = value(wants_user ? "GIT_SYNC_USERNAME" : "GIT_SYNC_PASSWORD");
  if (!wants_user && answer.empty() && !value("GIT_SYNC_PASSWORD_FILE").empty()) {
    if (const auto text = read_file(value("GIT_SYNC_PASSWORD_FILE"))) answer = trim(*text);
  }
  if (answer.empty()) return 1;
  fmt::print("{}\n", answer);
  return 0;
}

struct NamedProgram {
  std::string_view name;
  PodProgram main;
};
constexpr std::array kPodPrograms = {NamedProgram{"muster-git-sync", git_sync_main},
                                     NamedProgram{"muster-git-askpass", git_askpass_main}};

}  // namespace

PodProgram find_pod_program(std::string_view name) {
  const auto found = std::ranges::find(kPodPrograms, name, &NamedProgram::name);
  return found == kPodPrograms.end() ? nullptr : found->main;
}

std::vector<std::string> pod_program_names() {
  std::vector<std::string> names;
  for (const NamedProgram& program : kPodPrograms) names.emplace_back(program.name);
  return names;
}

}  // namespace muster::arena
