#include "arena/jobs/job_types.h"

#include <fmt/core.h>

#include "base/strings.h"

namespace muster::arena {

std::span<const JobType> job_types() {
  static const std::vector<JobType> types = {
      {.name = "tfjob",
       .framework = "Tensorflow",
       .shorthand = "tf",
       .kind = "TFJob",
       .plural = "tfjobs",
       .replica_specs = "tfReplicaSpecs",
       .container = "tensorflow",
       .chief_role = "chief",
       .chart = "0.32.0",
       .versions = {"v1"}},
      {.name = "mpijob",
       .framework = "MPI",
       .shorthand = "mpi",
       .kind = "MPIJob",
       .plural = "mpijobs",
       .replica_specs = "mpiReplicaSpecs",
       .container = "mpi",
       .chief_role = "launcher",
       .chart = "0.29.0",
       .versions = {"v1", "v2beta1"}},
      {.name = "pytorchjob",
       .framework = "Pytorch",
       .shorthand = "py",
       .kind = "PyTorchJob",
       .plural = "pytorchjobs",
       .replica_specs = "pytorchReplicaSpecs",
       .container = "pytorch",
       .chief_role = "master",
       .chart = "0.20.0",
       .versions = {"v1"}},
      {.name = "horovodjob",
       .framework = "Horovod",
       .shorthand = "horovod",
       .kind = "MPIJob",
       .plural = "mpijobs",
       .replica_specs = "mpiReplicaSpecs",
       .container = "mpi",
       .chief_role = "launcher",
       .chart = "0.29.0",
       .versions = {"v1", "v2beta1"}},
  };
  return types;
}

const JobType* find_type(std::string_view word) {
  const std::string lower = to_lower(word);
  for (const JobType& type : job_types()) {
    if (lower == type.name || lower == to_lower(type.framework) || lower == type.shorthand) return &type;
  }
  return nullptr;
}

std::string type_choices() {
  std::vector<std::string> out;
  for (const JobType& type : job_types()) out.push_back(fmt::format("{}({})", type.shorthand, type.framework));
  return join(out, ",");
}

std::string record_name(const std::string& job, const JobType& type) {
  return fmt::format("{}-{}", job, type.name);
}

}  // namespace muster::arena
