// What the job kinds of kubeflow.org have in common: run policy, roles, labels, events, and a status whose last
// condition is the job's state.
#pragma once

#include <initializer_list>
#include <map>
#include <string>

#include "api/kubeflow/kubeflow_v1.h"
#include "jobs/kinds/adapter.h"

namespace muster::jobs {

void set_kubeflow_run_policy(const api::KubeflowRunPolicy& policy, Where where, Job& job);
/// Adds the roles that the manifest contains, in the given order, which is the order of the ranks.
void add_kubeflow_roles(const std::map<std::string, api::KubeflowReplicaSpec>& specs,
                        std::initializer_list<const char*> order, Job& job);
/// Follows minAvailable and priorityClass, and warns about what has no effect; the queue is the PodGroup's. Needs the
/// roles.
void follow_scheduling_policy(const api::KubeflowRunPolicy& run_policy, Job& job);
/// Sets names, labels and services of the children; the container port of this name is the job's port.
void set_kubeflow_children(const std::string& port_name, Job& job);
/// Returns reasons composed of the kind's name and the condition; all failures have the same reason.
EventReasons kubeflow_events(const std::string& kind);

JobStatus read_kubeflow_status(const json::Document& object);
json::Document project_kubeflow_status(const JobStatus& status, const json::Document& object, Where where, Time now);

}  // namespace muster::jobs
