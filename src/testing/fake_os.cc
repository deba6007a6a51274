#include "testing/fake_os.h"

#include <fmt/core.h>

#include <algorithm>

namespace muster::testing {

using agent::AttemptRecord;
using agent::ContainerRecord;
using agent::Presence;
using agent::RunState;
using Shim = FakeMachine::Shim;

namespace {

bool is_alive(Shim shim) {
  return shim == Shim::kWaiting || shim == Shim::kReady || shim == Shim::kRunning;
}

bool has_failed(const ContainerRecord& container) {
  return container.state == RunState::kTerminated && container.code != 0;
}

}  // namespace

// ---- the machine ----

void FakeMachine::server_died() {
  for (auto& [uid, pod] : pods) {
    for (auto& [number, launch] : pod.launches) {
      if (launch.shim != Shim::kWaiting && launch.shim != Shim::kReady) continue;
      launch.shim = Shim::kLeft;
      launch.has_exit_record = true;
    }
  }
}

void FakeMachine::begin_run(const std::string& uid, int launch, const std::string& container, int run, Time now) {
  Pod& pod = pods[uid];
  const std::string what = fmt::format("{} container {} run {}", uid, container, run);
  for (const auto& [number, other] : pod.launches) {
    if (number == launch || !is_alive(other.shim)) continue;
    violations.push_back(fmt::format("{}: launch {} is alive while launch {} begins a run", what, number, launch));
  }
  const std::pair now_runs(launch, boot_id);
  if (pod.policy == agent::RestartPolicy::kNever && pod.ran && *pod.ran != now_runs)
    violations.push_back(what + ": runs again although its policy is Never");
  pod.ran = now_runs;
  if (!begun_.insert(what + boot_id).second) violations.push_back(what + ": began twice");
  for (ContainerRecord& record : pod.launches[launch].record.containers) {
    if (record.name != container) continue;
    if (record.state == RunState::kRunning) violations.push_back(what + ": begins while it runs");
    record.state = RunState::kRunning;
    record.run = run;
    record.started = now;
  }
  pod.launches[launch].record.ran = true;
}

void FakeMachine::end_run(ContainerRecord& container, int code, Time now) {
  container.state = RunState::kTerminated;
  container.code = code;
  container.finished = now;
}

void FakeMachine::leave_if_complete(const Pod& pod, Launch& launch) {
  const auto& containers = launch.record.containers;
  const bool idle = std::ranges::none_of(containers, [](const auto& c) { return c.state == RunState::kRunning; });
  const bool failed = std::ranges::any_of(containers, has_failed);
  if (!idle || pod.policy == agent::RestartPolicy::kAlways) return;
  if (failed && pod.policy == agent::RestartPolicy::kOnFailure) return;
  launch.shim = Shim::kLeft;
  launch.has_exit_record = true;
}

void FakeMachine::step(SeededRng& rng, Time now) {
  for (auto& [uid, pod] : pods) {
    for (auto& [number, launch] : pod.launches) {
      if (!is_alive(launch.shim) || rng.below(2) == 0) continue;
      if (launch.shim == Shim::kWaiting) {
        launch.shim = Shim::kReady;
      } else if (launch.shim == Shim::kRunning) {
        for (ContainerRecord& container : launch.record.containers) {
          if (container.state == RunState::kRunning && rng.below(3) == 0)
            end_run(container, static_cast<int>(rng.below(2)), now);
        }
        leave_if_complete(pod, launch);
        if (is_alive(launch.shim) && rng.below(40) == 0) launch.shim = Shim::kKilled;
        if (is_alive(launch.shim) && rng.below(60) == 0) {  // muster down --stop-jobs
          for (ContainerRecord& container : launch.record.containers) {
            if (container.state == RunState::kRunning) end_run(container, 143, now);
          }
          launch.shim = Shim::kLeft;
          launch.has_exit_record = launch.was_stopped = true;
          pod.ran.reset();
        }
      }
    }
  }
}

void FakeMachine::reboot(SeededRng& rng) {
  boot_id = fmt::format("boot-{}", ++boots);
  for (auto& [uid, pod] : pods) {
    for (auto& [number, launch] : pod.launches) {
      if (is_alive(launch.shim)) launch.shim = Shim::kKilled;
      // The directory entries of a launch, and its records, may not have reached the disk.
      if (rng.below(4) == 0) launch = Launch{.record = {}, .has_folder = rng.below(2) == 0};
    }
    std::erase_if(pod.launches, [](const auto& entry) { return !entry.second.has_folder; });
  }
}

bool FakeMachine::has_processes() const {
  return std::ranges::any_of(pods, [](const auto& pod) {
    return std::ranges::any_of(pod.second.launches, [](const auto& launch) { return is_alive(launch.second.shim); });
  });
}

// ---- the server's view of it ----

FakeMachine::Launch* FakeOs::live(const std::string& uid) {
  for (auto& [number, launch] : machine_.pods[uid].launches) {
    if (is_alive(launch.shim)) return &launch;
  }
  return nullptr;
}

std::optional<int> FakeOs::last_launch(const std::string& uid) const {
  const auto pod = machine_.pods.find(uid);
  if (pod == machine_.pods.end() || pod->second.launches.empty()) return std::nullopt;
  return pod->second.launches.rbegin()->first;
}

std::optional<AttemptRecord> FakeOs::record_of(const std::string& uid, int launch) const {
  const auto pod = machine_.pods.find(uid);
  if (pod == machine_.pods.end()) return std::nullopt;
  const auto found = pod->second.launches.find(launch);
  return found == pod->second.launches.end() ? std::nullopt : std::optional(found->second.record);
}

agent::Sighting FakeOs::look(const std::string& uid, int number) {
  mortality_.pass();
  const auto pod = machine_.pods.find(uid);
  if (pod == machine_.pods.end() || !pod->second.launches.contains(number)) return {};
  const FakeMachine::Launch& launch = pod->second.launches[number];
  switch (launch.shim) {
    case Shim::kWaiting:
      return {own_.contains(uid) ? Presence::kStarting : Presence::kUnclear, launch.record};
    case Shim::kReady:
      return {own_.contains(uid) ? Presence::kReady : Presence::kUnclear, launch.record};
    case Shim::kRunning:
      return {Presence::kRunning, launch.record};
    default:
      break;
  }
  if (launch.was_stopped) return {Presence::kStopped, launch.record};
  if (launch.has_exit_record) return {launch.record.ran ? Presence::kEnded : Presence::kNeverRan, launch.record};
  if (launch.boot_id.empty()) return {Presence::kNeverRan, std::nullopt};
  if (launch.boot_id != machine_.boot_id) return {Presence::kLostReboot, launch.record};
  return {Presence::kLostShim, launch.record};
}

Status FakeOs::prepare(const json::Document& pod, int number, const std::map<std::string, int>& first_runs) {
  const std::string& uid = pod.string_at("metadata", "uid");
  mortality_.pass();
  FakeMachine::Pod& on = machine_.pods[uid];
  on.policy = agent::desired_pod(pod).restart_policy;
  FakeMachine::Launch& launch = on.launches[number];
  if (launch.has_folder) return ok();  // created exclusively: the next look shows what it is
  launch.has_folder = true;
  mortality_.pass();
  launch.boot_id = machine_.boot_id;
  for (const agent::DesiredContainer& container : agent::desired_pod(pod).containers) {
    ContainerRecord record;
    record.name = container.name;
    const auto first = first_runs.find(container.name);
    record.run = first == first_runs.end() ? 0 : first->second;
    launch.record.containers.push_back(std::move(record));
  }
  launch.shim = Shim::kWaiting;
  own_.insert(uid);
  mortality_.pass();
  return ok();
}

Status FakeOs::go(const std::string& uid) {
  mortality_.pass();
  FakeMachine::Launch* launch = live(uid);
  if (launch == nullptr || launch->shim != Shim::kReady || !own_.contains(uid)) return ok();
  launch->shim = Shim::kRunning;
  const int number = machine_.pods[uid].launches.rbegin()->first;
  for (const ContainerRecord& container : std::vector(launch->record.containers)) {
    machine_.begin_run(uid, number, container.name, container.run, now_());
  }
  own_.erase(uid);
  mortality_.pass();
  return ok();
}

Status FakeOs::restart(const std::string& uid, const std::string& name, int run) {
  mortality_.pass();
  FakeMachine::Launch* launch = live(uid);
  const ContainerRecord* container = launch == nullptr ? nullptr : launch->record.find(name);
  if (container == nullptr || launch->shim != Shim::kRunning || container->run >= run) return ok();
  machine_.begin_run(uid, machine_.pods[uid].launches.rbegin()->first, name, run, now_());
  mortality_.pass();
  return ok();
}

Status FakeOs::stop(const std::string& uid, std::int64_t) {
  mortality_.pass();
  FakeMachine::Launch* launch = live(uid);
  if (launch == nullptr) return ok();
  if (launch->shim == Shim::kRunning) {
    for (ContainerRecord& container : launch->record.containers) {
      if (container.state == RunState::kRunning) machine_.end_run(container, 143, now_());
    }
  }
  launch->shim = Shim::kLeft;
  launch->has_exit_record = true;
  mortality_.pass();
  return ok();
}

Status FakeOs::discard(const std::string& uid, int launch) {
  mortality_.pass();
  const auto found = machine_.pods[uid].launches.find(launch);
  if (found == machine_.pods[uid].launches.end()) return ok();
  if (is_alive(found->second.shim)) machine_.violations.push_back(uid + ": the folder of a live shim is removed");
  if (found->second.record.ran) machine_.violations.push_back(uid + ": the folder of a launch that ran is removed");
  machine_.pods[uid].launches.erase(found);
  mortality_.pass();
  return ok();
}

void FakeOs::clean_up(const std::string& uid, int) {
  mortality_.pass();
  if (live(uid) != nullptr) machine_.violations.push_back(uid + ": cleaned up while it runs");
}

}  // namespace muster::testing
