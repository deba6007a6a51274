// The pods of a job: how they are found, and which replica each of them is. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/resource.h"
#include "json/document.h"

namespace muster::jobs {

/// Whether objects of this group are jobs: its kinds label the pods they create.
bool is_job_group(std::string_view group);
/// Returns the label selector for the pods of a job of that group.
std::string pod_selector(std::string_view group, const std::string& job_name);

/// Returns a label such as "worker-0", from the pod's labels for role and index, else its name without the job's.
std::string replica_label(const json::Document& pod, const std::string& job_name);
/// The role of the pod in lower case, and its place among the pods of this role.
struct ReplicaPlace {
  std::string role;
  std::int64_t index = 0;
  auto operator<=>(const ReplicaPlace&) const = default;
};
/// Also reads the labels of other operators; the role is "" for a pod without any.
ReplicaPlace replica_place(const json::Document& pod);

}  // namespace muster::jobs
