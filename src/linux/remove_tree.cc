#include "linux/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>

#include "base/fd.h"
#include "base/strings.h"

namespace muster::linux_os {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, CloseFolder>;

OpenFolder open_folder(int parent, const char* name) {
  const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* opened = fd < 0 ? nullptr : ::fdopendir(fd);
  if (fd >= 0 && opened == nullptr) ::close(fd);
  return OpenFolder(opened);
}

/// Gives the folder's owner all rights. The folder is opened first, because a pod may replace it by a link at any
/// moment, and chmod by name would follow that link.
bool open_up(int parent, const char* name) {
  const Fd folder(::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return folder && ::chmod(fmt::format("/proc/self/fd/{}", folder.get()).c_str(), 0700) == 0;
}

/// Empties one folder without recursion and with two descriptors, however deep it is. In each folder inside it, files
/// and empty folders are removed. Folders that are not empty are moved up to the top, where the next round finds them.
class Emptying {
 public:
  Emptying(DIR* top, const std::stop_token& stop) : top_(top), stop_(stop) {}

  Status run() {
    int flat_rounds = 0;
    do {
      const std::uint64_t moved_before = moved_up_;
      progress_ = false;
      failure_.reset();
      ::rewinddir(top_);
      for_each(top_, [this](const char* name) {
        if (!remove_entry(::dirfd(top_), name)) empty_folder(name);
      });
      flat_rounds = moved_up_ == moved_before ? flat_rounds + 1 : 0;
    } while (progress_ && flat_rounds < kMostFlatRounds && !stop_.stop_requested());
    if (failure_ && !stop_.stop_requested()) return *std::move(failure_);
    return ok();
  }

 private:
  // A round that moves nothing up leaves nothing for another one, unless somebody writes there all the time: such a
  // folder is given up as not empty.
  static constexpr int kMostFlatRounds = 100;

  template <typename Visit>
  void for_each(DIR* folder, const Visit& visit) {
    while (!stop_.stop_requested()) {
      const dirent* entry = ::readdir(folder);
      if (entry == nullptr) return;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") visit(entry->d_name);
    }
  }

  /// Returns false for a folder that is not empty, which the caller has to handle. A mount point is an error instead:
  /// the kernel returns EBUSY before it checks whether the folder is empty.
  bool remove_entry(int folder, const char* name) {
    if (::unlinkat(folder, name, 0) == 0 || errno == ENOENT) return note_progress();
    if (errno == EISDIR) {
      if (::unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return note_progress();
      if (errno == ENOTEMPTY || errno == EEXIST) return false;
    }
    note_failure("remove", name);
    return true;
  }

  void empty_folder(const char* name) {
    const int top = ::dirfd(top_);
    OpenFolder folder = open_folder(top, name);
    // The pod runs as our user and may have removed its own permissions.
    if (!folder && errno == EACCES && open_up(top, name)) folder = open_folder(top, name);
    if (!folder) return note_failure("open", name);
    const int fd = ::dirfd(folder.get());
    struct stat what {};
    if (::fstat(fd, &what) == 0 && (what.st_mode & 0700) != 0700) ::fchmod(fd, 0700);
    for_each(folder.get(), [this, fd](const char* inner) {
      if (!remove_entry(fd, inner)) move_up(fd, inner);
    });
    // If it is not empty, the next round handles it again.
    if (::unlinkat(top, name, AT_REMOVEDIR) == 0) note_progress();
  }

  /// Skips names that are taken, by a folder of the tree or by one that was moved up before.
  void move_up(int folder, const char* name) {
    for (;;) {
      const std::string free_name = fmt::format("up-{}", ++moved_up_);
      if (::renameat(folder, name, ::dirfd(top_), free_name.c_str()) == 0) {
        note_progress();
        return;
      }
      if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR) continue;
      // Moving a folder changes its "..", so the folder itself has to be writable.
      if (errno == EACCES && !is_writable(folder, name) && open_up(folder, name)) continue;
      return note_failure("move", name);
    }
  }

  static bool is_writable(int folder, const char* name) {
    struct stat what {};
    return ::fstatat(folder, name, &what, AT_SYMLINK_NOFOLLOW) == 0 && (what.st_mode & 0700) == 0700;
  }

  bool note_progress() { return progress_ = true; }
  void note_failure(const char* what, const char* name) {
    // Somebody else removed it meanwhile.
    if (errno == ENOENT) {
      note_progress();
      return;
    }
    if (!failure_) failure_ = errno_error(fmt::format("{} {}", what, quote(name)), errno);
  }

  DIR* top_;
  const std::stop_token& stop_;
  bool progress_ = false;  // in this round
  std::uint64_t moved_up_ = 0;
  std::optional<Error> failure_;  // the first one in this round
};

/// Errors call the folder `shown`.
Status empty_at(int parent, const std::string& name, const std::string& shown, const std::stop_token& stop) {
  OpenFolder top = open_folder(parent, name.c_str());
  if (!top && errno == EACCES && open_up(parent, name.c_str())) top = open_folder(parent, name.c_str());
  if (!top) return errno_error(fmt::format("open {}", quote(shown)), errno);
  const auto emptied = Emptying(top.get(), stop).run();
  if (!emptied) return in_context(fmt::format("empty {}", quote(shown)), emptied.error());
  return ok();
}

}  // namespace

Status remove_contents(const std::string& folder, const std::stop_token& stop) {
  return empty_at(AT_FDCWD, folder, folder, stop);
}

Status remove_tree_at(int parent, const std::string& name, const std::string& shown, const std::stop_token& stop) {
  struct stat what {};
  if (::fstatat(parent, name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT) return ok();
  const bool is_folder = S_ISDIR(what.st_mode);
  if (is_folder) TRY(empty_at(parent, name, shown, stop));
  if (stop.stop_requested()) return ok();
  if (::unlinkat(parent, name.c_str(), is_folder ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT) return ok();
  const int why = errno;
  Error error = errno_error(fmt::format("remove {}", quote(shown)), why);
  if (why == ENOTEMPTY || why == EEXIST) error.reason = Reason::kConflict;
  return error;
}

Status remove_tree(const std::string& path, const std::stop_token& stop) {
  return remove_tree_at(AT_FDCWD, path, path, stop);
}

}  // namespace muster::linux_os
