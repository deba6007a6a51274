#include "cli/output/job_table.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "cli/objects/job_state.h"
#include "cli/output/table.h"

namespace muster::cli {

namespace {

std::string age_of(const json::Document& object, Time now) {
  const auto created = parse_rfc3339(object.string_at("metadata", "creationTimestamp"));
  return created ? human_duration(now - *created) : "-";
}

}  // namespace

std::string job_table(std::span<const FoundJob> jobs, std::span<const std::string> reasons,
                      const JobTableOptions& options) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& ns, std::vector<std::string> row) {
    if (options.with_namespace) row.insert(row.begin(), ns);
    rows.push_back(std::move(row));
  };
  if (options.headers) add("NAMESPACE", {"NAME", "KIND", "PHASE", "REPLICAS", "AGE", "REASON"});
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& [job, object] = jobs[i];
    add(job.ns, {job.name, job.kind.kind, job_phase(object), std::to_string(replica_count(object)),
                 age_of(object, options.now), cell_text(reasons[i])});
  }
  return Columns({.width = options.width, .whole = options.with_namespace ? 2U : 1U}).lines(rows);
}

}  // namespace muster::cli
