// What the job kinds of batch.tensorstack.dev have in common: run policy, run modes, names, labels, events, and a
// status of phase, conditions, tasks and their aggregate.
#pragma once

#include "api/tensorstack/tensorstack_jobs_v1beta1.h"
#include "api/tensorstack/tensorstack_v1beta1.h"
#include "jobs/kinds/adapter.h"

namespace muster::jobs {

inline constexpr std::string_view kTensorStackVersion = "batch.tensorstack.dev/v1beta1";

CleanUp tensorstack_clean_up(std::string_view name);
void set_tensorstack_run_policy(const api::TrainingRunPolicy& policy, Job& job);
/// For kinds with a launcher, whose pod is always kept.
void set_launcher_run_policy(const api::LauncherRunPolicy& policy, Job& job);
/// Adds the roles in the order of the list.
void add_tensorstack_roles(const std::vector<api::TrainingReplicaSpec>& specs, Job& job);
void set_tensorstack_run_mode(const api::RunMode& mode, Job& job);
/// Sets the names and labels of the children and, where each pod has its own address, the services for those names.
void set_tensorstack_children(Where where, Job& job);
/// Adds the TensorBoard that the job asks for to its objects. Call it after set_tensorstack_children.
void set_tensorboard(const std::optional<api::TensorBoardSpec>& spec, Job& job);
EventReasons tensorstack_events();
/// Adds a warning if the job's single rule of success waits for a replica that is always started again.
void note_endless_decider(Job& job);

JobStatus read_tensorstack_status(const json::Document& object);
json::Document project_tensorstack_status(const JobStatus& status, const json::Document& object, Where where, Time now);

}  // namespace muster::jobs
