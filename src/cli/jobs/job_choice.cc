#include "cli/jobs/job_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/strings.h"

namespace muster::cli {
namespace {

constexpr const char* kWords[] = {"name",     "phase", "age",  "duration", "gpus",
                                  "restarts", "epoch", "step", "loss",     "accuracy"};
constexpr double kUnknown = std::numeric_limits<double>::infinity();

std::vector<std::string> phase_words() {
  using jobs::State;
  std::vector<std::string> out = {"Stalled"};
  for (const State state : {State::kPending, State::kRunning, State::kRestarting, State::kPaused, State::kResuming,
                            State::kSucceeded, State::kFailed, State::kStopped, State::kDeleting}) {
    out.emplace_back(jobs::state_word(state));
  }
  return out;
}

double or_unknown(const std::optional<double>& value) {
  return value && !std::isnan(*value) ? *value : kUnknown;
}

/// Smaller comes first; the best accuracy and the longest run are what people look for.
double number_of(const JobRow& row, const jobs::Summary& summary, std::string_view word, Time now) {
  if (word == "gpus") return -static_cast<double>(summary.gpus);
  if (word == "restarts") return -static_cast<double>(summary.restarts);
  if (word == "loss") return or_unknown(row.progress.loss);
  const auto descending = [](double value) { return value == kUnknown ? kUnknown : -value; };
  if (word == "epoch") return descending(or_unknown(row.progress.epoch));
  if (word == "step") return descending(or_unknown(row.progress.step));
  if (word == "accuracy") return descending(or_unknown(row.progress.accuracy));
  const auto ran = run_time(summary, now);
  return ran ? -static_cast<double>(ran->count()) : kUnknown;
}

/// Sorts like `keys`, which has one key for each row.
template <typename Key>
void sort_by(std::vector<JobRow>& rows, const std::vector<Key>& keys) {
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  std::vector<JobRow> sorted;
  for (const std::size_t i : order) sorted.push_back(std::move(rows[i]));
  rows = std::move(sorted);
}

Status sort_by_field(std::vector<JobRow>& rows, const SortBy& field) {
  json::Array objects;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    objects.emplace_back(json::Object{{"object", rows[i].found.object}, {"row", static_cast<std::int64_t>(i)}});
  }
  TRY(sort_objects(objects, field, "object"));
  std::vector<JobRow> sorted;
  for (const json::Document& object : objects)
    sorted.push_back(std::move(rows[static_cast<std::size_t>(object.int_at("row"))]));
  rows = std::move(sorted);
  return ok();
}

}  // namespace

Result<JobChoice> JobChoice::parse(const Flags& flags) {
  JobChoice out;
  const std::vector<std::string> known = phase_words();
  for (const std::string& phase : flags.phases.empty() ? std::vector<std::string>() : split(flags.phases, ',')) {
    const auto found =
        std::ranges::find_if(known, [&](const std::string& word) { return to_lower(word) == to_lower(phase); });
    if (found == known.end()) {
      return Error{.reason = Reason::kBadRequest,
                   .message = fmt::format("--phase: must be one of {}, got {}", join(known, ", "), quote(phase))};
    }
    out.phases_.insert(*found);
  }
  if (flags.since && *flags.since < Duration(0)) {
    return Error{.reason = Reason::kBadRequest, .message = "--since must not be negative"};
  }
  out.since_ = flags.since;
  if (std::ranges::find(kWords, flags.sort_by) != std::end(kWords)) {
    out.word_ = flags.sort_by;
  } else if (!flags.sort_by.empty()) {
    TRY_ASSIGN(out.field_, SortBy::parse(flags.sort_by));
  }
  return out;
}

bool JobChoice::admits(const json::Document& job, Time now) const {
  if (since_) {
    const auto created = parse_rfc3339(job.string_at("metadata", "creationTimestamp"));
    if (!created || now - *created > *since_) return false;
  }
  if (phases_.empty()) return true;
  const jobs::Summary summary = jobs::summarise(job);
  return phases_.contains(phase_cell(summary)) || phases_.contains(std::string(jobs::state_word(summary.state)));
}

Status JobChoice::sort(std::vector<JobRow>& rows, Time now) const {
  if (field_) return sort_by_field(rows, *field_);
  if (word_.empty() || word_ == "age") return ok();  // the newest are first already
  if (word_ == "name" || word_ == "phase") {
    std::vector<std::string> keys;
    for (const JobRow& row : rows) {
      keys.push_back(word_ == "name" ? row.found.job.name : phase_cell(jobs::summarise(row.found.object)));
    }
    sort_by(rows, keys);
    return ok();
  }
  std::vector<double> keys;
  for (const JobRow& row : rows) keys.push_back(number_of(row, jobs::summarise(row.found.object), word_, now));
  sort_by(rows, keys);
  return ok();
}

}  // namespace muster::cli
