#include "cli/jobs/job_history.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"
#include "base/strings.h"
#include "cli/jobs/job_pods.h"
#include "client/logs/log_target.h"

namespace muster::cli {

namespace {

std::string history_path(const Selected& job) {
  const std::string group = job.kind.resource.group.empty() ? "" : "." + job.kind.resource.group;
  return client::path_of({{"muster.dev", "v1", "jobs"}, job.ns, job.kind.resource.plural + group, job.name}) + "/pods";
}

jobs::JobPods of_pods_that_exist(std::vector<json::Document> pods, const std::string& uid) {
  jobs::JobPods out{.uid = uid, .exists = true};
  for (json::Document& pod : pods) {
    const std::int64_t attempt = parse_int(pod.string_at("metadata", "labels", api::kAttemptLabel)).value_or(0);
    out.pods.push_back({.pod = std::move(pod), .attempt = attempt});
  }
  return out;
}

}  // namespace

Result<jobs::JobPods> history_of_job(Session& session, const Selected& job, const std::string& uid) {
  const auto text = session.get_text(history_path(job) + "?uid=" + net::percent_encode(uid));
  if (text) {
    TRY_ASSIGN(const json::Document document, json::parse(*text));
    return jobs::decode_job_pods(document);
  }
  if (text.error().reason != Reason::kNotFound) return text.error();
  TRY_ASSIGN(std::vector<json::Document> pods, pods_of_job(session, job, uid));
  return of_pods_that_exist(std::move(pods), uid);
}

Result<std::vector<JobWithPods>> deleted_jobs_named(Session& session, const std::string& name,
                                                    std::vector<ServedKind> kinds) {
  std::vector<JobWithPods> found;
  for (ServedKind& kind : kinds) {
    Selected job{.kind = std::move(kind), .ns = session.ns(), .name = name};
    const auto text = session.get_text(history_path(job));
    if (!text && text.error().reason == Reason::kNotFound) continue;
    if (!text) return text.error();
    TRY_ASSIGN(const json::Document document, json::parse(*text));
    found.push_back({std::move(job), jobs::decode_job_pods(document)});
  }
  return found;
}

const JobWithPods& newest_of(const std::vector<JobWithPods>& deleted) {
  return *std::ranges::max_element(deleted, {}, [](const JobWithPods& one) {
    std::string last;
    for (const jobs::JobPod& pod : one.pods.pods)
      last = std::max(last, pod.pod.string_at("metadata", "creationTimestamp"));
    return last;
  });
}

std::string log_target_of(const std::string& ns, const jobs::JobPod& pod, const std::string& container) {
  const std::string& name = pod.pod.string_at("metadata", "name");
  if (pod.exists) return client::log_target(ns, name, container);
  return client::attempt_log_target(ns, name, pod.attempt, container) +
         "&uid=" + net::percent_encode(pod.pod.string_at("metadata", "uid"));
}

}  // namespace muster::cli
