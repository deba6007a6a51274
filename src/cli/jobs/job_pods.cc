#include "cli/jobs/job_pods.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "api/owners.h"
#include "base/strings.h"
#include "cli/objects/object_state.h"
#include "jobs/pods.h"

namespace muster::cli {

namespace {

const client::ResourceName kPodsOfJobs{"", "v1", "pods"};

/// Pods of a replica that is not known come last.
std::pair<std::size_t, std::int64_t> place_in(const jobs::Summary& job, const json::Document& pod) {
  const jobs::ReplicaPlace place = jobs::replica_place(pod);
  const auto found =
      std::ranges::find_if(job.roles, [&](const jobs::RoleSummary& one) { return to_lower(one.name) == place.role; });
  return {static_cast<std::size_t>(found - job.roles.begin()), place.index};
}

Failure nothing_runs_in(const FoundJob& found, std::string what, std::string why) {
  const std::string label = found.job.short_label();
  return {.code = kExitConflict,
          .what = fmt::format("{} {}", label, what),
          .why = std::move(why),
          .fix = "muster describe " + label};
}

std::variant<json::Document, Failure> decider_of(Session& session, const FoundJob& found) {
  const jobs::Summary summary = jobs::summarise(found.object);
  if (jobs::has_ended(summary.phase)) {
    Failure ended = nothing_runs_in(
        found, fmt::format("has ended ({}): nothing runs in it", jobs::state_word(summary.phase)), summary.outcome);
    ended.fix = "muster logs " + found.job.name;
    return ended;
  }
  const auto pods = pods_of_job(session, found.job, found.object.string_at("metadata", "uid"));
  if (!pods) return failure_of(pods.error());
  const json::Document* decider = deciding_pod(summary, *pods);
  if (decider == nullptr) {
    return nothing_runs_in(found, fmt::format("has no pods ({})", object_phase(found.object)), summary.cause);
  }
  if (decider->string_at("status", "phase") == "Pending") {
    return nothing_runs_in(found, fmt::format("is waiting ({}): nothing runs in it yet", object_phase(found.object)),
                           waiting_cause(found.object, *pods));
  }
  return *decider;
}

}  // namespace

Result<std::vector<json::Document>> pods_of_job(Session& session, const Selected& job, const std::string& uid) {
  client::ListOptions options;
  options.label_selector = jobs::pod_selector(job.kind.resource.group, job.name);
  TRY_ASSIGN(const json::Document list, session.list(kPodsOfJobs, job.ns, options));
  std::vector<json::Document> out = list.array_at("items");
  std::erase_if(out, [&](const json::Document& pod) { return !api::is_controlled_by(pod, uid); });
  return out;
}

const json::Document* deciding_pod(const jobs::Summary& job, std::span<const json::Document> pods) {
  const auto named = std::ranges::find_if(
      pods, [&](const json::Document& pod) { return pod.string_at("metadata", "name") == job.deciding_pod; });
  if (named != pods.end()) return &*named;
  const auto first = std::ranges::min_element(pods, {}, [&](const json::Document& pod) { return place_in(job, pod); });
  return first == pods.end() ? nullptr : &*first;
}

Failure no_pod_and_no_job(const Session& session, const std::string& name) {
  return {.code = kExitNotFound,
          .what = fmt::format("no pod and no job {} in namespace {}", quote(name), session.ns()),
          .why = "",
          .fix = "muster get jobs,pods"};
}

std::variant<json::Document, Failure> find_pod_or_decider(Session& session, const std::string& ns,
                                                          const std::string& word) {
  const std::size_t slash = word.find('/');
  const std::string type = slash == std::string::npos ? "" : word.substr(0, slash);
  if (type.empty() || type == "pod" || type == "pods" || type == "po") {
    const std::string name = slash == std::string::npos ? word : word.substr(slash + 1);
    auto pod = session.get({kPodsOfJobs, ns, name});
    if (pod) return *std::move(pod);
    // Jobs are looked for in the session's namespace.
    if (pod.error().reason != Reason::kNotFound || !type.empty() || ns != session.ns()) return failure_of(pod.error());
    const auto jobs = jobs_named(session, name);
    if (!jobs) return failure_of(jobs.error());
    if (jobs->size() > 1) return several_jobs(*jobs);
    return jobs->empty() ? no_pod_and_no_job(session, name) : decider_of(session, jobs->front());
  }
  auto found = find_job(session, {word}, "name a pod or a job");
  if (auto* failure = std::get_if<Failure>(&found)) return std::move(*failure);
  return decider_of(session, std::get<FoundJob>(found));
}

}  // namespace muster::cli
