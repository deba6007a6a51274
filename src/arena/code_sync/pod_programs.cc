// What muster-git-sync and muster-git-askpass do.
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <stop_token>

#include "arena/code_sync/git_sync.h"
#include "base/fd.h"
#include "base/files.h"
#include "base/run_program.h"
#include "base/strings.h"
#include "base/thread.h"

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

std::string failure_text(const GitFetch& fetch, const std::vector<std::string>& command, const Result<ProgramEnd>& end,
                         const std::string& reason) {
  const std::string where = fmt::format("cannot fetch the code from {}", fetch.repository);
  if (!end && end.error().reason == Reason::kTimeout) {
    return fmt::format("{}: it took longer than {}; GIT_SYNC_TIMEOUT sets the seconds", where,
                       human_duration(fetch.limit));
  }
  if (!end) return fmt::format("{}: {}; is git installed?", where, end.error().message);
  const auto verb = std::ranges::find_if(command, [](const std::string& word) {
    return word == "clone" || word == "fetch" || word == "checkout" || word == "submodule";
  });
  return fmt::format("{}: git {} ended with exit code {}{}", where, verb == command.end() ? "" : *verb, end->exit_code,
                     reason.empty() ? "; its messages are in the log of this container" : ": " + reason);
}

/// While it lives, what programs write to standard error passes through without_passwords(): git shows the addresses of
/// submodules as they were written.
class CleanErrors {
 public:
  CleanErrors() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
    read_end_ = Fd(ends[0]);
    const Fd write_end(ends[1]);
    before_ = Fd(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
    ::dup2(write_end.get(), STDERR_FILENO);
    copier_ = start_thread("git errors", [this](const std::stop_token& stop) { copy(stop); });
  }
  ~CleanErrors() { end(); }
  CleanErrors(const CleanErrors&) = delete;
  CleanErrors& operator=(const CleanErrors&) = delete;

  /// Returns the end of what passed through.
  std::string end() {
    if (before_) ::dup2(before_.get(), STDERR_FILENO);
    if (copier_.joinable()) {
      copier_.request_stop();
      copier_.join();
    }
    return std::move(seen_);
  }

 private:
  /// A progress line ends with a carriage return. A process that git left behind may hold the pipe open, so the end is
  /// when nothing more comes after git has ended.
  void copy(const std::stop_token& stop) {
    constexpr std::size_t kLongestLine = 16384;
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
      constexpr int kLookMs = 20;
      pollfd waiting{.fd = read_end_.get(), .events = POLLIN, .revents = 0};
      const int ready = ::poll(&waiting, 1, kLookMs);
      if (ready == 0 && !stop.stop_requested()) continue;
      const ssize_t count = ready == 0 ? 0 : ::read(read_end_.get(), buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
      const bool is_whole = count <= 0 || text.size() > kLongestLine;
      const std::size_t end = is_whole ? text.size() : text.find_last_of("\r\n") + 1;
      const std::string clean = without_passwords(std::string_view(text).substr(0, end));
      if (!clean.empty() && ::write(before_.get(), clean.data(), clean.size()) < 0) return;
      constexpr std::size_t kMostKept = 65536;
      seen_ += clean;
      if (seen_.size() > kMostKept) seen_.erase(0, seen_.size() - kMostKept);
      text.erase(0, end);
      if (count <= 0) return;
    }
  }

  Fd read_end_;
  Fd before_;
  std::string seen_;  // written by the thread
  std::jthread copier_;
};

Status run_git(const GitFetch& fetch, const std::vector<std::string>& command) {
  CleanErrors clean;
  const auto end = run_program({.words = command, .env = fetch.variables, .limit = fetch.limit});
  if (end && end->succeeded()) return ok();
  return Error{.reason = Reason::kInternalError, .message = failure_text(fetch, command, end, reason_in(clean.end()))};
}

/// The folder belongs to its owner on the machine, and git trusts nobody's repositories but its own user's.
Status trust_local_repositories(const GitFetch& fetch) {
  if (!is_local_repository(fetch.repository)) return ok();
  return write_file_atomically(kGitConfigFile, "[safe]\n\tdirectory = *\n", 0644);
}

/// Returns the server that git asks for a repository, after its insteadOf.
Result<std::string> server_of(const GitFetch& fetch) {
  TRY_ASSIGN(const ProgramEnd end, run_program({.words = {"git", "ls-remote", "--get-url", "--", fetch.repository},
                                                .env = fetch.variables,
                                                .limit = fetch.limit}));
  return git_server(trim(end.output));
}

int git_sync_main(const std::vector<std::string>& /*args*/, const std::vector<std::string>& environment) {
  auto fetch = read_git_variables(environment);
  if (!fetch) return fail_sync(fetch.error().message);
  if (const Status trusted = trust_local_repositories(*fetch); !trusted) return fail_sync(trusted.error().message);
  const auto server = server_of(*fetch);
  if (!server) return fail_sync(fmt::format("{}; is git installed?", server.error().message));
  fetch->variables.push_back(fmt::format("{}={}", kGitServerVariable, *server));
  // What an earlier run of this container left is removed: git clones into an empty folder only.
  const std::string unfinished = fetch->folder + ".unfinished";
  std::error_code error;
  fs::remove_all(unfinished, error);
  fs::remove_all(fetch->folder, error);
  for (const std::vector<std::string>& command : git_commands(*fetch, unfinished)) {
    if (const Status done = run_git(*fetch, command); !done) return fail_sync(done.error().message);
  }
  fs::rename(unfinished, fetch->folder, error);
  if (error) return fail_sync(fmt::format("cannot rename {} to {}: {}", unfinished, fetch->folder, error.message()));
  fmt::print("fetched {} into {}\n", fetch->repository, fetch->folder);
  return 0;
}

/// git asks "Username for …" and "Password for …", also on behalf of submodules and redirects.
int git_askpass_main(const std::vector<std::string>& args, const std::vector<std::string>& environment) {
  const bool wants_user = !args.empty() && to_lower(args[0]).starts_with("username");
  const auto value = [&environment](std::string_view name) -> std::string {
    for (const std::string& entry : environment) {
      if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=')
        return entry.substr(name.size() + 1);
    }
    return "";
  };
  if (args.empty() || !may_answer(args[0], value(kGitServerVariable), value("GIT_SYNC_USERNAME"))) {
    fmt::print(stderr, "muster-git-askpass: no credentials for {}; they are for the server of the repository, {}\n",
               args.empty() ? "" : without_passwords(args[0]), value(kGitServerVariable));
    return 1;
  }
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
