#include "agent/files/event_folder.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <utility>

#include "agent/scalars/event_file.h"
#include "agent/scalars/event_owner.h"
#include "linux/files.h"

namespace muster::agent {
namespace {

using node::FileEntry;
using node::FileType;
using node::ScalarRun;

// A training that logs more than this is read in part: the answer says so, and TensorBoard shows all of it.
constexpr std::size_t kMostFiles = 1000;
constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
constexpr std::int64_t kMostBytesOfFile = std::int64_t{64} << 20;
constexpr int kDeepestRun = 8;
constexpr std::size_t kPointsPerSeries = 1000;
constexpr std::size_t kMostProblems = 20;

bool is_event_file(const FileEntry& entry) {
  return entry.type == FileType::kFile && entry.name.find("tfevents") != std::string::npos;
}

std::string below(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

Result<std::string> read_from(int fd, std::int64_t offset, std::int64_t size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t n = ::pread(fd, bytes.data() + filled, bytes.size() - filled, offset + static_cast<off_t>(filled));
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
  Walk(const ClaimFolder& claim, const std::optional<node::EventOwner>& owner, const std::stop_token& stop)
      : claim_(claim), owner_(owner), stop_(stop) {}

  Status enter(const std::string& path, const std::string& name, int depth) {
    TRY_ASSIGN(const node::FilePage page, claim_.list(path, {.after = "", .limit = kMostFiles}));
    if (!page.is_last) found_.is_complete = false;
    SeriesByTag series;
    for (const FileEntry& entry : page.entries) {
      if (stop_.stop_requested()) return ok();
      if (is_event_file(entry)) {
        if (owner_ && !is_of_owner(*owner_, entry.name, entry.modified)) continue;
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
    if (++files_ > kMostFiles || bytes_ >= kMostBytes) {
      if (std::exchange(is_full_, true)) return ok();
      add_problem(path, fmt::format("is left out, and so are those after it; the files before it are {}, with {} MiB",
                                    files_ - 1, bytes_ >> 20));
      return ok();
    }
    // Of a file that is larger than what is left to read, the end counts.
    const std::int64_t size = std::min({file->entry.size, kMostBytes - bytes_, kMostBytesOfFile});
    const std::int64_t from = file->entry.size - size;
    bytes_ += size;
    TRY_ASSIGN(const std::string bytes, read_from(file->fd.get(), from, size));
    const EventFileDamage damage = read_event_file(bytes, to, from == 0 ? FilePart::kWhole : FilePart::kEnd);
    if (from > 0)
      add_problem(path, fmt::format("is too large, got {} MiB; only its last {} MiB are shown", file->entry.size >> 20,
                                    size >> 20));
    add_damage(path, from, damage);
    return ok();
  }

  void add_damage(const std::string& path, std::int64_t from, const EventFileDamage& damage) {
    const auto place = [from](std::size_t at) { return from + static_cast<std::int64_t>(at); };
    if (damage.given_up && !damage.first) {
      add_problem(path, fmt::format("has no event from byte {} on; is it a file of TensorBoard?", from));
    } else if (damage.given_up) {
      add_problem(path, fmt::format("is damaged from byte {}; what comes after byte {} is left out",
                                    place(*damage.first), place(*damage.given_up)));
    } else if (damage.first) {
      add_problem(path, fmt::format("is damaged from byte {}; the values that cannot be read are left out",
                                    place(*damage.first)));
    } else if (damage.cut && owner_ && owner_->until) {
      // While the job is running, it may be writing there.
      add_problem(path, fmt::format("ends within a record at byte {}; the values of that record are left out",
                                    place(*damage.cut)));
    }
  }

  void add_problem(const std::string& path, const std::string& what) {
    found_.is_complete = false;
    if (found_.problems.size() < kMostProblems) found_.problems.push_back(path + ": " + what);
  }

  void add(const std::string& name, const SeriesByTag& series) {
    if (series.empty()) return;
    ScalarRun run{.name = name};
    for (const auto& [tag, points] : series) run.series.push_back({tag, thinned(points, kPointsPerSeries)});
    found_.runs.push_back(std::move(run));
  }

  const ClaimFolder& claim_;
  const std::optional<node::EventOwner>& owner_;
  const std::stop_token& stop_;
  node::ScalarRuns found_;
  std::size_t files_ = 0;
  std::int64_t bytes_ = 0;
  bool is_full_ = false;
};

// ---- the search in folders that nobody has named ----

constexpr int kDeepestSearch = 5;
constexpr std::size_t kMostSearchedFolders = 2000;
constexpr std::size_t kMostSearchedEntries = 20'000;
constexpr std::size_t kMostFound = 50;
constexpr std::int64_t kTail = 64 << 10;  // of an event file: enough for the last values of many series

/// Folders with very many files that hold no logs.
bool is_passed_over(const std::string& name) {
  static constexpr std::string_view kNames[] = {"__pycache__", "node_modules", "site-packages", "venv", "wandb"};
  return name.starts_with('.') || std::ranges::find(kNames, name) != std::end(kNames);
}

/// Looks at the folders near the top first, so that what is not searched is what lies deep.
class Search {
 public:
  Search(const ClaimFolder& claim, const node::EventSearch& wanted, const std::stop_token& stop)
      : claim_(claim), wanted_(wanted), stop_(stop) {}

  Status from(const std::string& path) {
    std::deque<Place> places = {{path, 0}};
    while (!places.empty() && !stop_.stop_requested()) {
      const Place place = std::move(places.front());
      places.pop_front();
      if (is_known(place.path)) continue;
      if (++folders_ > kMostSearchedFolders || entries_ > kMostSearchedEntries || found_.folders.size() >= kMostFound) {
        found_.is_complete = false;
        return ok();
      }
      const auto page = claim_.list(place.path, {.after = "", .limit = kMostFiles});
      if (!page && place.depth == 0 && page.error().reason != Reason::kNotFound) return page.error();
      if (!page) continue;  // removed meanwhile, or not for this user
      entries_ += page->entries.size();
      if (!page->is_last) found_.is_complete = false;
      if (look(place.path, page->entries) || place.depth == kDeepestSearch) continue;
      for (const FileEntry& entry : page->entries) {
        if (entry.type != FileType::kFolder || is_passed_over(entry.name)) continue;
        places.push_back({below(place.path, entry.name), place.depth + 1});
      }
    }
    return ok();
  }

  node::EventFolders result() && { return std::move(found_); }

 private:
  struct Place {
    std::string path;
    int depth = 0;
  };

  bool is_known(const std::string& path) const {
    return std::ranges::any_of(found_.folders, [&](const node::EventFolder& folder) {
      return path == folder.path || path.starts_with(folder.path + "/");
    });
  }

  /// Returns whether the folder has event files of the job.
  bool look(const std::string& path, const std::vector<FileEntry>& entries) {
    const FileEntry* newest = nullptr;
    for (const FileEntry& entry : entries) {
      if (!is_event_file(entry) || !is_of_owner(wanted_.owner, entry.name, entry.modified)) continue;
      if (newest == nullptr || entry.modified > newest->modified) newest = &entry;
    }
    if (newest == nullptr) return false;
    found_.folders.push_back({.path = path, .latest = last_values(below(path, newest->name))});
    return true;
  }

  std::vector<node::ScalarSeries> last_values(const std::string& path) const {
    const auto file = claim_.open_file(path);
    if (!file) return {};
    const std::int64_t size = std::min(file->entry.size, kTail);
    const auto bytes = read_from(file->fd.get(), file->entry.size - size, size);
    if (!bytes) return {};
    SeriesByTag series;
    read_event_file(*bytes, series);
    std::vector<node::ScalarSeries> out;
    for (const auto& [tag, points] : series) out.push_back({tag, {points.back()}});
    return out;
  }

  const ClaimFolder& claim_;
  const node::EventSearch& wanted_;
  const std::stop_token& stop_;
  node::EventFolders found_;
  std::size_t folders_ = 0;
  std::size_t entries_ = 0;
};

}  // namespace

Result<node::EventFolders> find_recent_events(const ClaimFolder& claim, const std::string& path,
                                              const node::EventSearch& search, const std::stop_token& stop) {
  Search looking(claim, search, stop);
  for (const std::string& first : search.first) TRY(looking.from(first));
  TRY(looking.from(path));
  return std::move(looking).result();
}

Result<node::ScalarRuns> read_event_folder(const ClaimFolder& claim, const std::string& path,
                                           const std::optional<node::EventOwner>& owner, const std::stop_token& stop) {
  Walk walk(claim, owner, stop);
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
