#include "cli/sweep/create_sweep.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/sweep/sweep_table.h"

namespace muster::cli {

namespace {

const client::ResourceName kNodesOfSweeps{"", "v1", "nodes"};

Failure incomplete(const Error& error, const std::string& sweep, std::size_t made, std::size_t total) {
  Failure failure = failure_of(error);
  if (made == 0) return failure;
  failure.why = failure.what + (failure.why.empty() ? "" : "; " + failure.why);
  failure.what = fmt::format("only {} of {} runs were created", made, total);
  failure.fix = fmt::format("they keep running; muster sweep stop {} ends them", sweep);
  return failure;
}

}  // namespace

std::int64_t usual_parallel(Session& session, const RunShape& shape) {
  if (shape.gpus_per_rank > 0) return 0;
  const auto nodes = session.list(kNodesOfSweeps, "", {});
  if (!nodes) return 1;  // only the owner may see them
  std::int64_t cores = 0;
  for (const json::Document& node : nodes->array_at("items")) {
    const auto cpu = Quantity::parse(node.string_at("status", "allocatable", "cpu"));
    if (cpu) cores += cpu->value();
  }
  return std::max<std::int64_t>(1, cores / shape.ranks);
}

bool is_own_engine(Session& session) {
  const auto text = session.get_text("/version");
  const auto version = text ? json::parse(*text) : Result<json::Document>(text.error());
  return version && version->find("musterVersion") != nullptr;
}

std::optional<Failure> create_sweep(Session& session, const PreparedRun& base, const SweepToCreate& sweep) {
  // The claims are the same for all runs.
  std::vector<MountedFolder> folders = base.job.folders;
  RunObjects claims(session);
  if (const auto named = claims.name_claims(folders); !named) {
    claims.take_back();
    return failure_of(named.error());
  }
  const std::size_t total = sweep.runs.size();
  for (std::size_t i = 0; i < total; ++i) {
    PreparedRun run = base;
    run.job.name = name_of_run(sweep.name, i + 1, total);
    run.job.sweep = sweep.name;
    run.job.parallel = sweep.parallel;
    run.job.folders = folders;
    run.job.command = with_values(base.job.command, sweep.runs[i]);
    for (json::Member& one : annotations_of_run(static_cast<int>(i + 1), static_cast<int>(total), sweep.runs[i])) {
      run.job.annotations.set(one.key, std::move(one.value));
    }
    const auto made = create_run(session, run);
    if (made) continue;
    if (i == 0) claims.take_back();
    return incomplete(made.error(), sweep.name, i, total);
  }
  return std::nullopt;
}

std::string name_of_run(const std::string& sweep, std::size_t number, std::size_t total) {
  return fmt::format("{}-{:0{}}", sweep, number, std::to_string(total).size());
}

}  // namespace muster::cli
