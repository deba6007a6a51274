// The files of one run of a container's log (shim/format.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"

namespace muster::agent {

class LogFiles {
 public:
  /// `pod_folder` holds the logs of all runs of the pod's containers.
  LogFiles(std::string pod_folder, std::string container, int run);

  /// The segments that exist, in ascending order. A log of a shim of version 1 is a single file: segment 0.
  std::vector<int> segments() const;
  std::string path(int segment) const;
  /// Of the line that is being written over (line_state.h).
  std::string state_path() const;
  Fd open(int segment) const;
  /// Returns the segment after `segment`, which is open as `file`; earlier ones may have been removed meanwhile. Once
  /// there is one, nothing more is written to `segment`.
  std::optional<int> after(int segment, const Fd& file) const;

  /// Where the segments are.
  std::string folder() const;
  /// The folder of the shim that runs, or has run, the container: the pod's last one, or the one of the run when the
  /// shim is of version 1.
  std::string launch_folder() const;
  bool is_version_1() const { return is_version_1_; }

 private:
  std::string pod_folder_;
  std::string container_;
  int run_;
  bool is_version_1_;
};

/// Returns the number of the container's last run that has a log.
std::optional<int> last_run(const std::string& pod_folder, const std::string& container);

}  // namespace muster::agent
