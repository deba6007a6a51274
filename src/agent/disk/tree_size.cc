#include "agent/disk/tree_size.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <memory>
#include <string_view>

namespace muster::agent {
namespace {

constexpr int kDeepest = 200;             // each level holds a descriptor
constexpr std::int64_t kBlockSize = 512;  // of st_blocks, whatever the file system

struct CloseDir {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

class TreeWalk {
 public:
  TreeWalk(const std::stop_token& stop, std::int64_t most_entries) : stop_(stop), most_entries_(most_entries) {}

  void walk(int parent, const char* name, int depth) {
    const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const std::unique_ptr<DIR, CloseDir> folder(fd < 0 ? nullptr : ::fdopendir(fd));
    struct stat what {};
    if (!folder || ::fstat(fd, &what) != 0) return;
    if (depth == 0) device_ = what.st_dev;
    if (what.st_dev != device_) return;
    while (const dirent* entry = ::readdir(folder.get())) {
      const std::string_view inner = entry->d_name;
      if (inner == "." || inner == "..") continue;
      if (stop_.stop_requested() || size_.entries >= most_entries_) {
        size_.is_complete = false;
        return;
      }
      count(fd, entry->d_name, depth);
    }
  }
  TreeSize size() const { return size_; }

 private:
  void count(int folder, const char* name, int depth) {
    struct stat what {};
    if (::fstatat(folder, name, &what, AT_SYMLINK_NOFOLLOW) != 0) return;  // removed meanwhile
    ++size_.entries;
    size_.bytes += what.st_blocks * kBlockSize;
    if (!S_ISDIR(what.st_mode)) return;
    if (depth < kDeepest) {
      walk(folder, name, depth + 1);
    } else {
      size_.is_complete = false;
    }
  }

  const std::stop_token& stop_;
  std::int64_t most_entries_;
  dev_t device_ = 0;
  TreeSize size_;
};

}  // namespace

TreeSize measure_tree(const std::string& path, const std::stop_token& stop, std::int64_t most_entries) {
  TreeWalk walk(stop, most_entries);
  walk.walk(AT_FDCWD, path.c_str(), 0);
  return walk.size();
}

Time modified_at(const struct stat& what) {
  return Time(std::chrono::seconds(what.st_mtim.tv_sec) + std::chrono::nanoseconds(what.st_mtim.tv_nsec));
}

}  // namespace muster::agent
