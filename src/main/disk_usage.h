// What the engine's folder holds, by purpose, for `muster doctor`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster {

struct DiskUse {
  std::string what;
  std::int64_t bytes = 0;  // as they occupy the disk
  bool has_more = false;   // too many files to count all of them
};
/// Only what exists. Volumes that are folders of the user (muster.dev/path) are not the engine's and not counted.
std::vector<DiskUse> disk_use(const std::string& data_dir);

/// "database 1.2 MiB, logs 12.0 KiB, volumes more than 3.4 GiB".
std::string disk_use_text(const std::vector<DiskUse>& uses);

}  // namespace muster
