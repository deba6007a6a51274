// The files of histories: reading, writing, and how long they are kept. Any thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/metrics/history.h"
#include "base/result.h"
#include "base/time.h"

namespace muster::agent {

/// NotFound when there is none.
Result<StoredHistory> read_history(const std::string& path);
/// Creates the file when it is missing. Nothing is synced: a power failure may cost the last frames.
Status write_history(const std::string& path, const HistoryLayout& layout, const std::vector<FilePatch>& patches);

struct HistoryLimits {
  Duration age{0};         // since the last frame
  std::int64_t bytes = 0;  // of all files together, as they occupy the disk
};
struct HistoryFile {
  std::string name;
  std::int64_t bytes = 0;
  Time changed;
};
/// The files to remove, oldest first: those beyond the age, then as many as it takes to get below the bytes. Pure.
/// Files in use are never removed, but their bytes count.
std::vector<std::string> expired_files(std::vector<HistoryFile> files, const std::set<std::string>& in_use,
                                       const HistoryLimits& limits, Time now);
void remove_expired_files(const std::string& folder, const std::set<std::string>& in_use, const HistoryLimits& limits,
                          Time now);

}  // namespace muster::agent
