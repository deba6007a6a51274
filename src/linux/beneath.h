// Files below a folder in which others may write: whatever links they put there, nothing outside it is reached. The
// calls set errno like the system calls that they are.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/fd.h"

namespace muster::linux_os {

/// Opens a relative path; "" is the folder itself. Symbolic links are followed while they stay below the folder.
/// Without success the descriptor is invalid, and errno is EXDEV when the path leads outside.
Fd open_beneath(int folder, const std::string& path, int flags, mode_t mode = 0);

/// While it lives, the calling thread accesses files with the rights of this user and group alone. Other threads keep
/// theirs. Does nothing for user 0, and nothing unless the process is root's.
class FileUser {
 public:
  FileUser(uid_t user, gid_t group);
  ~FileUser();
  FileUser(const FileUser&) = delete;
  FileUser& operator=(const FileUser&) = delete;

 private:
  bool is_changed_;
  uid_t user_before_ = 0;
  gid_t group_before_ = 0;
};

}  // namespace muster::linux_os
