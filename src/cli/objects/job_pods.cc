#include "cli/objects/job_pods.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "api/owners.h"
#include "base/strings.h"
#include "cli/objects/job_state.h"

namespace muster::cli {

namespace {

const client::ResourceName kPodsOfJobs{"", "v1", "pods"};

int rank_of_role(const std::string& role) {
  if (role == "master" || role == "chief" || role == "launcher") return 0;
  return role == "worker" ? 1 : 2;
}

/// Leading pods come first.
std::tuple<int, std::string, std::int64_t> place_of_pod(const json::Document& pod) {
  const std::string label = replica_label(pod, "");
  const std::size_t dash = label.rfind('-');
  const std::string role = label.substr(0, dash);
  const auto index = dash == std::string::npos ? std::nullopt : parse_int(label.substr(dash + 1));
  return {rank_of_role(role), role, index.value_or(0)};
}

std::variant<json::Document, Failure> leader_of(Session& session, const FoundJob& found) {
  const auto pods = pods_of_job(session, found.job, found.object.string_at("metadata", "uid"));
  if (!pods) return failure_of(pods.error());
  const json::Document* leader = leading_pod(*pods);
  if (leader != nullptr) return *leader;
  return Failure{.code = kExitConflict,
                 .what = fmt::format("{} has no pods ({})", found.job.short_label(), job_phase(found.object)),
                 .why = "",
                 .fix = "muster describe " + found.job.short_label()};
}

}  // namespace

Result<std::vector<json::Document>> pods_of_job(Session& session, const Selected& job, const std::string& uid) {
  client::ListOptions options;
  options.label_selector = pod_selector(job.kind.resource.group, job.name);
  TRY_ASSIGN(const json::Document list, session.list(kPodsOfJobs, job.ns, options));
  std::vector<json::Document> out = list.array_at("items");
  std::erase_if(out, [&](const json::Document& pod) { return !api::is_controlled_by(pod, uid); });
  return out;
}

const json::Document* leading_pod(std::span<const json::Document> pods) {
  const auto found = std::ranges::min_element(pods, {}, place_of_pod);
  return found == pods.end() ? nullptr : &*found;
}

Failure no_pod_and_no_job(const Session& session, const std::string& name) {
  return {.code = kExitNotFound,
          .what = fmt::format("no pod and no job {} in namespace {}", quote(name), session.ns()),
          .why = "",
          .fix = "muster get jobs,pods"};
}

std::variant<json::Document, Failure> find_pod_or_leader(Session& session, const std::string& ns,
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
    return jobs->empty() ? no_pod_and_no_job(session, name) : leader_of(session, jobs->front());
  }
  auto found = find_job(session, {word}, "name a pod or a job");
  if (auto* failure = std::get_if<Failure>(&found)) return std::move(*failure);
  return leader_of(session, std::get<FoundJob>(found));
}

}  // namespace muster::cli
