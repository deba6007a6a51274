#include "mpi/program.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace muster::mpi {

std::optional<std::string> variable(const Invocation& invocation, std::string_view name) {
  for (const std::string& entry : invocation.environment) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

std::vector<std::string> with_variable(std::vector<std::string> environment, std::string_view name,
                                       std::string_view value) {
  const std::string prefix = std::string(name) + "=";
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(prefix); });
  environment.push_back(prefix + std::string(value));
  return environment;
}

std::optional<std::string> find_program(const std::string& name, const std::string& path) {
  if (name.find('/') != std::string::npos) {
    return ::access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
  }
  for (const std::string& folder : split(path, ':')) {
    std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

std::optional<HostPod> find_host(std::string_view lines, std::string_view host) {
  for (const std::string& line : split(lines, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() == 3 && words[0] == host) return HostPod{.pod = words[1], .container = words[2]};
  }
  return std::nullopt;
}

namespace {

struct PodProgram {
  const char* name;
  ProgramMain main;
};
constexpr std::array kPodPrograms = {PodProgram{"muster-mpirun", launcher_main}, PodProgram{"muster-rank", rank_main},
                                     PodProgram{"muster-rsh", rsh_main}};

}  // namespace

ProgramMain find_pod_program(std::string_view name) {
  const auto found = std::ranges::find(kPodPrograms, name, &PodProgram::name);
  return found == kPodPrograms.end() ? nullptr : found->main;
}

std::vector<std::string> pod_program_names() {
  std::vector<std::string> names;
  for (const PodProgram& program : kPodPrograms) names.emplace_back(program.name);
  return names;
}

}  // namespace muster::mpi
