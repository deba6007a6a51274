#include "cli/jobs/curve_problems.h"

#include <fmt/core.h>

namespace muster::cli {

std::string curve_problems(const std::string& job, const json::Document& scalars) {
  std::string lines;
  for (const json::Document& problem : scalars.array_at("problems")) {
    if (problem.is_string()) lines += fmt::format("warning: curves of {}: {}\n", job, problem.as_string());
  }
  return lines;
}

}  // namespace muster::cli
