// Reads and follows the log of one run of a container on the loop, one chunk per turn, so that a long log does not
// block other work.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/ports.h"
#include "base/result.h"
#include "node/node_api.h"

namespace muster::agent {

/// How much of removed logs all readers of a node keep on the disk together, because they have not come to it yet. Loop
/// thread only.
class RemovedLogs {
 public:
  explicit RemovedLogs(std::int64_t most_bytes = std::int64_t{2} << 30) : most_bytes_(most_bytes) {}

  /// Returns how much a reader may keep that keeps `own` bytes now.
  std::int64_t room_for(std::int64_t own) const { return most_bytes_ - (kept_bytes_ - own); }
  void change(std::int64_t bytes) { kept_bytes_ += bytes; }

 private:
  std::int64_t most_bytes_;
  std::int64_t kept_bytes_ = 0;
};

/// `run` is the container's restart count. The stream crosses the log's segments. It ends when the run has ended and
/// all of its output was delivered or, without `follow`, at the end of the log; it ends with an error when the log
/// cannot be read. `removed` is shared by all readers of a node.
Result<std::unique_ptr<node::LogStream>> open_log_stream(Loop& loop, const std::string& pod_folder, int run,
                                                         const node::LogRequest& request,
                                                         UniqueFunction<void(std::string_view)> on_text,
                                                         UniqueFunction<void(Status)> on_end,
                                                         std::shared_ptr<RemovedLogs> removed);

}  // namespace muster::agent
