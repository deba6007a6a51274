#include "agent/disk/trash.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>

#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/thread.h"
#include "linux/remove_tree.h"

namespace muster::agent {

Trash::Trash(std::string folder) : folder_(std::move(folder)) {}

Trash::~Trash() {
  thread_.request_stop();
  const MutexLock lock(mutex_);
  wake_.notify_one();
}

Status Trash::start() {
  TRY(make_directories(folder_, 0700));
  thread_ = start_thread("trash", [this](const std::stop_token& stop) { run(stop); });
  return ok();
}

Status Trash::take(const std::string& path) {
  for (;;) {
    const std::string free_path = fmt::format("{}/{}", folder_, ++taken_);
    if (std::rename(path.c_str(), free_path.c_str()) == 0) break;
    if (errno == ENOENT) return ok();
    if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR || errno == EISDIR) continue;  // the name is taken
    return errno_error(fmt::format("move {} to {}", quote(path), quote(folder_)), errno);
  }
  const MutexLock lock(mutex_);
  has_work_ = true;
  wake_.notify_one();
  return ok();
}

void Trash::run(const std::stop_token& stop) {
  std::string last_problem;
  while (!stop.stop_requested()) {
    {
      const MutexLock lock(mutex_);
      while (!has_work_ && !stop.stop_requested()) mutex_.wait(wake_);
      has_work_ = false;
    }
    const Status removed = linux_os::remove_contents(folder_, stop);
    const std::string problem = removed ? "" : removed.error().message;
    if (!problem.empty() && problem != last_problem) LOG_WARN("what pods left is not all removed", {"error", problem});
    last_problem = problem;
  }
}

}  // namespace muster::agent
