// ProgressSource: what pods have written that says how far their job is. The agent implements it.
//
// Loop thread only.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/unique_function.h"
#include "node/claim_files.h"
#include "node/scalars.h"

namespace muster::node {

/// A folder with event files for TensorBoard of one job.
struct EventFolder {
  std::string path;                  // in its claim
  std::vector<ScalarSeries> latest;  // each with its last point
};

struct EventFolders {
  std::vector<EventFolder> folders;  // none of them lies in another one
  bool is_complete = true;           // false: there was more to search than is searched
};

struct EventSearch {
  std::vector<std::string> first;  // paths in the claim
  EventOwner owner;
};

class ProgressSource {
 public:
  virtual ~ProgressSource() = default;
  /// Delivers the last lines, a few KiB, that a container of a pod has written, with the one that it still writes over;
  /// "" when there are none. The callback runs on the loop, once, never inline.
  virtual void log_end(std::string pod_uid, std::string container, UniqueFunction<void(std::string)> done) = 0;
  /// Searches the folder, and at first those that `first` names, for event files of the owner. What it does is limited,
  /// whatever lies there. The callback runs on the loop, once, never inline.
  virtual void recent_events(FilePlace folder, EventSearch search, UniqueFunction<void(Result<EventFolders>)> done) = 0;
};

}  // namespace muster::node
