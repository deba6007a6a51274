#include "control/runtime/runner.h"

#include <algorithm>

#include "api/owners.h"
#include "api/resource.h"
#include "base/check.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/backoff.h"
#include "control/runtime/rest.h"
#include "json/patch.h"

namespace muster::control {

namespace {

constexpr client::Backoff kBackoff{.first = std::chrono::milliseconds(100), .longest = std::chrono::seconds(30)};
// The informer may never show our own write, because the object was deleted and recreated meanwhile; then we continue.
constexpr Duration kLongestWaitForOwnWrite = std::chrono::seconds(5);
// After a plan that took longer, its primary rests, so that a job of 10,000 pods does not fill the loop.
constexpr Duration kCheapPlan = std::chrono::milliseconds(5);

/// Returns true when the view is at least as new as the version. Versions are revision numbers on every server we use.
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

bool has_labelled_children(const Controller& controller) {
  return std::ranges::any_of(controller.children, [](const WatchedKind& kind) { return !kind.uid_label.empty(); });
}

/// Returns true for errors that a retry does not fix and that the owner of the object can fix.
bool concerns_the_user(Reason reason) {
  return reason == Reason::kInvalid || reason == Reason::kForbidden || reason == Reason::kAlreadyExists ||
         reason == Reason::kBadRequest;
}

}  // namespace

Runner::Runner(Loop& loop, Rng& rng, client::ApiClient& client, client::EventRecorder& events,
               SharedInformers& informers)
    : loop_(loop),
      rng_(rng),
      client_(client),
      events_(events),
      informers_(informers),
      queue_(loop, kObjectLimits, [this](const ObjectKey& key) { work(key); }) {}

void Runner::add(Controller controller) {
  const api::Resource* resource = api::find_kind(controller.api_version, controller.kind);
  CHECK(resource != nullptr);
  const std::pair id{controller.api_version, controller.kind};
  const auto [added, is_new] = registered_.try_emplace(id, Registered{std::move(controller), resource});
  CHECK(is_new);
  Registered& entry = added->second;
  entry.primaries = &informers_.watch_text(
      *resource, [this, &entry](const client::Informer::Key& key, const json::Document* before,
                                const json::Document* now) { on_primary(entry, key, before, now); });
  for (const WatchedKind& kind : entry.controller.children) {
    const ObjectIndex& index =
        informers_.watch(kind, [this, &entry, &kind](const AnyObject& before, const AnyObject& now) {
          add_primary_of(now, entry, kind);
          add_primary_of(before, entry, kind);
        });
    entry.children.emplace_back(kind.type, &index);
  }
}

bool Runner::runs(const api::Resource& kind) const {
  return std::ranges::any_of(registered_, [&](const auto& entry) {
    return entry.second.resource->group == kind.group && entry.second.controller.kind == kind.kind;
  });
}

void Runner::look_again(const std::string& qualified_name) {
  for (const auto& [id, entry] : registered_) {
    if (entry.resource->qualified_name() != qualified_name) continue;
    for (const auto& [ns, name] : entry.primaries->keys()) queue_.add({id.first, id.second, ns, name});
  }
}

// ---- changes ----

void Runner::on_primary(Registered& entry, const client::Informer::Key& key, const json::Document* before,
                        const json::Document* now) {
  const ObjectKey primary{entry.controller.api_version, entry.controller.kind, key.first, key.second};
  const json::Document& newest = now == nullptr ? *before : *now;
  const std::string& uid = newest.string_at("metadata", "uid");
  if (entry.controller.on_change) entry.controller.on_change(uid, now);
  if (now == nullptr) {
    entry.by_uid.erase(uid);
  } else if (has_labelled_children(entry.controller)) {
    entry.by_uid[uid] = key;
  }
  if (now != nullptr) return queue_.add(primary);
  memories_.erase(primary);
  told_.erase(primary);
  next_plan_.erase(primary);
  queue_.forget(primary);
}

/// Queues the primary of the controller that the child belongs to, if there is one.
void Runner::add_primary_of(const AnyObject& child, const Registered& entry, const WatchedKind& kind) {
  if (child.object == nullptr) return;
  const Controller& controller = entry.controller;
  if (!kind.uid_label.empty()) {
    const auto label = child.metadata->labels.find(kind.uid_label);
    const auto primary = label == child.metadata->labels.end() ? entry.by_uid.end() : entry.by_uid.find(label->second);
    // A primary that is not known yet is queued when it comes into view.
    if (primary == entry.by_uid.end()) return;
    return queue_.add({controller.api_version, controller.kind, primary->second.first, primary->second.second});
  }
  const auto* owner = api::controller_of(*child.metadata);
  if (owner == nullptr || owner->kind != controller.kind || owner->api_version != controller.api_version) return;
  queue_.add({owner->api_version, owner->kind, child.metadata->ns, owner->name});
}

// ---- observe, plan, apply ----

void Runner::work(const ObjectKey& key) {
  const Registered& entry = registered_.at({key.api_version, key.kind});
  const auto primary = entry.primaries->find(key.ns, key.name);
  if (primary == nullptr || awaits_own_write(key, *primary) || rests_after_costly_plan(key)) return queue_.done(key);
  if (gate_) {
    if (auto hands_off = gate_(*entry.resource, *primary)) {
      return leave_alone(key, entry, *primary, *std::move(hands_off));
    }
    told_.erase(key);
  }
  const MonoTime began = loop_.mono();
  Plan plan = make_plan(entry, *primary);
  const auto recheck = plan.recheck_after;
  Application application = application_of(key, entry, *primary, std::move(plan));
  const api::ObjectReference reference = application.reference;
  const Duration took = loop_.mono() - began;
  if (took > kCheapPlan) next_plan_[key] = loop_.mono() + rest_after(took);
  apply_plan(loop_, client_, events_, lifetime_.watch(), std::move(application),
             [this, key, reference, recheck, began](Applied how) {
               if (observer_) observer_(key, loop_.mono() - began, how.result);
               applied(key, reference, recheck, how);
             });
}

Application Runner::application_of(const ObjectKey& key, const Registered& entry, const json::Document& primary,
                                   Plan plan) {
  Application application{.object = {*entry.resource, key.ns, key.name},
                          .reference = {.api_version = key.api_version,
                                        .kind = key.kind,
                                        .ns = key.ns,
                                        .name = key.name,
                                        .uid = primary.string_at("metadata", "uid"),
                                        .resource_version = {},
                                        .field_path = {}},
                          .resource_version = primary.string_at("metadata", "resourceVersion"),
                          .status = std::nullopt,
                          .actions = std::move(plan.actions)};
  if (plan.status) application.status = json::merge_patch_between(status_of(primary), *plan.status);
  return application;
}

/// Says once why the object is left alone. A write that fails is tried again only if the object has changed meanwhile:
/// what refuses it would refuse it forever.
void Runner::leave_alone(const ObjectKey& key, const Registered& entry, const json::Document& primary,
                         HandsOff hands_off) {
  if (hands_off.plan.recheck_after) queue_.add_after(key, *hands_off.plan.recheck_after);
  const bool says_nothing = !hands_off.plan.status && hands_off.plan.actions.empty();
  const auto before = told_.find(key);
  if (says_nothing || (before != told_.end() && before->second == hands_off.why)) return queue_.done(key);
  told_[key] = std::move(hands_off.why);
  apply_plan(loop_, client_, events_, lifetime_.watch(), application_of(key, entry, primary, std::move(hands_off.plan)),
             [this, key](Applied how) {
               if (!how.result && how.result.error().reason == Reason::kConflict) {
                 told_.erase(key);
                 queue_.add_after(key, kBackoff.longest);
               } else if (!how.result) {
                 LOG_WARN("object left alone, and not told why", {"kind", key.kind}, {"namespace", key.ns},
                          {"name", key.name}, {"error", how.result.error().message});
               }
               queue_.done(key);
             });
}

Plan Runner::make_plan(const Registered& entry, const json::Document& primary) const {
  Children children;
  for (const auto& [type, index] : entry.children) {
    children.add(*type, index->controlled_by(primary.string_at("metadata", "uid")));
  }
  return entry.controller.plan({.primary = primary, .children = std::move(children), .now = loop_.now()});
}

/// A decision based on a status older than our own last write could count or create twice.
bool Runner::awaits_own_write(const ObjectKey& key, const json::Document& primary) {
  const auto found = memories_.find(key);
  if (found == memories_.end() || found->second.awaited_version.empty()) return false;
  Memory& memory = found->second;
  const Duration waited = loop_.mono() - memory.awaited_since;
  if (!has_reached(primary.string_at("metadata", "resourceVersion"), memory.awaited_version) &&
      waited < kLongestWaitForOwnWrite) {
    queue_.add_after(key, kLongestWaitForOwnWrite - waited);
    return true;
  }
  memory.awaited_version.clear();
  if (memory.failures == 0) memories_.erase(found);  // idle primaries need no memory
  return false;
}

bool Runner::rests_after_costly_plan(const ObjectKey& key) {
  const auto found = next_plan_.find(key);
  if (found == next_plan_.end()) return false;
  const Duration left = found->second - loop_.mono();
  if (left > Duration(0)) {
    queue_.add_after(key, left);
    return true;
  }
  next_plan_.erase(found);
  return false;
}

void Runner::applied(const ObjectKey& key, const api::ObjectReference& primary, std::optional<Duration> recheck,
                     const Applied& how) {
  const Registered& entry = registered_.at({key.api_version, key.kind});
  if (entry.primaries->contains({key.ns, key.name})) {
    if (!how.resource_version.empty()) {
      memories_[key].awaited_version = how.resource_version;
      memories_[key].awaited_since = loop_.mono();
    }
    if (how.result) {
      forget_failures(key);
      if (recheck) queue_.add_after(key, *recheck);
    } else if (how.result.error().reason != Reason::kNotFound) {
      back_off(key, primary, how.result.error());
    }
  }
  queue_.done(key);
}

void Runner::forget_failures(const ObjectKey& key) {
  const auto found = memories_.find(key);
  if (found == memories_.end()) return;
  found->second.failures = 0;
  if (found->second.awaited_version.empty()) memories_.erase(found);
}

void Runner::back_off(const ObjectKey& key, const api::ObjectReference& primary, const Error& error) {
  const Duration delay = kBackoff.wait(++memories_[key].failures, error.retry_after, rng_);
  if (error.reason != Reason::kConflict) {
    LOG_WARN("plan not applied", {"kind", key.kind}, {"namespace", key.ns}, {"name", key.name},
             {"error", error.message});
  }
  if (concerns_the_user(error.reason)) events_.record(primary, "Warning", "FailedCreate", error.message);
  queue_.add_after(key, delay);
}

}  // namespace muster::control
