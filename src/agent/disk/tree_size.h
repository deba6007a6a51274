// What files and folders show of themselves. Measuring walks a whole tree, so it belongs on the disk threads.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <stop_token>
#include <string>

#include "base/time.h"

namespace muster::agent {

struct TreeSize {
  std::int64_t bytes = 0;  // on the disk, without the folder itself
  std::int64_t entries = 0;
  bool is_complete = true;  // false: the walk was ended by a limit, and there is more
};

/// Follows no link and enters no other file system. Ends after `most_entries`, and does not go deeper than 200 folders.
TreeSize measure_tree(const std::string& path, const std::stop_token& stop, std::int64_t most_entries = 500'000);

Time modified_at(const struct stat& what);

}  // namespace muster::agent
