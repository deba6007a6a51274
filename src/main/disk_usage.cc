#include "main/disk_usage.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <utility>

#include "base/strings.h"

namespace muster {
namespace {

constexpr int kMaxFiles = 200'000;  // of one folder: a claim can hold millions, and doctor is to answer at once

/// The folders below DIR; what is in them: agent/disk/paths.h.
constexpr std::array<std::pair<const char*, const char*>, 6> kFolders = {{{"database", "store"},
                                                                          {"logs", "pods"},
                                                                          {"volumes", "volumes"},
                                                                          {"deleted volumes", "deleted-volumes"},
                                                                          {"metrics", "metrics"},
                                                                          {"trash", "trash"}}};

DiskUse use_of(const char* what, const std::string& folder) {
  namespace fs = std::filesystem;
  DiskUse use{.what = what};
  int files = 0;
  std::error_code error;  // what cannot be read is not counted
  auto it = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    struct stat status {};
    if (::lstat(it->path().c_str(), &status) == 0) use.bytes += status.st_blocks * 512;
    if (++files < kMaxFiles) continue;
    use.has_more = true;
    break;
  }
  return use;
}

std::string bytes_text(std::int64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

}  // namespace

std::vector<DiskUse> disk_use(const std::string& data_dir) {
  std::vector<DiskUse> uses;
  for (const auto& [what, folder] : kFolders) {
    const std::string path = data_dir + "/" + folder;
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) uses.push_back(use_of(what, path));
  }
  return uses;
}

std::string disk_use_text(const std::vector<DiskUse>& uses) {
  std::vector<std::string> parts;
  for (const DiskUse& use : uses) {
    parts.push_back(fmt::format("{} {}{}", use.what, use.has_more ? "more than " : "", bytes_text(use.bytes)));
  }
  return join(parts, ", ");
}

}  // namespace muster
