// Files beyond base/files.h: locks, directories that must be new, and notification of changes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace muster::linux_os {

/// Whether a process holds an flock on the file. A file that does not exist is not locked.
bool is_locked(const std::string& path);

/// Returns AlreadyExists when the path exists.
Status make_directory_exclusively(const std::string& path, mode_t mode);

/// Keeps the inode, for files that are bind-mounted into other mount namespaces.
Status overwrite_file(const std::string& path, std::string_view content, mode_t mode);
Status append_line(const std::string& path, std::string_view line, mode_t mode);

/// Writes a program, 0700, unless it is there already.
Status write_program(const std::string& path, std::string_view bytes);

/// Returns an open file that exists in memory only. `name` is for diagnostics.
Result<Fd> make_memory_file(const char* name, std::string_view content);

/// A pair of connected stream sockets.
struct SocketPair {
  Fd ours;
  Fd theirs;
};
Result<SocketPair> make_socket_pair();

/// inotify: reports what happened in some directories. It does not block; wait on fd().
class Inotify {
 public:
  static Result<Inotify> open();

  int fd() const { return fd_.get(); }
  enum class Interest {
    kReplaced,           // files renamed into the directory: records are written that way
    kReplacedOrWritten,  // also files written to
  };
  /// Returns the watch's number.
  Result<int> watch_folder(const std::string& path, Interest interest);

  struct Event {
    int watch = 0;
    std::string name;
    bool overflow = false;  // events were lost: look at everything
  };
  std::vector<Event> read();

 private:
  explicit Inotify(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace muster::linux_os
