// What decide remembers about a job of kubeflow.org on a cluster: restarts, attempts and what else has status fields of
// ours. Kubeflow's own CRDs prune these fields, so there they are the message of a condition, which no CRD prunes. It
// is part of the one write of the status, so a crash can never separate an outcome from what was counted for it.
#pragma once

#include <span>
#include <string_view>

#include "api/kubeflow/kubeflow_v1.h"

namespace muster::jobs {

inline constexpr const char* kKeptState = "MusterState";

/// Moves the fields to the condition, which is absent while all of them have their defaults. Drops those that a cluster
/// does not need: ports are the manifest's there, and nothing decides by the generation.
void keep_state(api::KubeflowJobStatus& status, Time now);
/// Reads the fields from the condition, unless the status has them. Removes the condition.
void restore_state(api::KubeflowJobStatus& status);
/// Returns the names of the status fields that are never written on a cluster: those that move, and those dropped.
std::span<const std::string_view> fields_in_kept_state();
/// Returns whether a condition of a job is a message to people: the one that keeps state is not.
bool is_for_people(const json::Document& condition);

}  // namespace muster::jobs
