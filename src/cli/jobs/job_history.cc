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

Result<JobWithPods> earlier_job_named(Session& session, const std::string& name, std::vector<ServedKind> kinds,
                                      std::int64_t number) {
  if (number < 1) {
    return Error{.reason = Reason::kBadRequest,
                 .message = fmt::format("--earlier: must be 1 or more, got {}; 1 is the last job before", number)};
  }
  TRY_ASSIGN(std::vector<JobWithPods> known, deleted_jobs_named(session, name, std::move(kinds)));
  std::size_t most = 0;
  for (JobWithPods& one : known) {
    const std::vector<std::string>& others = one.pods.others;
    most = std::max(most, others.size());
    if (others.size() < static_cast<std::size_t>(number)) continue;
    TRY_ASSIGN(one.pods, history_of_job(session, one.job, others[static_cast<std::size_t>(number - 1)]));
    // Its pods are gone or go with it; what they wrote is found by their uids in any case.
    for (jobs::JobPod& pod : one.pods.pods) pod.exists = false;
    one.pods.others.clear();
    return std::move(one);
  }
  return Error{.reason = Reason::kNotFound,
               .message = fmt::format("--earlier {}: {} of {} are kept", number,
                                      most == 0 ? "no logs of earlier jobs"
                                                : fmt::format("logs of {} earlier job{}", most, most == 1 ? "" : "s"),
                                      quote(name))};
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
