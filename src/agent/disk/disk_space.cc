#include "agent/disk/disk_space.h"

#include <fmt/core.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>

#include "base/strings.h"

namespace muster::agent {
namespace {

constexpr std::int64_t kLeastReserved = std::int64_t{64} << 20;
constexpr std::int64_t kMostReserved = std::int64_t{1} << 30;
constexpr std::int64_t kMostSlack = std::int64_t{64} << 20;
constexpr std::int64_t kMostReservedFiles = 10'000;

}  // namespace

Result<DiskSpace> look_at_space(const std::string& path) {
  struct statvfs disk {};
  if (::statvfs(path.c_str(), &disk) != 0) return errno_error("statvfs " + quote(path), errno);
  const auto block = static_cast<std::int64_t>(disk.f_frsize);
  return DiskSpace{.bytes = static_cast<std::int64_t>(disk.f_blocks) * block,
                   .free_bytes = static_cast<std::int64_t>(disk.f_bavail) * block,
                   .files = static_cast<std::int64_t>(disk.f_files),
                   .free_files = static_cast<std::int64_t>(disk.f_favail)};
}

DiskReserve reserve_of(const DiskSpace& space, const std::optional<Quantity>& wanted) {
  if (wanted && wanted->is_zero()) return {};
  DiskReserve reserve{.bytes = std::min(std::clamp(space.bytes / 100, kLeastReserved, kMostReserved), space.bytes / 10),
                      .files = std::min(space.files / 100, kMostReservedFiles)};
  if (wanted) reserve.bytes = wanted->value();
  return reserve;
}

Shortage shortage_of(const DiskSpace& space, const DiskReserve& reserve) {
  if (space.free_bytes < reserve.bytes) return Shortage::kBytes;
  return space.free_files < reserve.files ? Shortage::kFiles : Shortage::kNone;
}

bool has_recovered(const DiskSpace& space, const DiskReserve& reserve) {
  return space.free_bytes >= reserve.bytes + std::min(reserve.bytes / 4, kMostSlack) &&
         space.free_files >= reserve.files + reserve.files / 4;
}

std::string size_text(std::int64_t bytes) {
  constexpr std::int64_t kKibi = 1024;
  return Quantity::of(bytes / kKibi * kKibi).text(Quantity::Form::kBinary);
}

std::string shortage_text(const DiskSpace& space, const DiskReserve& reserve) {
  if (shortage_of(space, reserve) == Shortage::kFiles)
    return fmt::format("{} inodes free, less than the reserve of {}", space.free_files, reserve.files);
  return fmt::format("{} free, less than the reserve of {}", size_text(space.free_bytes), size_text(reserve.bytes));
}

}  // namespace muster::agent
