// The end of following a job: how it ended, what it reached, and what one can do next. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "jobs/progress.h"
#include "jobs/summary.h"

namespace muster::cli {

/// "3 min 12 s", "1 h 5 min", "2 d 3 h"; "less than 1 s".
std::string spoken_duration(Duration duration);

struct EndOfJob {
  std::string name;
  jobs::Summary summary;
  jobs::Progress progress;
  bool has_curves = false;
};
/// "Succeeded in 3 min 12 s, loss 0.031, accuracy 0.97", and a line of commands.
std::string last_line(const EndOfJob& end);

}  // namespace muster::cli
