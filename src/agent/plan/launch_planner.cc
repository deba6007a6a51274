#include "agent/plan/launch_planner.h"

#include "agent/network/networks.h"
#include "base/files.h"
#include "linux/process.h"

namespace muster::agent {

LaunchInputs LaunchPlanner::inputs_of(const json::Document& pod) {
  LaunchInputs inputs;
  inputs.pod = &pod;
  inputs.facts = {.address = names_.address_of(pod),
                  .host_address = "127.0.0.1",
                  .node_cpus = machine_.cpus,
                  .node_memory = machine_.memory,
                  .may_change_user = machine_.is_root,
                  .most_locked = linux_os::most_locked_memory()};
  inputs.references = objects_.references_of(pod.string_at("metadata", "namespace"));
  inputs.resolver = read_file("/etc/resolv.conf").value_or("");
  inputs.has_own_network = has_own_network(options_.network, pod);
  return inputs;
}

Result<LaunchPlan> LaunchPlanner::plan(const json::Document& pod) {
  return plan_launch(inputs_of(pod), options_, paths_);
}

Readiness LaunchPlanner::readiness_of(const json::Document& pod) {
  using State = Readiness::State;
  const auto planned = plan(pod);
  if (planned) return {};
  if (planned.error().reason != Reason::kNotFound) return {State::kImpossible, "", "", planned.error().message};
  // An object that the pod refers to is missing; it starts when that object appears.
  if (!check_volumes(inputs_of(pod), options_, paths_))
    return {State::kWaits, "ContainerCreating", "FailedMount", planned.error().message};
  return {State::kWaits, "CreateContainerConfigError", "Failed", planned.error().message};
}

}  // namespace muster::agent
