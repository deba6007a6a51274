#include "agent/launch/gpu_locks.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/strings.h"

namespace muster::agent {
namespace {

/// The files stay: who removes one could leave two locks for one device. With O_CREAT the kernel refuses to open the
/// file of another user in such a folder (fs.protected_regular), so it is opened first and then created.
Fd open_lock_file(const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  constexpr int kAttempts = 3;  // another engine may create it in between
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Fd fd(::open(path.c_str(), kFlags));
    if (fd || errno != ENOENT) return fd;
    fd = Fd(::open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0644));
    if (fd) ::fchmod(fd.get(), 0644);  // whatever the umask is
    if (fd || errno != EEXIST) return fd;
  }
  return Fd();
}

bool is_shared_folder(const char* path) {
  constexpr mode_t kShared = S_ISVTX | S_IRWXO;
  struct stat found {};
  return ::lstat(path, &found) == 0 && S_ISDIR(found.st_mode) && (found.st_mode & kShared) == kShared;
}

}  // namespace

Result<Fd> GpuLocks::take(const std::string& device) const {
  std::string name = device;
  std::ranges::replace_if(
      name, [](char c) { return c == '/' || c == '\0'; }, '-');
  const std::string path = fmt::format("{}/muster-{}.lock", folder_, name);
  Fd fd = open_lock_file(path);
  if (!fd) return errno_error("open " + quote(path), errno);
  struct stat found {};
  if (::fstat(fd.get(), &found) != 0 || !S_ISREG(found.st_mode)) {
    return Error{.reason = Reason::kInvalid, .message = fmt::format("{}: must be a file; remove it", quote(path))};
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno != EWOULDBLOCK) return errno_error("lock " + quote(path), errno);
  return Error{.reason = Reason::kConflict,
               .message = fmt::format("{} is used by a pod of another engine of this machine", device)};
}

std::string gpu_lock_folder() {
  for (const char* folder : {"/run/lock", "/tmp"}) {
    if (is_shared_folder(folder)) return folder;
  }
  return "";
}

bool is_real_device(const std::string& id) {
  return !id.starts_with("declared-");
}

}  // namespace muster::agent
