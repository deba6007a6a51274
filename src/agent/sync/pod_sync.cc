#include "agent/sync/pod_sync.h"

#include <algorithm>

#include "api/muster/names.h"

namespace muster::agent {
namespace {

using json::Document;

constexpr const char* kNames = "";  // the key in the queue that stands for the names, which no pod's uid equals
// Each sync may start processes, so requests are served between two slices of them.
constexpr WorkLimits kSyncLimits{.running = 1, .per_turn = 16, .starts_idle = false};

bool is_past_ready(Presence presence) {
  switch (presence) {
    case Presence::kNothing:
    case Presence::kStarting:
    case Presence::kUnclear:
    case Presence::kNeverRan:
      return false;
    default:
      return true;
  }
}

}  // namespace

PodSync::PodSync(Loop& loop, Os& os, PodApi& api, const NodeObjects& objects, Names& names, LaunchPlanner& planner,
                 Sources sources)
    : loop_(loop),
      objects_(objects),
      names_(names),
      planner_(planner),
      sources_(std::move(sources)),
      keeper_(
          os, api, [this](const Document& pod, const Sighting& seen) { return look_around(pod, seen); },
          sources_.run_stop_hooks),
      queue_(loop, kSyncLimits, [this](const std::string& key) { sync(key); }) {}

void PodSync::look_at_waiting() {
  for (const std::string& uid : keeper_.waiting()) queue_.add(uid);
}

void PodSync::on_pod_changed(const Document* before, const Document* now) {
  for (const Document* pod : {before, now}) {
    if (pod != nullptr) queue_.add(pod->string_at("metadata", "uid"));
  }
  if (gangs_.on_pod_changed(before, now)) look_at_waiting();
}

void PodSync::write_names() {
  queue_.add(kNames);
}

void PodSync::sync(const std::string& key) {
  if (const auto again = names_.write_outdated()) queue_.add_after(kNames, *again);
  if (key != kNames) sync_pod(key);
  queue_.done(key);
}

void PodSync::sync_pod(const std::string& uid) {
  const auto pod = objects_.find_pod(uid);
  const bool was_known = keeper_.knows(uid);
  const bool was_ready = keeper_.presence_of(uid) == Presence::kReady;
  const auto again = keeper_.sync(uid, pod.get(), loop_.now());
  if (again) {
    queue_.add_after(uid, *again);
  } else {
    queue_.forget(uid);
  }
  if (was_known && !keeper_.knows(uid)) sources_.on_gone(uid);
  // The shim was sent "go" because all of its gang are ready: the others go too.
  if (pod == nullptr || !was_ready || keeper_.presence_of(uid) == Presence::kReady) return;
  for (const std::string& member : gangs_.members(*pod)) {
    if (keeper_.presence_of(member) == Presence::kReady) queue_.add(member);
  }
}

PodContext PodSync::look_around(const Document& pod, const Sighting& seen) {
  const std::string& uid = pod.string_at("metadata", "uid");
  PodContext around;
  around.first_restart_delay = sources_.first_restart_delay;
  around.address = names_.address_of(pod);
  around.eviction = sources_.eviction_of(uid);
  // Only the ranks of jobs are expected to do something all the time.
  const bool is_rank = pod.at("metadata", "labels", api::kAttemptLabel) != nullptr;
  if (is_rank) around.stall = sources_.stall_of(uid);
  if (seen.presence == Presence::kNothing) {
    around.readiness = readiness_of(pod);
  }
  if (seen.presence == Presence::kReady) around.gang_is_ready = gang_is_ready(pod);
  sources_.check(pod, seen, around);
  return around;
}

Readiness PodSync::readiness_of(const Document& pod) {
  using State = Readiness::State;
  if (!gangs_.is_bound(pod)) return {State::kWaits, "ContainerCreating", "", ""};
  Readiness readiness = planner_.readiness_of(pod);
  const std::string problem = readiness.state == State::kReady ? sources_.disk_problem() : "";
  if (problem.empty()) return readiness;
  return {State::kWaits, "DiskPressure", "DiskPressure", "The node has the condition DiskPressure: " + problem};
}

bool PodSync::gang_is_ready(const Document& pod) {
  const auto& members = gangs_.members(pod);
  return gangs_.is_bound(pod) && std::ranges::all_of(members, [this](const std::string& uid) {
           const auto other = objects_.find_pod(uid);
           return is_past_ready(keeper_.presence_of(uid)) || (other != nullptr && desired_pod(*other).has_ended);
         });
}

std::vector<std::shared_ptr<const Document>> PodSync::gang_of(const Document& pod) const {
  std::vector<std::shared_ptr<const Document>> gang;
  for (const std::string& uid : gangs_.members(pod)) {
    if (auto member = objects_.find_pod(uid)) gang.push_back(std::move(member));
  }
  if (gang.empty()) gang.push_back(std::make_shared<const Document>(pod));  // it starts on its own
  return gang;
}

}  // namespace muster::agent
