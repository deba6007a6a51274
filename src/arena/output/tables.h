// Arena's tables and blocks of text. Pure: objects in, text out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arena/jobs/jobs.h"

namespace muster::arena {

/// Classic is what Arena printed until v0.6, modern what it prints since v0.7.
enum class Layout { kClassic, kModern };

struct Viewer {
  Layout layout = Layout::kClassic;
  Time now;
  bool with_namespace = false;
  std::function<std::string(Time)> local_time = {};  // "2026-07-29 10:00:00"
};

std::string list_text(const std::vector<Job>& jobs, const Viewer& viewer);
/// Sorts the jobs by requested GPUs.
std::string top_jobs_text(std::vector<Job> jobs, const Viewer& viewer);

struct EventRow {
  std::string source;  // "pod/mnist-worker-0"
  std::string type;
  Time last;
  std::string message;  // "[Reason] text"
};

struct JobDetails {
  std::vector<EventRow> events = {};
  bool with_events = false;
  bool with_gpus = false;
  std::string tensorboard = {};  // a URL, or ""
  std::string explanation = {};  // why the job waits or failed
};
std::string job_text(const Job& job, const JobDetails& details, const Viewer& viewer);
/// `top job JOB`: what one job uses. An empty `instance` shows all.
std::string top_job_text(const Job& job, const std::string& instance, const Viewer& viewer);

struct NodePod {
  std::string ns;
  std::string name;
  std::string state;
  std::int64_t gpus = 0;
};
struct NodeUse {
  std::string name;
  std::string ip;
  std::vector<std::string> roles;
  bool is_ready = false;
  bool is_cordoned = false;
  std::int64_t total_gpus = 0;
  std::int64_t unhealthy_gpus = 0;
  std::vector<NodePod> pods;  // those that hold GPUs

  std::int64_t allocated_gpus() const;
};
/// `nodes` are Node objects, `pods` may contain those of other nodes and ended ones.
std::vector<NodeUse> node_use(const json::Array& nodes, const json::Array& pods);
/// The totals are omitted when the user named nodes.
std::string top_nodes_text(const std::vector<NodeUse>& nodes, bool with_totals, const Viewer& viewer);
std::string node_details_text(const std::vector<NodeUse>& nodes, const Viewer& viewer);
json::Document nodes_json(const std::vector<NodeUse>& nodes);

/// Shows the claims that are bound and not being deleted.
std::string data_text(const json::Array& claims, const Viewer& viewer);

/// The job as `-o json` and `-o yaml` show it.
json::Document job_json(const Job& job, const std::string& tensorboard, Time now);
/// Indented by four spaces, without a newline at the end, as Arena prints it.
std::string json_text(const json::Document& document);

}  // namespace muster::arena
