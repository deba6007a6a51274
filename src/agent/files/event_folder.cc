#include "agent/files/event_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "agent/scalars/event_file.h"
#include "linux/files.h"

namespace muster::agent {
namespace {

using node::FileEntry;
using node::FileType;
using node::ScalarRun;

// A training that logs more than this is read in part: the answer says so, and TensorBoard shows all of it.
constexpr std::size_t kMostFiles = 1000;
constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
constexpr int kDeepestRun = 8;
constexpr std::size_t kPointsPerSeries = 1000;

bool is_event_file(const FileEntry& entry) {
  return entry.type == FileType::kFile && entry.name.find("tfevents") != std::string::npos;
}

std::string below(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

Result<std::string> read_whole(int fd, std::int64_t size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t n = ::pread(fd, bytes.data() + filled, bytes.size() - filled, static_cast<off_t>(filled));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("read an event file", errno);
    if (n == 0) break;
    filled += static_cast<std::size_t>(n);
  }
  bytes.resize(filled);
  return bytes;
}

Result<bool> find_event_file(const ClaimFolder& claim, const std::string& path, int depth,
                             const std::stop_token& stop) {
  TRY_ASSIGN(const node::FilePage page, claim.list(path, {.after = "", .limit = kMostFiles}));
  if (std::ranges::any_of(page.entries, is_event_file)) return true;
  if (depth == kDeepestRun) return false;
  for (const FileEntry& entry : page.entries) {
    if (stop.stop_requested()) return false;
    if (entry.type != FileType::kFolder) continue;
    const auto found = find_event_file(claim, below(path, entry.name), depth + 1, stop);
    if (!found ? found.error().reason != Reason::kNotFound : *found) return found;
  }
  return false;
}

class Walk {
 public:
  Walk(const ClaimFolder& claim, const std::stop_token& stop) : claim_(claim), stop_(stop) {}

  Status enter(const std::string& path, const std::string& name, int depth) {
    TRY_ASSIGN(const node::FilePage page, claim_.list(path, {.after = "", .limit = kMostFiles}));
    if (!page.is_last) found_.is_complete = false;
    SeriesByTag series;
    for (const FileEntry& entry : page.entries) {
      if (stop_.stop_requested()) return ok();
      if (is_event_file(entry)) {
        TRY(read(below(path, entry.name), series));
      } else if (entry.type == FileType::kFolder && depth < kDeepestRun) {
        TRY(enter(below(path, entry.name), name == "." ? entry.name : name + "/" + entry.name, depth + 1));
      }
    }
    add(name, series);
    return ok();
  }

  node::ScalarRuns result() && { return std::move(found_); }

 private:
  Status read(const std::string& path, SeriesByTag& to) {
    auto file = claim_.open_file(path);
    if (!file && file.error().reason == Reason::kNotFound) return ok();  // removed meanwhile
    if (!file) return file.error();
    if (++files_ > kMostFiles || (bytes_ += file->entry.size) > kMostBytes) {
      found_.is_complete = false;
      return ok();
    }
    TRY_ASSIGN(const std::string bytes, read_whole(file->fd.get(), file->entry.size));
    read_event_file(bytes, to);
    return ok();
  }

  void add(const std::string& name, const SeriesByTag& series) {
    if (series.empty()) return;
    ScalarRun run{.name = name};
    for (const auto& [tag, points] : series) run.series.push_back({tag, thinned(points, kPointsPerSeries)});
    found_.runs.push_back(std::move(run));
  }

  const ClaimFolder& claim_;
  const std::stop_token& stop_;
  node::ScalarRuns found_;
  std::size_t files_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace

Result<node::ScalarRuns> read_event_folder(const ClaimFolder& claim, const std::string& path,
                                           const std::stop_token& stop) {
  Walk walk(claim, stop);
  const Status done = walk.enter(path, ".", 0);
  if (!done && done.error().reason != Reason::kNotFound) return done.error();
  return std::move(walk).result();
}

Result<bool> has_event_files(const ClaimFolder& claim, const std::string& path, const std::stop_token& stop) {
  auto found = find_event_file(claim, path, 0, stop);
  if (!found && found.error().reason == Reason::kNotFound) return false;
  return found;
}

}  // namespace muster::agent
