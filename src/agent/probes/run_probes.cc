#include "agent/probes/run_probes.h"

#include <fmt/core.h>

#include <algorithm>

namespace muster::agent {
namespace {

const char* name_of(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::kStartup:
      return "Startup";
    case ProbeKind::kLiveness:
      return "Liveness";
    case ProbeKind::kReadiness:
      return "Readiness";
  }
  return "";
}

std::optional<PodEvent> event_of(ProbeKind kind, const ProbeResult& result) {
  switch (result.kind) {
    case ProbeResult::Kind::kSuccess:
      return std::nullopt;
    case ProbeResult::Kind::kWarning:
      return PodEvent{"Warning", "ProbeWarning", fmt::format("{} probe warning: {}", name_of(kind), result.output)};
    case ProbeResult::Kind::kFailure:
      return PodEvent{"Warning", "Unhealthy", fmt::format("{} probe failed: {}", name_of(kind), result.output)};
    case ProbeResult::Kind::kError:
      return PodEvent{"Warning", "Unhealthy",
                      fmt::format("{} probe errored and resulted in unknown state: {}", name_of(kind), result.output)};
  }
  return std::nullopt;
}

}  // namespace

RunProbes::RunProbes(const std::map<ProbeKind, Probe>& probes, Begin begin) {
  const auto& [now, age, known, stagger] = begin;
  for (const auto& [kind, probe] : probes) {
    const auto wait = std::chrono::duration_cast<Duration>(probe.period * stagger);
    const MonoTime due = now + std::max(probe.initial_delay - age, Duration(0)) + wait;
    states_.emplace(kind, State{.probe = probe, .due = due});
  }
  const ContainerHealth unknown{.started = false, .ready = false};
  health_.started = !states_.contains(ProbeKind::kStartup) || known.value_or(unknown).started;
  health_.ready = health_.started && (!states_.contains(ProbeKind::kReadiness) || known.value_or(unknown).ready);
}

/// The startup probe runs until it succeeds, the others afterwards.
bool RunProbes::is_wanted(ProbeKind kind) const {
  if (kind == ProbeKind::kReadiness) return health_.started;
  return !is_failed_ && (kind == ProbeKind::kStartup) != health_.started;
}

std::vector<ProbeKind> RunProbes::begin_due(MonoTime now) {
  std::vector<ProbeKind> due;
  for (auto& [kind, state] : states_) {
    if (!is_wanted(kind) || state.in_progress || state.due > now) continue;
    state.in_progress = true;
    state.due = now + state.probe.period;
    due.push_back(kind);
  }
  return due;
}

std::optional<MonoTime> RunProbes::next() const {
  std::optional<MonoTime> earliest;
  for (const auto& [kind, state] : states_) {
    if (!is_wanted(kind) || state.in_progress) continue;
    earliest = std::min(earliest.value_or(state.due), state.due);
  }
  return earliest;
}

RunProbes::Verdict RunProbes::take(ProbeKind kind, const ProbeResult& result, MonoTime now) {
  State& state = states_.at(kind);
  state.in_progress = false;
  Verdict verdict{.event = event_of(kind, result)};
  if (!is_wanted(kind) || result.kind == ProbeResult::Kind::kError) return verdict;
  const bool succeeded = result.kind != ProbeResult::Kind::kFailure;
  state.in_a_row = succeeded == state.last_succeeded ? state.in_a_row + 1 : 1;
  state.last_succeeded = succeeded;
  if (state.in_a_row >= (succeeded ? state.probe.success_threshold : state.probe.failure_threshold))
    conclude(kind, succeeded, now, verdict);
  return verdict;
}

void RunProbes::conclude(ProbeKind kind, bool succeeded, MonoTime now, Verdict& verdict) {
  if (kind == ProbeKind::kReadiness) {
    health_.ready = succeeded;
  } else if (!succeeded) {
    is_failed_ = verdict.ends_container = true;
  } else if (kind == ProbeKind::kStartup) {
    health_.started = true;
    health_.ready = !states_.contains(ProbeKind::kReadiness);
    for (auto& [other, state] : states_) state.due = std::max(state.due, now);
  }
}

}  // namespace muster::agent
