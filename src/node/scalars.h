// Scalars: the values that a training logs for TensorBoard, such as its loss, by step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace muster::node {

/// Which event files are those of one job. Trainings write the name of their host into the names of these files; files
/// without one, and all files of a job whose hosts are not known, belong to it by the time of their last change.
struct EventOwner {
  std::vector<std::string> hosts;  // one that ends in "-" stands for all that continue with a number
  Time since;
  std::optional<Time> until;  // absent: the job is running
};

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
  bool is_complete = true;            // false: there are more files, or more bytes, than are read
  std::vector<std::string> problems;  // "runs/a/events…: is damaged …", one for each file that is not read as a whole
};

}  // namespace muster::node
