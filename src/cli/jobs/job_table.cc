#include "cli/jobs/job_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/strings.h"
#include "base/visible_text.h"

namespace muster::cli {

namespace {

enum Column : std::size_t {
  kNamespaceColumn,
  kNameColumn,
  kKindColumn,
  kPhaseColumn,
  kReplicasColumn,
  kRestartsColumn,
  kAgeColumn,
  kArgumentsColumn,
  kProgressColumn,
  kGpusColumn,
  kDurationColumn,
  kQueueColumn,
  kReasonColumn,
  kColumnCount
};
constexpr std::array<const char*, kColumnCount> kNames = {"NAMESPACE", "NAME",  "KIND",      "PHASE",    "REPLICAS",
                                                          "RESTARTS",  "AGE",   "ARGUMENTS", "PROGRESS", "GPUS",
                                                          "DURATION",  "QUEUE", "REASON"};
// In the order in which they go where a terminal is too narrow for all.
constexpr std::array kDispensable = {kArgumentsColumn, kGpusColumn, kDurationColumn, kProgressColumn};
// The same for columns that say nothing about any job; these go first.
constexpr std::array kDispensableIfEmpty = {kGpusColumn, kArgumentsColumn, kDurationColumn, kReasonColumn,
                                            kProgressColumn};
constexpr std::size_t kColumnGap = 3;
constexpr std::size_t kReadableArguments = 16;
constexpr std::size_t kReadableReason = 11;  // ValueError…

std::string age_of(const json::Document& object, Time now) {
  const auto created = parse_rfc3339(object.string_at("metadata", "creationTimestamp"));
  return created ? human_duration(now - *created) : "-";
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : cell_text(text);
}

std::vector<std::string> cells_of(const JobRow& row, bool wide, Time now) {
  const auto& [job, object] = row.found;
  const jobs::Summary summary = jobs::summarise(object);
  std::vector<std::string> cells(kColumnCount);
  cells[kNamespaceColumn] = cell_text(job.ns);
  cells[kNameColumn] = cell_text(job.name);
  cells[kKindColumn] = cell_text(job.kind.kind);
  cells[kPhaseColumn] = row.deleted ? "Deleted"
                        : wide      ? std::string(jobs::state_word(summary.state))
                                    : phase_cell(summary);
  cells[kReplicasColumn] = std::to_string(summary.wanted());
  cells[kRestartsColumn] = std::to_string(summary.restarts);
  cells[kAgeColumn] = age_of(object, now);
  cells[kArgumentsColumn] = or_dash(row.arguments);
  cells[kProgressColumn] = or_dash(jobs::progress_text(row.progress));
  cells[kGpusColumn] = summary.gpus > 0 ? std::to_string(summary.gpus) : "-";
  const auto ran = run_time(summary, now);
  cells[kDurationColumn] = ran ? human_duration(*ran) : "-";
  cells[kQueueColumn] = or_dash(summary.queue);
  cells[kReasonColumn] = cell_text(wide ? row.reason : short_cause(row.reason));
  return cells;
}

/// What says something new: the passing of time does not, and progress is for the next list.
std::vector<std::string> news_of(std::vector<std::string> cells) {
  for (const Column column : {kAgeColumn, kDurationColumn, kProgressColumn, kArgumentsColumn}) cells[column].clear();
  return cells;
}

bool is_empty(std::size_t column, std::span<const std::vector<std::string>> rows) {
  return std::ranges::all_of(rows, [&](const auto& cells) { return cells[column].empty() || cells[column] == "-"; });
}

const char* color_of(std::string_view phase) {
  if (phase == "Failed") return "31";
  if (phase == "Succeeded") return "32";
  if (phase == "Running") return "36";
  if (phase == "Stopped" || phase == "Deleted" || phase == "Deleting" || phase == "Paused") return "2";
  return "33";  // it waits, restarts or stalls
}

bool is_exception(std::string_view word) {
  const bool ends = word.ends_with("Error") || word.ends_with("Exception") || word.ends_with("Interrupt") ||
                    word.ends_with("Exit") || word.ends_with("Warning");
  const std::size_t name = word.rfind('.') + 1;  // torch.cuda.OutOfMemoryError
  return ends && word[name] >= 'A' && word[name] <= 'Z';
}

}  // namespace

std::string phase_cell(const jobs::Summary& summary) {
  const bool is_stalled = summary.stalled && summary.state == jobs::State::kRunning;
  return is_stalled ? "Stalled" : std::string(jobs::state_word(summary.state));
}

std::string short_cause(const std::string& cause) {
  std::string out = cause.substr(0, cause.find('\n'));
  for (std::size_t begin = 0; begin < out.size();) {
    const std::size_t end = std::min(out.find(' ', begin), out.size());
    std::string_view word = std::string_view(out).substr(begin, end - begin);
    if (word.ends_with(':')) word.remove_suffix(1);
    if (!word.empty() && is_exception(word)) return out.substr(begin);
    begin = end + 1;
  }
  if (out.starts_with("replica ")) out.erase(0, 8);
  const std::size_t pod = out.find(" (pod ");
  const std::size_t close = pod == std::string::npos ? pod : out.find(')', pod);
  if (close != std::string::npos) out.erase(pod, close + 1 - pod);
  return out;
}

std::optional<Duration> run_time(const jobs::Summary& summary, Time now) {
  if (!summary.started) return std::nullopt;
  return (summary.ended ? *summary.ended : now) - *summary.started;
}

std::string count_by_phase(std::span<const FoundJob> jobs) {
  using jobs::State;
  std::map<State, std::size_t> counts;
  std::size_t stalled = 0;
  for (const FoundJob& one : jobs) {
    const State state = jobs::state_of(one.object);
    ++counts[state];
    if (state == State::kRunning && jobs::summarise(one.object).stalled) ++stalled;
  }
  std::vector<std::string> parts;
  for (const auto& [state, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, jobs::state_word(state)));
    if (state == State::kRunning && stalled > 0) parts.back() += fmt::format(" ({} of them stalled)", stalled);
  }
  if (jobs.empty()) return "no jobs";
  return fmt::format("{} job{}: {}", jobs.size(), jobs.size() == 1 ? "" : "s", join(parts, ", "));
}

JobTable::JobTable(JobTableOptions options) : options_(options) {}

void JobTable::choose_columns(const std::vector<Cells>& all) {
  const auto rows = std::span(all).subspan(options_.headers ? 1 : 0);
  std::array<std::size_t, kColumnCount> widths{};
  for (const Cells& cells : all) {
    for (std::size_t i = 0; i < kColumnCount; ++i) widths[i] = std::max(widths[i], text_width(cells[i]));
  }
  for (std::size_t i = 0; i < kColumnCount; ++i) {
    const bool is_only_wide =
        i == kKindColumn || i == kReplicasColumn || i == kRestartsColumn || i == kAgeColumn || i == kQueueColumn;
    if ((i == kNamespaceColumn && !options_.with_namespace) || (is_only_wide && !options_.wide)) continue;
    columns_.push_back(i);
  }
  widths[kArgumentsColumn] = std::min(widths[kArgumentsColumn], kReadableArguments);
  widths[kReasonColumn] = std::min(widths[kReasonColumn], kReadableReason);
  const auto total = [&] {
    return std::accumulate(columns_.begin(), columns_.end(), kColumnGap * (columns_.size() - 1),
                           [&](std::size_t sum, std::size_t i) { return sum + widths[i]; });
  };
  const auto is_too_wide = [&] { return options_.width > 0 && !options_.wide && total() > options_.width; };
  for (const std::size_t column : kDispensableIfEmpty) {
    if (is_too_wide() && !options_.is_watch && is_empty(column, rows)) std::erase(columns_, column);
  }
  for (const std::size_t column : kDispensable) {
    if (is_too_wide()) std::erase(columns_, column);
  }
  Columns::Fit fit{.width = options_.width, .whole = options_.with_namespace ? 2U : 1U};
  // Half of a loss is a wrong loss.
  const auto progress = std::ranges::find(columns_, kProgressColumn);
  if (progress != columns_.end()) fit.kept = static_cast<std::size_t>(progress - columns_.begin());
  layout_.emplace(fit);
}

JobTable::Cells JobTable::chosen(const Cells& all) const {
  Cells out;
  for (const std::size_t column : columns_) out.push_back(all[column]);
  return out;
}

std::string JobTable::print(std::span<const JobRow> rows, Time now) {
  std::vector<Cells> all;
  for (const JobRow& row : rows) {
    Cells cells = cells_of(row, options_.wide, now);
    Cells& shown = shown_[fmt::format("{}/{}", row.found.job.ns, row.found.job.label())];
    Cells news = news_of(cells);
    if (shown == news) continue;
    shown = std::move(news);
    all.push_back(std::move(cells));
  }
  if (all.empty()) return "";
  const bool is_first = columns_.empty();
  if (is_first && options_.headers) all.insert(all.begin(), Cells(kNames.begin(), kNames.end()));
  if (is_first) choose_columns(all);
  std::vector<Cells> lines;
  for (const Cells& cells : all) lines.push_back(chosen(cells));
  const auto phase = static_cast<std::size_t>(std::ranges::find(columns_, kPhaseColumn) - columns_.begin());
  return layout_->lines(lines, [&](std::size_t row, std::size_t column, std::string cell) {
    const bool is_header = is_first && options_.headers && row == 0;
    if (!options_.color || column != phase || is_header) return cell;
    return fmt::format("\x1b[{}m{}\x1b[0m", color_of(cell), cell);
  });
}

}  // namespace muster::cli
