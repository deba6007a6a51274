#include "cli/sweep/sweep_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "api/muster/sweep_names.h"
#include "base/strings.h"
#include "cli/output/table.h"

namespace muster::cli {

namespace {

std::string number_text(double value) {
  return fmt::format("{:.5g}", value);
}

std::string took(const SweepRun& run, Time now) {
  if (!run.started) return "-";
  return human_duration(run.ended.value_or(now) - *run.started);
}

int order_of(jobs::State state) {
  if (jobs::has_ended(state)) return 1;
  return state == jobs::State::kPending ? 2 : 0;
}

/// Returns the runs to show, in the order of their numbers.
std::vector<const SweepRun*> chosen(const std::vector<SweepRun>& runs, Goal goal, std::size_t most) {
  std::vector<const SweepRun*> all;
  for (const SweepRun& run : runs) all.push_back(&run);
  if (all.size() > most) {
    std::ranges::stable_sort(all, [&](const SweepRun* a, const SweepRun* b) {
      if (order_of(a->state) != order_of(b->state)) return order_of(a->state) < order_of(b->state);
      if (!a->metric || !b->metric) return a->metric.has_value() && !b->metric.has_value();
      return is_better(a->metric->best, b->metric->best, goal);
    });
    all.resize(most);
  }
  std::ranges::stable_sort(all, {}, &SweepRun::number);
  return all;
}

}  // namespace

SweepRun run_of_job(const json::Document& object) {
  SweepRun run{.name = object.string_at("metadata", "name")};
  const std::string& place = object.string_at("metadata", "annotations", api::kSweepRunAnnotation);
  const std::size_t slash = place.find('/');
  run.number = static_cast<int>(parse_int(place.substr(0, slash)).value_or(0));
  if (slash != std::string::npos) run.total = static_cast<int>(parse_int(place.substr(slash + 1)).value_or(0));
  const auto values = json::parse(object.string_at("metadata", "annotations", api::kSweepValuesAnnotation));
  if (values && values->is_object()) {
    for (const json::Member& one : values->as_object()) {
      run.values.emplace_back(one.key, one.value.is_string() ? one.value.as_string() : json::serialize(one.value));
    }
  }
  const jobs::Summary summary = jobs::summarise(object);
  run.state = summary.state;
  run.cause = summary.cause;
  run.started = summary.started;
  run.ended = summary.ended;
  return run;
}

json::Object annotations_of_run(int number, int total, const RunValues& values) {
  json::Object encoded;
  for (const auto& [name, value] : values) encoded.append(name, value);
  return {{api::kSweepRunAnnotation, fmt::format("{}/{}", number, total)},
          {api::kSweepValuesAnnotation, json::serialize(encoded)}};
}

const SweepRun* best_run(const std::vector<SweepRun>& runs, Goal goal) {
  const SweepRun* best = nullptr;
  for (const SweepRun& run : runs) {
    if (!run.metric) continue;
    const bool is_first = best == nullptr || is_better(run.metric->best, best->metric->best, goal) ||
                          (run.metric->best == best->metric->best && run.number < best->number);
    if (is_first) best = &run;
  }
  return best;
}

std::string values_text(const RunValues& values) {
  std::vector<std::string> words;
  for (const auto& [name, value] : values) words.push_back(name + "=" + value);
  return join(words, " ");
}

std::vector<std::vector<std::string>> sweep_rows(const std::vector<SweepRun>& runs, const SweepMetric& metric, Time now,
                                                 std::size_t most) {
  const SweepRun* best = best_run(runs, metric.goal);
  std::vector<std::string> header{"NAME", "PHASE"};
  const RunValues no_values;
  const RunValues& parameters = runs.empty() ? no_values : runs.front().values;
  for (const auto& [name, value] : parameters) header.push_back(name);
  if (best != nullptr) {
    header.push_back(metric.name);
    header.emplace_back("BEST");
  }
  header.emplace_back("TIME");
  header.emplace_back("REASON");
  std::vector<std::vector<std::string>> rows{std::move(header)};
  for (const SweepRun* run : chosen(runs, metric.goal, most)) {
    std::vector<std::string> row{run->name, std::string(jobs::state_word(run->state))};
    for (const auto& [name, ignored] : parameters) {
      const auto found = std::ranges::find(run->values, name, &RunValues::value_type::first);
      row.push_back(found == run->values.end() ? "-" : cell_text(found->second));
    }
    if (best != nullptr) {
      row.push_back(run->metric ? number_text(run->metric->last) : "-");
      row.push_back(run->metric ? number_text(run->metric->best) + (run == best ? " *" : "") : "-");
    }
    row.push_back(took(*run, now));
    row.push_back(cell_text(run->cause));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string sweep_counts(const std::vector<SweepRun>& runs) {
  using jobs::State;
  constexpr std::array kOrder = {State::kRunning, State::kRestarting, State::kResuming,
                                 State::kPending, State::kPaused,     State::kSucceeded,
                                 State::kFailed,  State::kStopped,    State::kDeleting};
  std::vector<std::string> parts;
  for (const State state : kOrder) {
    const auto count = std::ranges::count(runs, state, &SweepRun::state);
    if (count > 0) parts.push_back(fmt::format("{} {}", count, to_lower(jobs::state_word(state))));
  }
  std::string text = fmt::format("{} run{}: {}", runs.size(), runs.size() == 1 ? "" : "s", join(parts, ", "));
  int total = 0;
  for (const SweepRun& run : runs) total = std::max(total, run.total);
  const auto missing = static_cast<std::int64_t>(total) - static_cast<std::int64_t>(runs.size());
  if (missing > 0) text += fmt::format("; {} of {} were deleted or never created", missing, total);
  return text;
}

std::string best_text(const std::vector<SweepRun>& runs, const SweepMetric& metric) {
  const SweepRun* best = best_run(runs, metric.goal);
  if (best == nullptr) return "";
  return fmt::format("best: {} ({}), {} {}", best->name, values_text(best->values), best->metric->tag,
                     number_text(best->metric->best));
}

std::string end_text(const SweepRun& run, const SweepMetric& metric) {
  std::string text = fmt::format("{} ({}) {}", run.name, values_text(run.values), jobs::state_word(run.state));
  if (run.started && run.ended) text += fmt::format(" in {}", human_duration(*run.ended - *run.started));
  if (run.metric) text += fmt::format(", {} {}", metric.name, number_text(run.metric->best));
  if (run.state != jobs::State::kSucceeded && !run.cause.empty()) text += ": " + cell_text(run.cause);
  return text;
}

}  // namespace muster::cli
