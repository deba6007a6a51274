// The kinds of training jobs that Arena submits and shows, and how each is spelled in its commands and in the API.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::arena {

struct JobType {
  std::string_view name;       // "pytorchjob": what `submit` takes and the label `app` holds
  std::string_view framework;  // "Pytorch"
  std::string_view shorthand;  // "py"
  std::string_view kind;       // "PyTorchJob"
  std::string_view plural;
  std::string_view replica_specs;          // the member of spec with the roles
  std::string_view container;              // the name of the container that the operators look for
  std::string_view chief_role;             // the replica-type of the pod whose log is shown
  std::string_view chart;                  // what Arena records about the chart it rendered
  std::vector<std::string_view> versions;  // of kubeflow.org, the first choice first
};

/// The types in the order of Arena's help. Horovod jobs are MPIJobs with a label of their own.
std::span<const JobType> job_types();
inline constexpr std::string_view kJobGroup = "kubeflow.org";

/// Accepts the name, the framework or the shorthand of a type in any case; null for other words.
const JobType* find_type(std::string_view word);
/// "tf(Tensorflow),mpi(MPI),…"
std::string type_choices();

/// The ConfigMap in which Arena records a job: its flags, and the objects that belong to it.
std::string record_name(const std::string& job, const JobType& type);

}  // namespace muster::arena
