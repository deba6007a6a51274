// What the MPI kinds have in common. Workers only wait. When all of them are up, the launcher starts mpirun, which
// starts a daemon in each worker through muster-rsh, and the daemons start the ranks. No sshd and no keys are needed.
#pragma once

#include <string>
#include <vector>

#include "jobs/kinds/adapter.h"

namespace muster::jobs {

/// How the hostfile of an MPI is written, and how it starts remote processes.
enum class MpiDialect { kOpenMpi, kHydra };  // Hydra: Intel MPI and MPICH

/// A pod in which ranks run.
struct MpiHost {
  std::string name;  // in the hostfile
  std::string pod;
  std::string container;
};

struct MpiSetup {
  Where where = Where::kEngine;
  MpiDialect dialect = MpiDialect::kOpenMpi;
  std::string config_map;      // the name of the object with the list of hosts
  std::vector<MpiHost> hosts;  // in rank order
  int slots = 1;               // ranks per host
};

/// Returns the command line that runs `command` as the launcher; `home` is the folder of the MPI, or "".
std::vector<std::string> launcher_command(const std::string& home, std::vector<std::string> command);
/// Gives the launcher the list of hosts and the settings of its MPI.
void set_launcher(const MpiSetup& setup, api::PodSpec& spec, api::Container& launcher);
/// Makes the worker wait until the daemon of the MPI is started in it.
void set_worker(api::Container& worker);
/// Returns the object that the launcher mounts.
json::Document mpi_config_map(const MpiSetup& setup);

/// Returns the container in which the program of the role runs; the role must have one.
api::Container& program_container(const Job& job, api::PodSpec& spec);

}  // namespace muster::jobs
