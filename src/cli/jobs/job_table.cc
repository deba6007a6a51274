#include "cli/jobs/job_table.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "jobs/summary.h"

namespace muster::cli {

namespace {

std::string age_of(const json::Document& object, Time now) {
  const auto created = parse_rfc3339(object.string_at("metadata", "creationTimestamp"));
  return created ? human_duration(now - *created) : "-";
}

std::vector<std::string> cells_of(const JobRow& row, const std::string& age) {
  const auto& [job, object] = row.found;
  const jobs::Summary summary = jobs::summarise(object);
  return {job.name,
          job.kind.kind,
          row.deleted ? "Deleted" : std::string(jobs::state_word(summary.state)),
          std::to_string(summary.wanted()),
          std::to_string(summary.restarts),
          age,
          cell_text(row.reason)};
}

}  // namespace

JobTable::JobTable(JobTableOptions options)
    : options_(options), columns_({.width = options.width, .whole = options.with_namespace ? 2U : 1U}) {}

std::string JobTable::print(std::span<const JobRow> rows, Time now) {
  std::vector<std::vector<std::string>> lines;
  const bool first = shown_.empty();
  for (const JobRow& row : rows) {
    const Selected& job = row.found.job;
    std::vector<std::string>& shown = shown_[fmt::format("{}/{}", job.ns, job.label())];
    std::vector<std::string> news = cells_of(row, "");
    if (shown == news) continue;
    shown = std::move(news);
    lines.push_back(line(job.ns, cells_of(row, age_of(row.found.object, now))));
  }
  if (first && options_.headers && !lines.empty()) {
    lines.insert(lines.begin(), line("NAMESPACE", {"NAME", "KIND", "PHASE", "REPLICAS", "RESTARTS", "AGE", "REASON"}));
  }
  return columns_.lines(lines);
}

std::vector<std::string> JobTable::line(const std::string& ns, std::vector<std::string> cells) const {
  if (options_.with_namespace) cells.insert(cells.begin(), ns);
  return cells;
}

}  // namespace muster::cli
