#include "control/runtime/job_runner.h"

#include <algorithm>

#include "api/names.h"
#include "api/resource.h"
#include "base/check.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/backoff.h"
#include "control/runtime/status_patch.h"

namespace muster::control {

namespace {

constexpr client::Backoff kBackoff{.first = std::chrono::milliseconds(100), .longest = std::chrono::seconds(30)};
// Should the informer never show our own write (the object was deleted and made again meanwhile), look all the same.
constexpr Duration kLongestWaitForOwnWrite = std::chrono::seconds(5);

const api::Resource& resource_of(std::string_view api_version, std::string_view kind) {
  const api::Resource* resource = api::find_kind(api_version, kind);
  CHECK(resource != nullptr);
  return *resource;
}

/// True when the view is at least as new as the version. Versions are revision numbers wherever we run.
bool has_reached(const std::string& seen, const std::string& awaited) {
  const auto a = parse_int(seen);
  const auto b = parse_int(awaited);
  return a && b ? *a >= *b : seen == awaited;
}

const json::Document& status_of(const json::Document& object) {
  static const json::Document kNone = json::Object();
  const json::Document* status = object.find("status");
  return status != nullptr && status->is_object() ? *status : kNone;
}

}  // namespace

JobRunner::JobRunner(Loop& loop, Rng& rng, client::ApiClient& client, EventRecorder& events, const PodIndex& pods,
                     Network network, std::function<bool(int port)> is_port_free)
    : loop_(loop),
      rng_(rng),
      client_(client),
      events_(events),
      pods_(pods),
      network_(network),
      ports_([this](const std::string& uid) { return is_live(uid); }, std::move(is_port_free), rng.next()),
      queue_(loop, [this](const JobKey& key) { work(key); }) {
  for (const Kind& kind : job_kinds()) {
    jobs_[{std::string(kind.api_version), std::string(kind.kind)}] = std::make_unique<client::Informer>(
        loop, rng, client, resource_of(kind.api_version, kind.kind), client::ListOptions{},
        [this, &kind](const client::Informer::Key& key, const json::Document* before, const json::Document* now) {
          on_job(kind, key, before, now);
        },
        client::Informer::TextOnly{.glance = {"status"}});
  }
  client::ListOptions ours;
  ours.label_selector = api::kGroupNameLabel;
  service_informer_ = std::make_unique<client::Informer>(loop, rng, client, resource_of("v1", "Service"), ours,
                                                         [this](const client::Informer::Key& key, const json::Document*,
                                                                const json::Document* now) { on_service(key, now); });
}

JobRunner::~JobRunner() {
  *alive_ = false;
}

void JobRunner::start(Task synced) {
  auto remaining = std::make_shared<std::size_t>(jobs_.size() + 1);
  auto all_synced = std::make_shared<Task>(std::move(synced));
  const auto one_synced = [remaining, all_synced] {
    if (--*remaining == 0) (*all_synced)();
  };
  for (auto& [kind, informer] : jobs_) {
    informer->when_synced(one_synced);
    informer->start();
  }
  service_informer_->when_synced(one_synced);
  service_informer_->start();
}

std::shared_ptr<const json::Document> JobRunner::find(const JobKey& key) const {
  const auto informer = jobs_.find({key.api_version, key.kind});
  return informer == jobs_.end() ? nullptr : informer->second->find(key.ns, key.name);
}

bool JobRunner::exists(const JobKey& key) const {
  const auto informer = jobs_.find({key.api_version, key.kind});
  return informer != jobs_.end() && informer->second->cache().contains({key.ns, key.name});
}

// ---- what changed ----

void JobRunner::on_job(const Kind& kind, const client::Informer::Key& key, const json::Document* before,
                       const json::Document* now) {
  const JobKey job{std::string(kind.api_version), std::string(kind.kind), key.first, key.second};
  if (now == nullptr) {
    unfinished_.erase(before->string_at("metadata", "uid"));
    memories_.erase(job);
    queue_.forget(job);
    return;
  }
  const JobStatus status = kind.read_status(*now);
  const std::string& uid = now->string_at("metadata", "uid");
  if (is_finished(status.phase)) {
    unfinished_.erase(uid);
  } else {
    unfinished_.insert(uid);
    if (status.port) ports_.note(uid, *status.port);
  }
  queue_.add(job);
}

void JobRunner::on_pod(const api::Pod* before, const api::Pod* now) {
  if (now != nullptr) add_owner(now->metadata);
  if (before != nullptr) add_owner(before->metadata);
}

void JobRunner::on_service(const client::Informer::Key& key, const json::Document* now) {
  const auto [before, after] = services_.update(key, now);
  if (after != nullptr) add_owner(after->metadata);
  if (before != nullptr) add_owner(before->metadata);
}

void JobRunner::add_owner(const api::ObjectMeta& meta) {
  const auto* owner = controller_of(meta);
  if (owner == nullptr || find_job_kind(owner->api_version, owner->kind) == nullptr) return;
  queue_.add({owner->api_version, owner->kind, meta.ns, owner->name});
}

bool JobRunner::is_live(const std::string& uid) const {
  if (unfinished_.contains(uid)) return true;
  return std::ranges::any_of(pods_.children(uid), [](const auto& pod) {
    return pod->status.phase != "Succeeded" && pod->status.phase != "Failed";
  });
}

// ---- observe, decide, apply ----

void JobRunner::work(const JobKey& key) {
  const auto object = find(key);
  const Kind* kind = find_job_kind(key.api_version, key.kind);
  CHECK(kind != nullptr);
  if (object == nullptr) return queue_.done(key);
  if (awaits_own_write(key, *object)) return queue_.done(key);
  std::optional<Duration> recheck;
  Application todo = plan(key, *kind, *object, recheck);
  const api::ObjectReference job = todo.reference;
  apply_plan(loop_, client_, events_, alive_, std::move(todo),
             [this, key, job, recheck](Applied how) { applied(key, job, recheck, how); });
}

/// Deciding on a status older than our own last write could count or create twice.
bool JobRunner::awaits_own_write(const JobKey& key, const json::Document& object) {
  const auto found = memories_.find(key);
  if (found == memories_.end() || found->second.awaited_version.empty()) return false;
  Memory& memory = found->second;
  const Duration waited = loop_.mono() - memory.awaited_since;
  if (!has_reached(object.string_at("metadata", "resourceVersion"), memory.awaited_version) &&
      waited < kLongestWaitForOwnWrite) {
    queue_.add_after(key, kLongestWaitForOwnWrite - waited);
    return true;
  }
  memory.awaited_version.clear();
  if (memory.failures == 0) memories_.erase(found);  // jobs at rest need no memory
  return false;
}

Application JobRunner::plan(const JobKey& key, const Kind& kind, const json::Document& object,
                            std::optional<Duration>& recheck) {
  auto job = kind.normalise(object, network_);
  if (!job) return refuse(key, kind, object, job.error());

  Observed seen{.job = *std::move(job),
                .status = kind.read_status(object),
                .pods = {},
                .services = {},
                .now = loop_.now(),
                .offered_port = std::nullopt};
  seen.pods = pods_.children(seen.job.uid);
  seen.services = services_.children(seen.job.uid);
  if (!seen.job.fixed_port && !seen.status.port && !seen.job.run_mode.paused && !is_finished(seen.status.phase)) {
    seen.offered_port = ports_.offer(seen.job.uid);
  }
  Application todo{.object = {resource_of(kind.api_version, kind.kind), key.ns, key.name},
                   .reference = {.api_version = key.api_version,
                                 .kind = key.kind,
                                 .ns = key.ns,
                                 .name = key.name,
                                 .uid = seen.job.uid,
                                 .resource_version = {},
                                 .field_path = {}},
                   .resource_version = object.string_at("metadata", "resourceVersion"),
                   .status = std::nullopt,
                   .actions = {}};
  JobPlan decided = decide(seen);
  todo.actions = std::move(decided.actions);
  recheck = decided.recheck_after;
  if (decided.status) {
    const json::Document next = kind.project(*decided.status, object, loop_.now());
    todo.status = merge_patch_between(status_of(object), next);
  }
  return todo;
}

/// An object that admission would have refused, on a cluster whose schema could not: says so in its status, once.
Application JobRunner::refuse(const JobKey& key, const Kind& kind, const json::Document& object, const Error& error) {
  Application todo{.object = {resource_of(kind.api_version, kind.kind), key.ns, key.name},
                   .reference = {.api_version = key.api_version,
                                 .kind = key.kind,
                                 .ns = key.ns,
                                 .name = key.name,
                                 .uid = object.string_at("metadata", "uid"),
                                 .resource_version = {},
                                 .field_path = {}},
                   .resource_version = object.string_at("metadata", "resourceVersion"),
                   .status = std::nullopt,
                   .actions = {}};
  JobStatus status = kind.read_status(object);
  if (is_finished(status.phase) || object.at("metadata", "deletionTimestamp") != nullptr) return todo;
  status.phase = Phase::kFailed;
  status.reason = "Invalid";
  status.message = error.message;
  status.completed = std::chrono::floor<std::chrono::seconds>(loop_.now());
  todo.status = merge_patch_between(status_of(object), kind.project(status, object, loop_.now()));
  todo.actions.emplace_back(EmitEvent{.type = "Warning", .reason = "Invalid", .message = error.message});
  return todo;
}

void JobRunner::applied(const JobKey& key, const api::ObjectReference& job, std::optional<Duration> recheck,
                        const Applied& how) {
  if (exists(key)) {
    if (!how.resource_version.empty()) {
      memories_[key].awaited_version = how.resource_version;
      memories_[key].awaited_since = loop_.mono();
    }
    if (how.result) {
      forget_failures(key);
      if (recheck) queue_.add_after(key, *recheck);
    } else if (how.result.error().reason != Reason::kNotFound) {
      back_off(key, job, how.result.error());
    }
  }
  queue_.done(key);
}

void JobRunner::forget_failures(const JobKey& key) {
  const auto found = memories_.find(key);
  if (found == memories_.end()) return;
  found->second.failures = 0;
  if (found->second.awaited_version.empty()) memories_.erase(found);
}

void JobRunner::back_off(const JobKey& key, const api::ObjectReference& job, const Error& error) {
  const Duration delay = kBackoff.wait(++memories_[key].failures, error.retry_after, rng_);
  if (error.reason != Reason::kConflict) {
    LOG_WARN("job not brought forward", {"kind", key.kind}, {"namespace", key.ns}, {"name", key.name},
             {"error", error.message});
  }
  const bool is_telling = error.reason == Reason::kInvalid || error.reason == Reason::kForbidden ||
                          error.reason == Reason::kAlreadyExists || error.reason == Reason::kBadRequest;
  if (is_telling) events_.record(job, "Warning", "FailedCreate", error.message);
  queue_.add_after(key, delay);
}

}  // namespace muster::control
