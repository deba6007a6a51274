#include "agent/pod/stop_pods.h"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "agent/disk/paths.h"
#include "agent/pod/recover.h"
#include "base/files.h"
#include "base/strings.h"
#include "linux/files.h"
#include "linux/process.h"

namespace muster::agent {
namespace {

constexpr int kPauseMs = 50;
constexpr int kLooks = 100;

/// A shim on its way in or out is given a few seconds to get there.
Recovered examine_patiently(const std::string& folder) {
  for (int look = 0;; ++look) {
    Recovered found = examine_launch(folder);
    if (found.presence != Presence::kUnclear || look == kLooks) return found;
    ::poll(nullptr, 0, kPauseMs);
  }
}

void wait_for_end(const Fd& shim) {
  pollfd ended{.fd = shim.get(), .events = POLLIN, .revents = 0};
  while (::poll(&ended, 1, -1) < 0 && errno == EINTR) continue;
}

}  // namespace

Result<std::size_t> stop_pods(const std::string& directory, const std::function<void(std::size_t)>& on_waiting) {
  const Paths paths(directory);
  std::vector<Fd> shims;
  std::error_code none;  // no folder, no pods
  for (const auto& entry : std::filesystem::directory_iterator(paths.pods(), none)) {
    const std::string uid = entry.path().filename().string();
    const auto attempt = last_launch(paths.pod(uid));
    if (!attempt) continue;
    const std::string folder = paths.attempt(uid, *attempt);
    Recovered found = examine_patiently(folder);
    if (found.presence == Presence::kUnclear) {
      return Error{.reason = Reason::kTimeout,
                   .message = fmt::format("pod {}: some process holds {}, but it is not the shim that is recorded; "
                                          "end it by hand: fuser -k {}",
                                          uid, quote(folder + kLockFile), folder + kLockFile)};
    }
    if (found.presence != Presence::kRunning) continue;
    TRY(write_file_atomically(folder + kStoppedFile, "", 0600));
    TRY(linux_os::send_signal(found.pidfd, SIGTERM));
    TRY(linux_os::send_signal(found.pidfd, SIGCONT));  // somebody may have stopped it
    shims.push_back(std::move(found.pidfd));
  }
  if (!shims.empty()) on_waiting(shims.size());
  for (const Fd& shim : shims) wait_for_end(shim);
  return shims.size();
}

bool any_pod_runs(const std::string& directory) {
  const Paths paths(directory);
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(paths.pods(), none)) {
    const std::string uid = entry.path().filename().string();
    const auto attempt = last_launch(paths.pod(uid));
    if (attempt && linux_os::is_locked(paths.attempt(uid, *attempt) + kLockFile)) return true;
  }
  return false;
}

}  // namespace muster::agent
