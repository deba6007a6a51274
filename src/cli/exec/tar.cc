#include "cli/exec/tar.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

extern char** environ;

namespace muster::cli {
namespace {

constexpr char kDelimiter = '\x01';  // no sensible file name has it

std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

int exit_code_of(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::vector<std::string> tar_rename(std::string_view base, std::string_view name) {
  if (base == name) return {};
  // Names and hard links are renamed, the targets of symbolic links stay.
  std::string rule = "--transform=flags=rh;s";
  rule += kDelimiter;
  rule += '^' + escaped(base, R"(\.[]*^$)") + kDelimiter + escaped(name, R"(\&)") + kDelimiter;
  return {rule};
}

Result<LocalTar> LocalTar::start(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno_error("tar: make a pipe", errno);
  Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, write_end.get(), STDOUT_FILENO);
  std::vector<std::string> all = words;
  all.insert(all.begin(), "tar");
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  const int failure = ::posix_spawnp(&pid, "tar", &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) return errno_error("run tar on this machine", failure);
  return LocalTar(pid, std::move(read_end));
}

LocalTar::~LocalTar() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  exit_code_of(pid_);
}

int LocalTar::finish() {
  pipe_.reset();
  return exit_code_of(std::exchange(pid_, -1));
}

}  // namespace muster::cli
