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

// After a conflict over a child, which the next view solves.
constexpr client::Backoff kBackoff{.first = std::chrono::milliseconds(100), .longest = std::chrono::seconds(30)};
// A server in trouble is asked again soon once, in case it only restarts, and then seldom by each of many primaries.
constexpr Duration kFirstRetry = std::chrono::seconds(1);
constexpr client::Backoff kTroubleBackoff{.first = std::chrono::seconds(15), .longest = std::chrono::seconds(60)};
constexpr client::Backoff kRefusalBackoff{.first = std::chrono::seconds(25), .longest = std::chrono::seconds(60)};
// At most three requests of a primary fail in a minute, also if they were under way together.
constexpr Duration kTimeOfFailure = std::chrono::seconds(20);
// The informer may never show our own write, because the object came and went between two lists; then we continue.
constexpr Duration kLongestWaitForOwnWrite = std::chrono::seconds(30);
// The end of a namespace cannot be taken back, so this only limits how long a wrong memory of it matters.
constexpr Duration kNamespaceStaysClosed = std::chrono::minutes(5);
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
  return reason == Reason::kInvalid || reason == Reason::kForbidden || reason == Reason::kBadRequest;
}

Duration time_of_failures(std::size_t failed) {
  return std::min(kTimeOfFailure * static_cast<std::int64_t>(failed), kRefusalBackoff.longest);
}

bool has_creates(const std::vector<Action>& actions) {
  return std::ranges::any_of(actions, [](const Action& action) { return std::holds_alternative<Create>(action); });
}

std::int64_t generation_of(const json::Document& primary) {
  return primary.int_at("metadata", "generation");
}

/// Returns true for an error that says that a view is old. The server did nothing and is well.
bool is_conflict(const Error& error) {
  return error.reason == Reason::kConflict;
}

}  // namespace

Runner::Runner(Loop& loop, Rng& rng, client::ApiClient& client, client::EventRecorder& events,
               SharedInformers& informers)
    : loop_(loop),
      rng_(rng),
      client_(client),
      events_(events),
      informers_(informers),
      queue_(loop, kObjectLimits, [this](const ObjectKey& key) { work(key); }) {
  events_.on_refused(lifetime_.guard([this](const std::string& ns, const Error& error) {
    if (says_namespace_terminates(error)) close(ns);
  }));
}

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
    entry.views[{kind.type->field("apiVersion")->constant, kind.type->field("kind")->constant}] = &index;
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
  reopen_if_empty(key.first);
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

/// One look at a primary, until its plan is applied.
struct Runner::Look {
  ObjectKey key;
  api::ObjectReference reference;
  std::string version;  // of the primary that the plan is based on
  std::int64_t generation;
  std::optional<Duration> recheck;
  bool is_done;  // the plan wants nothing
};

void Runner::work(const ObjectKey& key) {
  const Registered& entry = registered_.at({key.api_version, key.kind});
  const std::string version = entry.primaries->version_of({key.ns, key.name});
  if (version.empty() || must_wait(key, entry, version)) return queue_.done(key);
  const auto primary = entry.primaries->find(key.ns, key.name);
  if (primary == nullptr) return queue_.done(key);
  if (gate_) {
    if (auto hands_off = gate_(*entry.resource, *primary)) {
      return leave_alone(key, entry, *primary, *std::move(hands_off));
    }
    told_.erase(key);
  }
  const MonoTime began = loop_.mono();
  Plan plan = make_plan(entry, *primary, memory_of(key));
  const auto recheck = plan.recheck_after;
  Application application = application_of(key, entry, *primary, std::move(plan));
  const auto held_until = hold_creates(key, *primary, application);
  const Look look{.key = key,
                  .reference = application.reference,
                  .version = application.resource_version,
                  .generation = generation_of(*primary),
                  .recheck = recheck && held_until ? std::min(*recheck, *held_until)
                             : recheck             ? recheck
                                                   : held_until,
                  .is_done = !application.status && application.actions.empty() && !held_until};
  const Duration took = loop_.mono() - began;
  if (took > kCheapPlan) next_plan_[key] = loop_.mono() + rest_after(took);
  apply_plan(loop_, client_, events_, lifetime_.watch(), std::move(application), [this, look, began](Applied how) {
    if (observer_) observer_(look.key, loop_.mono() - began, how.result);
    applied(look, std::move(how));
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

Plan Runner::make_plan(const Registered& entry, const json::Document& primary, const Memory* memory) const {
  Children children;
  for (const auto& [type, index] : entry.children) {
    children.add(*type, index->controlled_by(primary.string_at("metadata", "uid")));
  }
  const bool has_news = memory != nullptr && memory->refused && memory->is_news;
  return entry.controller.plan({.primary = primary,
                                .children = std::move(children),
                                .now = loop_.now(),
                                .refused = has_news ? &*memory->refused : nullptr});
}

Runner::Memory* Runner::memory_of(const ObjectKey& key) {
  const auto found = memories_.find(key);
  return found == memories_.end() ? nullptr : &found->second;
}

// ---- when to plan ----

bool Runner::must_wait(const ObjectKey& key, const Registered& entry, const std::string& version) {
  const auto left = time_to_wait(key, entry, version);
  if (left) queue_.add_after(key, *left);
  return left.has_value();
}

std::optional<Duration> Runner::time_to_wait(const ObjectKey& key, const Registered& entry,
                                             const std::string& version) {
  const MonoTime now = loop_.mono();
  Memory* memory = memory_of(key);
  if (memory != nullptr && memory->quiet_until > now) return memory->quiet_until - now;
  if (memory != nullptr && !shows_own_writes(key, entry, version, *memory)) {
    const Duration waited = now - memory->awaited_since;
    if (waited < kLongestWaitForOwnWrite) return kLongestWaitForOwnWrite - waited;
    LOG_WARN("the view does not show what was written; it is not awaited any longer", {"kind", key.kind},
             {"namespace", key.ns}, {"name", key.name});
    memory->awaited_version.clear();
    memory->stale_version.clear();
    memory->awaited.clear();
  }
  // One last plan says on the object why it has no children.
  const bool has_news = memory != nullptr && memory->is_news;
  if (!has_news && is_closed(key.ns)) return closed_.at(key.ns) - now;
  if (const auto rest = next_plan_.find(key); rest != next_plan_.end()) {
    if (rest->second > now) return rest->second - now;
    next_plan_.erase(rest);
  }
  return std::nullopt;
}

/// A decision based on a view older than our own last writes could count or create twice.
bool Runner::shows_own_writes(const ObjectKey& key, const Registered& entry, const std::string& version,
                              Memory& memory) {
  if (!memory.awaited_version.empty() && !has_reached(version, memory.awaited_version)) return false;
  memory.awaited_version.clear();
  if (!memory.stale_version.empty() && version == memory.stale_version) return false;
  memory.stale_version.clear();
  std::erase_if(memory.awaited, [&](const ChildWrite& write) {
    const auto view = entry.views.find({write.api_version, write.kind});
    if (view == entry.views.end()) return true;  // its kind is not watched
    const client::Informer::Key child{key.ns, write.name};
    return write.version.empty() ? view->second->shows_deletion(child, write.uid)
                                 : view->second->shows(child, write.uid, write.version);
  });
  return memory.awaited.empty();
}

bool Runner::is_closed(const std::string& ns) {
  const auto found = closed_.find(ns);
  if (found == closed_.end()) return false;
  if (found->second > loop_.mono()) return true;
  closed_.erase(found);
  return false;
}

/// Nothing is written in a namespace that is being deleted: the server would refuse it, and removes all of it.
void Runner::close(const std::string& ns) {
  if (!has_primaries_in(ns)) return;  // its end was known before
  if (!is_closed(ns)) LOG_INFO("the namespace is being deleted; nothing more is written there", {"namespace", ns});
  closed_[ns] = loop_.mono() + kNamespaceStaysClosed;
}

/// A namespace without primaries is gone, or will be; a later one of the same name is another one.
void Runner::reopen_if_empty(const std::string& ns) {
  if (closed_.contains(ns) && !has_primaries_in(ns)) closed_.erase(ns);
}

bool Runner::has_primaries_in(const std::string& ns) const {
  return std::ranges::any_of(registered_, [&](const auto& entry) { return entry.second.primaries->has_any_in(ns); });
}

/// Takes creates out of the plan while they are refused. Returns when they are due again.
std::optional<Duration> Runner::hold_creates(const ObjectKey& key, const json::Document& primary,
                                             Application& application) {
  if (is_closed(key.ns)) {  // what it says about itself is still stored
    application.actions.clear();
    return std::nullopt;
  }
  Memory* memory = memory_of(key);
  if (memory == nullptr) return std::nullopt;
  application.written_before = memory->written;
  if (memory->refusals == 0) return std::nullopt;
  const bool is_changed = generation_of(primary) != memory->generation;
  if (!has_creates(application.actions)) memory->refusals = 0;  // nothing is missing any more
  const MonoTime now = loop_.mono();
  if (memory->refusals == 0 || is_changed || memory->creates_after <= now) return std::nullopt;
  std::erase_if(application.actions, [](const Action& action) { return std::holds_alternative<Create>(action); });
  return memory->creates_after - now;
}

// ---- after a plan ----

void Runner::applied(const Look& look, Applied how) {
  const Registered& entry = registered_.at({look.key.api_version, look.key.kind});
  if (entry.primaries->contains({look.key.ns, look.key.name})) {
    if (how.result && look.is_done) {
      memories_.erase(look.key);  // idle primaries need no memory
      queue_.forget(look.key);
      if (look.recheck) queue_.add_after(look.key, *look.recheck);
    } else {
      remember(look, how, memories_[look.key]);
      // A child may come and go without ever being in view.
      const Duration longest = kLongestWaitForOwnWrite;
      if (how.result) queue_.add_after(look.key, std::min(look.recheck.value_or(longest), longest));
    }
  }
  queue_.done(look.key);
}

void Runner::remember(const Look& look, Applied& how, Memory& memory) {
  memory.awaited_since = loop_.mono();
  if (!how.resource_version.empty()) memory.awaited_version = how.resource_version;
  memory.written = how.result ? memory.written + how.writes.size() : 0;
  memory.awaited = std::move(how.writes);
  const bool is_status_written = how.result || !how.resource_version.empty();
  if (is_status_written) memory.is_news = false;  // the plan that was applied has seen it
  if (how.result) {
    memory.failures = 0;
    if (how.made > 0) memory.refusals = 0;
  } else if (how.refused) {
    note_refusal(look, how, memory);
  } else if (how.is_stale) {
    memory.stale_version = look.version;
    queue_.add_after(look.key, kLongestWaitForOwnWrite);
  } else if (how.result.error().reason != Reason::kNotFound) {
    back_off(look, how, memory);
  }
}

void Runner::note_refusal(const Look& look, const Applied& how, Memory& memory) {
  ++memory.refusals;
  memory.generation = look.generation;
  memory.refused = how.refused;
  memory.is_news = true;
  const Error& error = how.result.error();
  memory.creates_after = loop_.mono() + std::max(kRefusalBackoff.wait(memory.refusals, error.retry_after, rng_),
                                                 time_of_failures(how.failed));
  if (how.refused->reason == kNamespaceTerminating) {
    close(look.key.ns);
  } else {
    tell_failure(look, "FailedCreate", error, memory);
  }
  queue_.add(look.key);  // to say it on the object
}

void Runner::back_off(const Look& look, const Applied& how, Memory& memory) {
  const Error& error = how.result.error();
  if (is_conflict(error)) {
    return queue_.add_after(look.key, kBackoff.wait(++memory.failures, error.retry_after, rng_));
  }
  const bool is_first = ++memory.failures == 1 && how.failed <= 1;
  const Duration delay =
      is_first ? std::max(kFirstRetry, error.retry_after.value_or(kFirstRetry))
               : std::max(kTroubleBackoff.wait(memory.failures, error.retry_after, rng_), time_of_failures(how.failed));
  memory.quiet_until = loop_.mono() + delay;
  if (concerns_the_user(error.reason)) {
    tell_failure(look, "FailedWrite", error, memory);
  } else {
    LOG_WARN("plan not applied", {"kind", look.key.kind}, {"namespace", look.key.ns}, {"name", look.key.name},
             {"error", error.message});
  }
  queue_.add_after(look.key, delay);
}

/// Says the same only once, however often it is tried again.
void Runner::tell_failure(const Look& look, const char* reason, const Error& error, Memory& memory) {
  const std::string& said = memory.refused ? memory.refused->message : error.message;
  if (memory.told == said) return;
  memory.told = said;
  LOG_WARN("plan not applied", {"kind", look.key.kind}, {"namespace", look.key.ns}, {"name", look.key.name},
           {"error", error.message});
  events_.record(look.reference, "Warning", reason, said);
}

}  // namespace muster::control
