#include "linux/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace muster::linux_os {

Fd open_beneath(int folder, const std::string& path, int flags, mode_t mode) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  // The kernel answers EAGAIN when something was renamed while it looked at a "..".
  constexpr int kAttempts = 100;
  for (int attempt = 1;; ++attempt) {
    const long fd = ::syscall(SYS_openat2, folder, path.empty() ? "." : path.c_str(), &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR) || attempt == kAttempts) return Fd(static_cast<int>(fd));
  }
}

// A thread's groups are changed by the bare system call; the library's function changes those of all threads.
FileUser::FileUser(uid_t user, gid_t group) : is_changed_(::geteuid() == 0 && user != 0) {
  if (!is_changed_) return;
  ::syscall(SYS_setgroups, 0, nullptr);
  group_before_ = static_cast<gid_t>(::setfsgid(group));
  user_before_ = static_cast<uid_t>(::setfsuid(user));
}

FileUser::~FileUser() {
  if (!is_changed_) return;
  ::setfsuid(user_before_);
  ::setfsgid(group_before_);
}

}  // namespace muster::linux_os
