// Finds the pods that a job has had: the API knows those that exist, and the node those of the past.
#pragma once

#include <string>
#include <vector>

#include "api/resource.h"
#include "client/api_client.h"
#include "jobs/history.h"
#include "node/pod_history.h"

namespace muster::web {

struct JobPodsQuery {
  const api::Resource* kind = nullptr;
  std::string ns;
  std::string name;
  std::string uid = {};  // "": of the job that exists, else of the last one that had the name
};

struct FoundJobPods {
  json::Document job;  // null: it is deleted
  jobs::JobPods known;
};

/// Puts together what the API (a job or null, a list of pods) and the node know. Pure. NotFound when neither knows a
/// job of this name and uid.
Result<FoundJobPods> assemble_job_pods(const JobPodsQuery& query, json::Document job, const json::Document& pod_list,
                                       node::PastPods past);

/// Asks the API and then the node, which may be null. `done` is called once, never inline.
void find_job_pods(client::ApiClient& client, node::PodHistory* history, JobPodsQuery query,
                   UniqueFunction<void(Result<FoundJobPods>)> done);

}  // namespace muster::web
