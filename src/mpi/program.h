// What the programs inside the pods of an MPI job have in common. They are this binary under other names, which every
// pod has in /run/muster/bin: muster-mpirun in front of the launcher's command, muster-rsh for `plm_rsh_agent`, and
// muster-rank in front of each rank.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::mpi {

/// How a program was started.
struct Invocation {
  std::vector<std::string> args;         // without the program's own name
  std::vector<std::string> environment;  // NAME=VALUE
};

std::optional<std::string> variable(const Invocation& invocation, std::string_view name);
/// Returns the environment with the variable set.
std::vector<std::string> with_variable(std::vector<std::string> environment, std::string_view name,
                                       std::string_view value);
/// Returns the program's path as a shell would find it; absent when there is none.
std::optional<std::string> find_program(const std::string& name, const std::string& path);

/// A host of the hostfile and what it stands for.
struct HostPod {
  std::string pod;
  std::string container;
  bool operator==(const HostPod&) const = default;
};
/// Finds the host in lines of "HOST POD CONTAINER".
std::optional<HostPod> find_host(std::string_view lines, std::string_view host);

// ---- the programs ----

int launcher_main(const Invocation& invocation);
int rank_main(const Invocation& invocation);
int rsh_main(const Invocation& invocation);

using ProgramMain = int (*)(const Invocation& invocation);
/// Returns the program with this file name; null when it is none of these.
ProgramMain find_pod_program(std::string_view name);
std::vector<std::string> pod_program_names();

}  // namespace muster::mpi
