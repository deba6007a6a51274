// How much room the disk of the data directory has, and how much of it is kept free for the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/quantity.h"
#include "base/result.h"

namespace muster::agent {

struct DiskSpace {
  std::int64_t bytes = 0;       // of the file system
  std::int64_t free_bytes = 0;  // for ordinary users
  std::int64_t files = 0;       // that it can hold; 0: it does not count them
  std::int64_t free_files = 0;
};
Result<DiskSpace> look_at_space(const std::string& path);

struct DiskReserve {
  std::int64_t bytes = 0;  // 0: none
  std::int64_t files = 0;
};
/// `wanted` are the bytes that the configuration says; 0 turns the whole reserve off. Otherwise it is 1 % of the disk,
/// but 64 MiB at least and 1 GiB at most, and never more than a tenth of the disk.
DiskReserve reserve_of(const DiskSpace& space, const std::optional<Quantity>& wanted);

/// What is less than the reserve. Bytes come first: a disk without free bytes often has no free files either.
enum class Shortage { kNone, kBytes, kFiles };
Shortage shortage_of(const DiskSpace& space, const DiskReserve& reserve);
/// Returns true when there is so much more than the reserve that a small write does not use it up again.
bool has_recovered(const DiskSpace& space, const DiskReserve& reserve);

/// "12Mi"; kibibytes are rounded down.
std::string size_text(std::int64_t bytes);
/// "12Mi free, less than the reserve of 64Mi".
std::string shortage_text(const DiskSpace& space, const DiskReserve& reserve);

}  // namespace muster::agent
