#include "control/job/model.h"

#include <algorithm>

#include "base/strings.h"

namespace muster::control {

int total_replicas(const Job& job) {
  int total = 0;
  for (const Role& role : job.roles) total += role.replicas;
  return total;
}

std::string replica_key(const Role& role, int index) {
  return to_lower(role.type) + "-" + std::to_string(index);
}

std::string pod_name(const Job& job, const Role& role, int index) {
  return job.pod_name_prefix + replica_key(role, index);
}

const api::Container* training_container(const Job& job, const api::PodSpec& spec) {
  for (const std::string& name : job.training_containers) {
    const auto found = std::ranges::find(spec.containers, name, &api::Container::name);
    if (found != spec.containers.end()) return &*found;
  }
  return spec.containers.empty() ? nullptr : &spec.containers.front();
}

bool is_finished(Phase phase) {
  return phase == Phase::kSucceeded || phase == Phase::kFailed;
}

}  // namespace muster::control
