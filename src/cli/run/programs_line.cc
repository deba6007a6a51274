#include "cli/run/programs_line.h"

#include <fmt/core.h>

#include "base/strings.h"

namespace muster::cli {

namespace {

const client::ResourceName kNodesWithGpus{"", "v1", "nodes"};

std::string gpus_text(Session& session, const RunShape& shape, std::string_view command) {
  const std::int64_t gpus = shape.gpus_per_rank * shape.ranks;
  if (gpus > 0) return fmt::format("{} GPU{}", gpus, gpus == 1 ? "" : "s");
  const auto nodes = session.list(kNodesWithGpus, "", {});
  if (!nodes) return "";  // only the owner may see them
  std::int64_t there = 0;
  for (const json::Document& node : nodes->array_at("items")) {
    there += parse_int(node.string_at("status", "allocatable", "nvidia.com/gpu")).value_or(0);
  }
  return there == 0 ? "" : fmt::format("no GPU (this machine has {}: {} --gpus N)", there, command);
}

}  // namespace

std::string programs_line(Session& session, const PreparedRun& prepared, std::string_view command) {
  const std::string& python = prepared.programs.text;
  const std::string gpus = gpus_text(session, prepared.shape, command);
  if (!python.empty()) return fmt::format("python: {}{}{}\n", python, gpus.empty() ? "" : ", ", gpus);
  return gpus.empty() ? "" : fmt::format("note: {}\n", gpus);
}

}  // namespace muster::cli
