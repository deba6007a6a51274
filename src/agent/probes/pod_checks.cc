#include "agent/probes/pod_checks.h"

#include <fmt/core.h>

#include <algorithm>

#include "agent/pod/pod_facts.h"
#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

using json::Document;

constexpr const char* kBegunFile = "/prestop";
constexpr Duration kRetryKill = std::chrono::seconds(1);

PodEvent event(const char* type, const char* reason, std::string message) {
  return {.type = type, .reason = reason, .message = std::move(message)};
}

/// What the API shows of this run, when an earlier server has watched it.
std::optional<ContainerHealth> known_health(const Document& pod, const ContainerRecord& record) {
  for (const Document& status : pod.array_at("status", "containerStatuses")) {
    if (status.string_at("name") != record.name || status.int_at("restartCount") != record.run) continue;
    if (status.at("state", "running") == nullptr) return std::nullopt;
    return ContainerHealth{.started = status.bool_at("started"), .ready = status.bool_at("ready")};
  }
  return std::nullopt;
}

/// When an earlier server began the preStop hooks of this launch.
std::optional<Time> read_begun(const std::string& launch_folder) {
  const auto text = read_file(launch_folder + kBegunFile);
  return text ? parse_rfc3339(*text) : std::nullopt;
}

double random_part(Rng& rng) {
  return static_cast<double>(rng.next() >> 11) * 0x1.0p-53;
}

}  // namespace

PodChecks::PodChecks(Loop& loop, Rng& rng, ActionRunner& runner, Sources sources)
    : loop_(loop), rng_(rng), runner_(runner), sources_(std::move(sources)) {}

// ---- what runs ----

PodChecks::Pod* PodChecks::follow(const Document& pod) {
  const std::string& uid = pod.string_at("metadata", "uid");
  if (const auto found = pods_.find(uid); found != pods_.end()) return found->second.get();
  auto checks = checks_of(pod);
  if (checks.empty()) return nullptr;
  auto on = std::make_unique<Pod>();
  on->checks = std::move(checks);
  const DesiredPod desired = desired_pod(pod);
  on->grace_seconds = desired.grace_seconds;
  on->restarts = desired.restart_policy != RestartPolicy::kNever;
  on->hooks_begun = read_begun(sources_.launch_folder(uid));
  return pods_.emplace(uid, std::move(on)).first->second.get();
}

void PodChecks::look(const Document& pod, const Sighting& seen, PodContext& around) {
  const std::string& uid = pod.string_at("metadata", "uid");
  if (seen.presence != Presence::kRunning || !seen.record) return forget(uid);
  Pod* on = follow(pod);
  if (on == nullptr) return;
  for (const ContainerRecord& record : seen.record->containers) {
    if (record.is_init) continue;
    const auto known = on->runs.find(record.name);
    if (record.state != RunState::kRunning) {
      on->runs.erase(record.name);
    } else if (known == on->runs.end() || known->second->run != record.run) {
      begin_run(pod, *on, record);
    }
  }
  for (const auto& [name, run] : on->runs) {
    around.health[name] = run->probes ? run->probes->health() : ContainerHealth{.started = false, .ready = false};
  }
  around.stop_hooks = stop_hooks_of(*on);
}

StopHooks PodChecks::stop_hooks_of(const Pod& on) const {
  using State = StopHooks::State;
  if (on.hooks_begun) {
    const bool in_progress =
        std::ranges::any_of(on.runs, [](const auto& item) { return item.second->hook != nullptr; });
    return {in_progress ? State::kRunning : State::kDone, *on.hooks_begun};
  }
  const bool has_hook = std::ranges::any_of(on.runs, [&on](const auto& item) {
    const auto checks = on.checks.find(item.first);
    return checks != on.checks.end() && checks->second.pre_stop;
  });
  return {has_hook ? State::kDue : State::kNone, {}};
}

void PodChecks::begin_run(const Document& pod, Pod& on, const ContainerRecord& record) {
  const std::string& uid = pod.string_at("metadata", "uid");
  const std::string& name = record.name;
  auto& slot = on.runs[name];
  if (slot) cancel(slot->timer);
  slot = std::make_unique<Run>();
  Run& run = *slot;
  run.run = record.run;
  run.target = {.uid = uid, .container = name, .address = pod.string_at("status", "podIP")};
  const auto known = known_health(pod, record);
  const auto checks = on.checks.find(name);
  const Duration age = loop_.now() - record.started.value_or(loop_.now());
  // After a restart of the server the probes of all pods would otherwise be due at the same moment.
  const RunProbes::Begin begin{
      .now = loop_.mono(), .age = age, .known = known, .stagger = known ? random_part(rng_) : 0};
  if (checks == on.checks.end() || !checks->second.post_start || known) return begin_probes(uid, name, run, begin);
  run_hook(uid, run, *checks->second.post_start, std::nullopt, [this, uid, name, &run](bool succeeded) {
    if (!succeeded) {
      // The hook's output stays out of events: it may hold secrets.
      sources_.report(uid, event("Warning", "FailedPostStartHook", "PostStartHook failed"));
      return end_run(uid, name, run, "FailedPostStartHook", pods_.at(uid)->grace_seconds);
    }
    begin_probes(uid, name, run, {.now = loop_.mono()});
    sources_.on_change(uid);
  });
}

// ---- probes ----

void PodChecks::begin_probes(const std::string& uid, const std::string& name, Run& run, RunProbes::Begin begin) {
  const Pod& on = *pods_.at(uid);
  const auto checks = on.checks.find(name);
  run.probes.emplace(checks == on.checks.end() ? std::map<ProbeKind, Probe>{} : checks->second.probes, begin);
  probe_due(uid, name, run);
}

void PodChecks::probe_due(const std::string& uid, const std::string& name, Run& run) {
  for (const ProbeKind kind : run.probes->begin_due(loop_.mono())) {
    const Probe& probe = run.probes->probe(kind);
    run.in_progress[kind] = runner_.run(run.target, probe.action, probe.timeout,
                                        run.lifetime.guard([this, uid, name, &run, kind](const ProbeResult& result) {
                                          take(uid, name, run, kind, result);
                                        }));
  }
  schedule(uid, name, run);
}

void PodChecks::schedule(const std::string& uid, const std::string& name, Run& run) {
  cancel(run.timer);
  const auto next = run.is_ending ? std::nullopt : run.probes->next();
  if (!next) return;
  run.timer = loop_.after(std::max(*next - loop_.mono(), Duration(0)), run.lifetime.guard([this, uid, name, &run] {
    run.timer = 0;
    probe_due(uid, name, run);
  }));
}

void PodChecks::take(const std::string& uid, const std::string& name, Run& run, ProbeKind kind,
                     const ProbeResult& result) {
  run.in_progress.erase(kind);
  if (run.is_ending) return;
  const ContainerHealth before = run.probes->health();
  const RunProbes::Verdict verdict = run.probes->take(kind, result, loop_.mono());
  if (verdict.event) sources_.report(uid, *verdict.event);
  if (verdict.ends_container) {
    const Pod& on = *pods_.at(uid);
    const std::string why =
        fmt::format("Container {} failed {} probe{}", name, kind == ProbeKind::kStartup ? "startup" : "liveness",
                    on.restarts ? ", will be restarted" : "");
    end_run(uid, name, run, why, run.probes->probe(kind).grace_seconds.value_or(on.grace_seconds));
  }
  schedule(uid, name, run);
  if (run.probes->health() != before) sources_.on_change(uid);
}

// ---- the end of a container ----

void PodChecks::end_run(const std::string& uid, const std::string& name, Run& run, const std::string& why,
                        std::int64_t grace) {
  if (std::exchange(run.is_ending, true)) return;
  sources_.report(uid, event("Normal", "Killing", why));
  run_pre_stop(uid, name, run, grace, std::chrono::seconds(grace));
}

void PodChecks::run_pre_stop(const std::string& uid, const std::string& name, Run& run, std::int64_t grace,
                             std::optional<Duration> timeout) {
  run.hook.reset();  // its postStart hook
  const Pod& on = *pods_.at(uid);
  const auto checks = on.checks.find(name);
  if (checks == on.checks.end() || !checks->second.pre_stop || grace <= 0) return kill(uid, name, run, grace);
  const MonoTime begun = loop_.mono();
  run_hook(uid, run, *checks->second.pre_stop, timeout, [this, uid, name, &run, grace, begun](bool succeeded) {
    if (!succeeded) sources_.report(uid, event("Warning", "FailedPreStopHook", "PreStopHook failed"));
    kill(uid, name, run, grace_after_hooks(grace, loop_.mono() - begun));
    if (pods_.at(uid)->hooks_begun) sources_.on_change(uid);
  });
}

void PodChecks::run_hook(const std::string& uid, Run& run, const Action& hook, std::optional<Duration> timeout,
                         UniqueFunction<void(bool)> done) {
  run.hook = runner_.run(
      run.target, hook, timeout,
      run.lifetime.guard([uid, &run, hook, done = std::move(done)](const ProbeResult& result) mutable {
        const bool succeeded = result.kind == ProbeResult::Kind::kSuccess || result.kind == ProbeResult::Kind::kWarning;
        if (!succeeded)
          LOG_WARN("hook failed", {"uid", uid}, {"container", run.target.container}, {"error", result.output});
        run.hook.reset();
        done(succeeded);
      }));
}

void PodChecks::kill(const std::string& uid, const std::string& name, Run& run, std::int64_t grace) {
  sources_.kill(uid, name, run.run, grace, run.lifetime.guard([this, uid, name, &run, grace](const Status& done) {
    if (done) return;
    if (done.error().reason == Reason::kServiceUnavailable) {  // its shim is not connected at the moment
      loop_.after(kRetryKill, run.lifetime.guard([this, uid, name, &run, grace] { kill(uid, name, run, grace); }));
      return;
    }
    sources_.report(uid, event("Warning", "FailedKillPod",
                               fmt::format("container {} was not ended: {}", name, done.error().message)));
  }));
}

// ---- the end of a pod ----

void PodChecks::run_stop_hooks(const Document& pod, std::int64_t grace) {
  const std::string& uid = pod.string_at("metadata", "uid");
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  Pod& on = *found->second;
  const bool is_first = !on.hooks_begun;
  if (is_first) {
    on.hooks_begun = loop_.now();
    // A server that restarts in between must not run them again.
    const std::string file = sources_.launch_folder(uid) + kBegunFile;
    if (const auto kept = write_file_atomically(file, format_rfc3339_micro(*on.hooks_begun), 0600); !kept)
      LOG_WARN("not written", {"file", file}, {"error", kept.error().message});
  }
  cancel(on.hooks_timer);
  const Duration left = *on.hooks_begun + std::chrono::seconds(grace) - loop_.now();
  on.hooks_timer = loop_.after(std::max(left, Duration(0)), lifetime_.guard([this, uid] { give_up_hooks(uid); }));
  if (!is_first) return;
  for (const auto& [name, run] : on.runs) {
    // A container that already ends has begun its hook.
    if (!std::exchange(run->is_ending, true)) run_pre_stop(uid, name, *run, grace, std::nullopt);
    cancel(run->timer);
  }
  sources_.on_change(uid);
}

void PodChecks::give_up_hooks(const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  found->second->hooks_timer = 0;
  for (const auto& [name, run] : found->second->runs) {
    if (!run->hook) continue;
    LOG_WARN("preStop hook not completed in grace period", {"uid", uid}, {"container", name});
    run->hook.reset();
  }
  sources_.on_change(uid);
}

void PodChecks::cancel(Loop::Id& timer) {
  if (timer != 0) loop_.cancel(std::exchange(timer, 0));
}

}  // namespace muster::agent
