// Scalars: the values that a training logs for TensorBoard, such as its loss, by step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster::node {

struct ScalarPoint {
  std::int64_t step = 0;
  double time = 0;   // seconds since 1970, as the training's clock had it
  double value = 0;  // may be infinite or NaN
  bool operator==(const ScalarPoint&) const = default;
};

struct ScalarSeries {
  std::string tag;  // "train/loss"
  std::vector<ScalarPoint> points;
};

/// The event files of one folder.
struct ScalarRun {
  std::string name;  // the folder, relative to the one that was asked for; "." for that one
  std::vector<ScalarSeries> series;
};

struct ScalarRuns {
  std::vector<ScalarRun> runs;
  bool is_complete = true;  // false: there are more files, or more bytes, than are read
};

}  // namespace muster::node
