#include "control/runtime/jobs.h"

#include <algorithm>

#include "api/kubernetes/core_v1.h"
#include "api/muster/names.h"
#include "api/tensorstack/scheduler_v1beta1.h"
#include "api/tensorstack/tensorboard_v1beta1.h"
#include "control/job/decide.h"
#include "control/job/pod_group.h"
#include "control/observe.h"

namespace muster::control {

namespace {

/// Fails, once, an object that admission would have rejected but the cluster's schema could not, and reports why.
Plan refuse(const JobKind& kind, Where where, const Snapshot& seen, const Error& error) {
  JobStatus status = kind.read_status(seen.primary);
  if (is_finished(status.phase) || seen.primary.at("metadata", "deletionTimestamp") != nullptr) return {};
  status.phase = Phase::kFailed;
  status.reason = "Invalid";
  status.message = error.message;
  status.completed = std::chrono::floor<std::chrono::seconds>(seen.now);
  Plan plan;
  plan.status = kind.project(status, seen.primary, where, seen.now);
  plan.actions.emplace_back(EmitEvent{.type = "Warning", .reason = "Invalid", .message = error.message});
  return plan;
}

WatchedKind watched_object(JobObject object) {
  switch (object) {
    case JobObject::kTensorBoard:
      return watched_kind<api::TensorBoard>(api::kGroupNameLabel);
    case JobObject::kConfigMap:
      return watched_kind<api::ConfigMap>(api::kGroupNameLabel);
  }
  CHECK(false);
}

/// Returns the kinds of Job::objects. On one machine we schedule, so each job has a PodGroup; on a cluster the kind may
/// not even exist.
std::vector<WatchedKind> object_kinds(const JobKind& kind, Where where) {
  std::vector<WatchedKind> kinds;
  for (const JobObject object : kind.objects) kinds.push_back(watched_object(object));
  // Without a selector, so that the watch is shared with the scheduler.
  if (where != Where::kCluster) kinds.push_back(watched_kind<api::PodGroup>());
  return kinds;
}

/// Returns what exists of Job::objects.
std::vector<std::shared_ptr<const json::Document>> further_objects(const std::vector<WatchedKind>& kinds,
                                                                   const Children& children) {
  std::vector<std::shared_ptr<const json::Document>> result;
  for (const WatchedKind& further : kinds) {
    for (const AnyObject& child : children.of(*further.type)) {
      result.push_back(std::make_shared<const json::Document>(reflect::encode_from(*further.type, child.object.get())));
    }
  }
  return result;
}

bool is_unfinished(const AnyObject& pod) {
  return !is_finished_pod(*static_cast<const api::Pod*>(pod.object.get()));
}

/// On a cluster, most pods and services do not belong to jobs. On one machine nearly all do, and the scheduler has to
/// see every pod.
std::string selector_at(Where where) {
  return where == Where::kCluster ? api::kGroupNameLabel : "";
}

}  // namespace

Jobs::Jobs(Where where, SharedInformers& informers, std::function<bool(int port)> is_port_free,
           std::uint64_t first_slot, std::span<const JobKind> kinds)
    : where_(where),
      kinds_(kinds),
      pods_(informers.watch(watched_kind<api::Pod>(selector_at(where)))),
      groups_(where != Where::kCluster ? &informers.watch(watched_kind<api::PodGroup>()) : nullptr),
      ports_([this](const std::string& uid) { return is_live(uid); }, std::move(is_port_free), first_slot) {}

std::vector<Controller> Jobs::controllers() {
  std::vector<Controller> result;
  for (const JobKind& kind : kinds_) {
    std::vector<WatchedKind> children = {watched_kind<api::Pod>(selector_at(where_)),
                                         watched_kind<api::Service>(selector_at(where_))};
    for (WatchedKind& further : object_kinds(kind, where_)) children.push_back(std::move(further));
    result.push_back(
        {.api_version = std::string(kind.api_version),
         .kind = std::string(kind.kind),
         .children = std::move(children),
         .plan = [this, &kind](const Snapshot& seen) { return plan(kind, seen); },
         .on_change = [this, &kind](const std::string& uid, const json::Document* now) { note(kind, uid, now); }});
  }
  return result;
}

void Jobs::note(const JobKind& kind, const std::string& uid, const json::Document* now) {
  unfinished_.erase(uid);
  if (now == nullptr && meter_ != nullptr) meter_->job_gone(uid);
  if (now == nullptr) return;
  const JobStatus status = kind.read_status(*now);
  if (meter_ != nullptr) meter_->job_seen(kind.api_version, kind.kind, uid, status.phase, clock_->mono());
  if (is_finished(status.phase)) return;
  unfinished_.insert(uid);
  if (status.port) ports_.note(uid, *status.port, status.port_count);
}

bool Jobs::is_live(const std::string& uid) const {
  if (unfinished_.contains(uid)) return true;
  return std::ranges::any_of(pods_.controlled_by(uid), is_unfinished);
}

void Jobs::add_pod_group(Job& job) const {
  const auto own = groups_->controlled_by(job.uid);
  const auto holder = groups_->find<api::PodGroup>({job.ns, job.name});
  job.group_name = group_name_for(
      job, own.empty() ? nullptr : static_cast<const api::PodGroup*>(own.front().object.get()), holder.get());
  job.objects.push_back(pod_group_for(job));
}

Plan Jobs::plan(const JobKind& kind, const Snapshot& seen) {
  auto job = kind.normalise(seen.primary, where_);
  if (!job) return refuse(kind, where_, seen, job.error());
  if (groups_ != nullptr) add_pod_group(*job);

  Observed observed{.job = *std::move(job),
                    .status = kind.read_status(seen.primary),
                    .pods = seen.children.of<api::Pod>(),
                    .services = seen.children.of<api::Service>(),
                    .now = seen.now,
                    .offered_port = std::nullopt,
                    .objects = further_objects(object_kinds(kind, where_), seen.children)};
  if (meter_ != nullptr && observed.pods.size() >= static_cast<std::size_t>(total_replicas(observed.job))) {
    meter_->pods_created(observed.job.uid, clock_->mono());
  }
  if (seen.refused != nullptr) observed.refused = *seen.refused;
  observed.predecessor_runs = std::ranges::any_of(
      pods_.controlled_by_predecessors(owner_of_children(observed.job), observed.job.ns), is_unfinished);
  const bool needs_offer = observed.job.has_port && !observed.job.fixed_port && !observed.job.own_port;
  if (needs_offer && !observed.status.port && !observed.job.run_mode.paused && !is_finished(observed.status.phase)) {
    observed.offered_port = ports_.offer(observed.job.uid, offered_port_count(observed.job));
  }
  JobPlan decided = decide(observed);
  Plan plan{.status = std::nullopt,
            .actions = std::move(decided.actions),
            .recheck_after = decided.recheck_after,
            .reasons = std::move(decided.reasons)};
  if (decided.status) plan.status = kind.project(*decided.status, seen.primary, where_, seen.now);
  return plan;
}

}  // namespace muster::control
