#include "python/torchrun.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/find_program.h"
#include "base/result.h"
#include "base/strings.h"

namespace muster::python {
namespace {

constexpr int kNotFound = 127;

int fail(const std::string& message) {
  fmt::print(stderr, "torchrun: {}\n", message);
  return kNotFound;
}

}  // namespace

std::vector<std::string> torchrun_command(const std::vector<std::string>& args, const std::string& path) {
  std::string python = find_program("python", path);
  if (python.empty()) python = find_program("python3", path);
  if (python.empty()) return {};
  std::vector<std::string> command{python, "-m", "torch.distributed.run"};
  command.insert(command.end(), args.begin(), args.end());
  return command;
}

int torchrun_main(const std::vector<std::string>& args, const std::vector<std::string>& environment) {
  static constexpr std::string_view kPath = "PATH=";
  const auto path =
      std::ranges::find_if(environment, [](const std::string& entry) { return entry.starts_with(kPath); });
  const std::vector<std::string> command =
      torchrun_command(args, path == environment.end() ? "" : path->substr(kPath.size()));
  if (command.empty()) return fail("there is no python in PATH");
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execv(words[0], words.data());
  return fail(errno_error("start " + quote(command[0]), errno).message);
}

}  // namespace muster::python
