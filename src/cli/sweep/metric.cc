#include "cli/sweep/metric.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/strings.h"

namespace muster::cli {

namespace {

/// Returns how well the tag fits, smaller being better; nullopt when it does not.
std::optional<int> distance(std::string_view tag, std::string_view metric) {
  const std::string lower = to_lower(tag);
  if (tag == metric) return 0;
  if (lower == metric) return 1;
  const std::vector<std::string> parts = split(lower, '/');
  if (parts.back() == metric) return 2;
  if (std::ranges::find(parts, metric) != parts.end()) return 3;
  return std::nullopt;
}

/// Adds a series of points [step, time, value]; null stands for a value that is not finite.
void add_points(const json::Document& series, Goal goal, std::optional<std::int64_t>& last_step,
                std::optional<MetricValue>& out) {
  for (const json::Document& point : series.array_at("points")) {
    if (!point.is_array() || point.as_array().size() != 3) continue;
    const json::Document& step = point.as_array()[0];
    const json::Document& value = point.as_array()[2];
    if (!step.is_int() || !value.is_number()) continue;
    const double number = value.as_double();
    if (!out) out = MetricValue{.tag = series.string_at("tag"), .last = number, .best = number};
    if (!last_step || step.as_int() >= *last_step) {
      last_step = step.as_int();
      out->last = number;
    }
    if (is_better(number, out->best, goal)) out->best = number;
  }
}

}  // namespace

bool is_better(double a, double b, Goal goal) {
  return goal == Goal::kMin ? a < b : a > b;
}

std::optional<MetricValue> read_metric(const json::Document& scalars, std::string_view metric, Goal goal) {
  const std::string wanted = to_lower(metric);
  using Fit = std::tuple<int, std::size_t, std::string>;  // distance, length and text of the tag
  std::optional<Fit> closest;
  const auto for_each_series = [&](const auto& visit) {
    for (const json::Document& run : scalars.array_at("runs")) {
      for (const json::Document& series : run.array_at("series")) visit(series, series.string_at("tag"));
    }
  };
  for_each_series([&](const json::Document&, const std::string& tag) {
    const auto how_far = tag == metric ? 0 : distance(tag, wanted);
    if (!how_far) return;
    const Fit fit{*how_far, tag.size(), tag};
    if (!closest || fit < *closest) closest = fit;
  });
  std::optional<MetricValue> out;
  if (!closest) return out;
  std::optional<std::int64_t> last_step;
  for_each_series([&](const json::Document& series, const std::string& tag) {
    if (tag == std::get<2>(*closest)) add_points(series, goal, last_step, out);
  });
  return out;
}

}  // namespace muster::cli
