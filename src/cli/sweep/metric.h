// What is known of a run's metric, from the scalars that its program logs. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/document.h"

namespace muster::cli {

enum class Goal { kMin, kMax };

struct MetricValue {
  std::string tag;  // as the program logs it: "train/loss"
  double last = 0;
  double best = 0;
};

bool is_better(double a, double b, Goal goal);

/// Reads a response of `GET …/scalars`. A metric is the tag itself, else a tag that ends in "/METRIC", else one that
/// has METRIC as a part ("Loss/train"), in any case; of several the shortest. Values that are not finite do not count.
std::optional<MetricValue> read_metric(const json::Document& scalars, std::string_view metric, Goal goal);

}  // namespace muster::cli
