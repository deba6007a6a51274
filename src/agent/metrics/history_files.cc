#include "agent/metrics/history_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/fd.h"
#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

Status write_at(const Fd& file, const std::string& path, std::string_view bytes, std::int64_t offset) {
  const ssize_t written = ::pwrite(file.get(), bytes.data(), bytes.size(), offset);
  if (written == static_cast<ssize_t>(bytes.size())) return ok();
  return errno_error("write " + quote(path), written < 0 ? errno : ENOSPC);
}

}  // namespace

Result<StoredHistory> read_history(const std::string& path) {
  TRY_ASSIGN(const std::string bytes, read_file(path));
  return decode_history(bytes);
}

Status write_history(const std::string& path, const HistoryLayout& layout, const std::vector<FilePatch>& patches) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return errno_error("open " + quote(path), errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return errno_error("stat " + quote(path), errno);
  if (status.st_size == 0) TRY(write_at(file, path, encode_header(layout), 0));
  for (const FilePatch& patch : patches) TRY(write_at(file, path, patch.bytes, patch.offset));
  return ok();
}

std::vector<std::string> expired_files(std::vector<HistoryFile> files, const std::set<std::string>& in_use,
                                       const HistoryLimits& limits, Time now) {
  std::ranges::sort(files, {}, [](const HistoryFile& file) { return std::pair(file.changed, file.name); });
  std::int64_t total = 0;
  for (const HistoryFile& file : files) total += file.bytes;
  std::vector<std::string> expired;
  for (const HistoryFile& file : files) {
    if (in_use.contains(file.name)) continue;
    if (now - file.changed <= limits.age && total <= limits.bytes) break;
    total -= file.bytes;
    expired.push_back(file.name);
  }
  return expired;
}

void remove_expired_files(const std::string& folder, const std::set<std::string>& in_use, const HistoryLimits& limits,
                          Time now) {
  std::vector<HistoryFile> files;
  std::error_code error;  // no folder, no files
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    struct stat status {};
    if (::lstat(entry.path().c_str(), &status) != 0) continue;
    const auto changed = std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec);
    files.push_back({entry.path().filename().string(), status.st_blocks * 512, Time(changed)});
  }
  for (const std::string& name : expired_files(std::move(files), in_use, limits, now)) {
    const std::string path = folder + "/" + name;
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
      LOG_WARN("old metrics not removed", {"error", errno_error("remove " + quote(path), errno).message});
  }
}

}  // namespace muster::agent
