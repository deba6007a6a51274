// The sections of `describe`, as text made from Documents alone.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "json/document.h"

namespace muster::cli {

struct Viewer {
  Time now;
  std::size_t width = 0;  // of the terminal; 0 is any
};

/// Name, namespace, labels, annotations, age, owner, phase, conditions. `cause` is why it does not run, when that is
/// known better than from the object itself.
std::string describe_head(const json::Document& object, const std::string& cause, const Viewer& viewer);
/// A job's pods: role, phase, restarts, how they ended, why they wait.
std::string describe_replicas(std::vector<json::Document> pods, const std::string& job_name, const Viewer& viewer);
/// A pod's containers: what runs and how it is.
std::string describe_containers(const json::Document& pod, const Viewer& viewer);
/// Spec and what else the object has, as YAML. The values of a Secret are given by their size only.
std::string describe_body(const json::Document& object, const std::string& kind);
std::string describe_events(std::vector<json::Document> events, const Viewer& viewer);

/// "Running", "Terminated: Error (exit code 1)", "Waiting: ContainerCreating".
std::string container_state(const json::Document& container_status);

}  // namespace muster::cli
