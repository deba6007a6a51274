#include "web/jobs/job_pods.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "api/muster/names.h"
#include "api/owners.h"
#include "base/strings.h"
#include "jobs/kind.h"
#include "jobs/pods.h"
#include "jobs/summary.h"

namespace muster::web {
namespace {

using json::Document;

std::string owner_uid(const Document& pod) {
  const Document* owner = api::controller_of(pod);
  return owner == nullptr ? "" : owner->string_at("uid");
}

std::int64_t attempt_of(const Document& pod) {
  return parse_int(pod.string_at("metadata", "labels", api::kAttemptLabel)).value_or(0);
}

/// The order of the job's roles; that of their names when the job is not there to say.
std::map<std::string, std::size_t> role_places(const Document& job, const std::vector<jobs::JobPod>& pods) {
  std::map<std::string, std::size_t> places;
  if (!job.is_null() && jobs::kind_of_job(job) != nullptr) {
    for (const jobs::RoleSummary& role : jobs::summarise(job).roles) places.emplace(to_lower(role.name), places.size());
  }
  std::set<std::string> others;
  for (const jobs::JobPod& one : pods) others.insert(jobs::replica_place(one.pod).role);
  for (const std::string& role : others) places.emplace(role, places.size());
  return places;
}

void sort_by_rank(const Document& job, std::vector<jobs::JobPod>& pods) {
  const auto places = role_places(job, pods);
  std::ranges::stable_sort(pods, {}, [&](const jobs::JobPod& one) {
    const jobs::ReplicaPlace place = jobs::replica_place(one.pod);
    return std::tuple(places.at(place.role), place.index, one.pod.string_at("metadata", "name"), one.attempt);
  });
}

/// Returns the uids of the owners, of the newest pod first.
std::vector<std::string> owners_of(const node::PastPods& past) {
  std::vector<std::string> uids;
  for (auto one = past.pods.rbegin(); one != past.pods.rend(); ++one) {
    std::string uid = owner_uid(one->pod);
    if (std::ranges::find(uids, uid) == uids.end()) uids.push_back(std::move(uid));
  }
  return uids;
}

std::string chosen_uid(const JobPodsQuery& query, const Document& job, const std::vector<std::string>& owners) {
  if (!query.uid.empty()) return query.uid;
  if (!job.is_null()) return job.string_at("metadata", "uid");
  return owners.empty() ? "" : owners.front();
}

Error unknown_job(const JobPodsQuery& query) {
  return Error{.reason = Reason::kNotFound,
               .message = fmt::format("{} {}{} does not exist, and no log of it is kept", query.kind->qualified_name(),
                                      quote(query.name),
                                      query.uid.empty() ? "" : fmt::format(" with uid {}", quote(query.uid)))};
}

/// One question, asked step by step.
struct Finding : std::enable_shared_from_this<Finding> {
  Finding(client::ApiClient& c, node::PodHistory* h, JobPodsQuery q, UniqueFunction<void(Result<FoundJobPods>)> d)
      : client(c), history(h), query(std::move(q)), done(std::move(d)) {}

  client::ApiClient& client;
  node::PodHistory* history;
  JobPodsQuery query;
  UniqueFunction<void(Result<FoundJobPods>)> done;
  Document job;
  Document pods;

  void ask_for_job() {
    client.get({*query.kind, query.ns, query.name}, [self = shared_from_this()](Result<Document> found) {
      if (!found && found.error().reason != Reason::kNotFound) return self->done(found.error());
      if (found) self->job = *std::move(found);
      self->ask_for_pods();
    });
  }

  void ask_for_pods() {
    client::ListOptions options;
    options.label_selector = jobs::pod_selector(query.kind->group, query.name);
    client.list({"", "v1", "pods"}, query.ns, options, [self = shared_from_this()](Result<Document> found) {
      if (!found) return self->done(found.error());
      self->pods = *std::move(found);
      self->ask_for_past();
    });
  }

  void ask_for_past() {
    if (history == nullptr) return finish({});
    history->find({.ns = query.ns, .group = query.kind->group, .kind = query.kind->kind, .name = query.name},
                  [self = shared_from_this()](node::PastPods past) { self->finish(std::move(past)); });
  }

  void finish(node::PastPods past) { done(assemble_job_pods(query, std::move(job), pods, std::move(past))); }
};

}  // namespace

Result<FoundJobPods> assemble_job_pods(const JobPodsQuery& query, Document job, const Document& pod_list,
                                       node::PastPods past) {
  const std::vector<std::string> owners = owners_of(past);
  FoundJobPods answer;
  jobs::JobPods& found = answer.known;
  found.uid = chosen_uid(query, job, owners);
  found.exists = !job.is_null() && job.string_at("metadata", "uid") == found.uid;
  if (found.exists) answer.job = std::move(job);
  std::set<std::string> existing;
  for (const Document& pod : pod_list.array_at("items")) {
    if (found.uid.empty() || !api::is_controlled_by(pod, found.uid)) continue;
    existing.insert(pod.string_at("metadata", "uid"));
    found.pods.push_back({.pod = pod, .attempt = attempt_of(pod)});
  }
  for (node::PastPod& one : past.pods) {
    if (owner_uid(one.pod) != found.uid || existing.contains(one.pod.string_at("metadata", "uid"))) continue;
    const std::int64_t attempt = attempt_of(one.pod);
    found.pods.push_back({.pod = std::move(one.pod),
                          .attempt = attempt,
                          .exists = false,
                          .has_log = one.has_log,
                          .has_metrics = one.has_metrics});
  }
  if (!found.exists && found.pods.empty()) return unknown_job(query);
  if (const auto removed = past.removed.find(found.uid); removed != past.removed.end()) found.removed = removed->second;
  for (const std::string& uid : owners) {
    if (uid != found.uid) found.others.push_back(uid);
  }
  sort_by_rank(answer.job, found.pods);
  return answer;
}

void find_job_pods(client::ApiClient& client, node::PodHistory* history, JobPodsQuery query,
                   UniqueFunction<void(Result<FoundJobPods>)> done) {
  std::make_shared<Finding>(client, history, std::move(query), std::move(done))->ask_for_job();
}

}  // namespace muster::web
