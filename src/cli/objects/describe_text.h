// Formats the sections of `describe`. Pure functions of the Documents.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "jobs/history.h"
#include "json/document.h"

namespace muster::cli {

struct Viewer {
  Time now;
  std::size_t width = 0;                // of the terminal; 0: unlimited
  std::vector<std::string> notes = {};  // of the client, about the message
  std::string told = {};  // what the head says as the object's message: the sections below do not repeat it
};

/// Returns what the head shows as the object's message: `cause`, which is why it does not run, if there is a better
/// explanation than in the object itself.
std::string head_message(const json::Document& object, const std::string& cause);

/// Shows name, namespace, phase, message, labels, annotations, age, owner and conditions.
std::string describe_head(const json::Document& object, const Viewer& viewer);
/// Shows a job's pods: role, phase, restarts, how they ended, why they wait and the last lines that they wrote.
std::string describe_replicas(std::vector<jobs::JobPod> pods, const std::string& job_name, const Viewer& viewer);
/// Shows what is kept of a job that is deleted.
std::string describe_deleted_job(const std::string& kind, const std::string& api_version, const jobs::JobPods& job,
                                 const Viewer& viewer);
/// Shows a pod's containers with their images and states.
std::string describe_containers(const json::Document& pod, const Viewer& viewer);
/// Shows the spec and the object's other members as YAML. For the values of a Secret, only their sizes are shown.
std::string describe_body(const json::Document& object, const std::string& kind);
std::string describe_events(std::vector<json::Document> events, const Viewer& viewer);

/// "Running", "Terminated: Error (exit code 1)", "Waiting: ContainerCreating".
std::string container_state(const json::Document& container_status);

}  // namespace muster::cli
