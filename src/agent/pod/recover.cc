#include "agent/pod/recover.h"

#include <sys/stat.h>

#include <filesystem>

#include "agent/disk/paths.h"
#include "base/files.h"
#include "base/strings.h"
#include "linux/files.h"

namespace muster::agent {

Presence judge(const Evidence& e) {
  if (!e.folder) return Presence::kNothing;
  // muster down ended the launch: whatever exit code the signal caused is not the containers' own result.
  if (e.stopped && !e.lock_held && (e.end ? e.end->ran : e.identity)) return Presence::kStopped;
  // exit.json is written last and has a checksum, so it is valid whatever else happened, a reboot included.
  if (e.end) return e.end->ran ? Presence::kEnded : Presence::kNeverRan;
  // The server sends "go" only after shim.json is on disk.
  if (!e.identity) return e.lock_held ? Presence::kUnclear : Presence::kNeverRan;
  if (!e.same_boot) return Presence::kLostReboot;
  if (!e.lock_held) return Presence::kLostShim;
  // The lock is held but the identity does not match: the evidence is ambiguous, so decide later.
  return e.process_matches ? Presence::kRunning : Presence::kUnclear;
}

namespace {

std::optional<AttemptRecord> read_record(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return std::nullopt;
  auto record = parse_record(*text);
  return record ? std::optional(*std::move(record)) : std::nullopt;
}

}  // namespace

std::optional<int> last_launch(const std::string& pod_folder) {
  std::optional<int> last;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(pod_folder, none)) {
    const auto number = parse_int(entry.path().filename().string());
    if (number && *number >= 0 && (!last || *number > *last)) last = static_cast<int>(*number);
  }
  return last;
}

Recovered examine_launch(const std::string& folder) {
  Evidence evidence;
  Recovered result;
  struct stat what {};
  evidence.folder = ::stat(folder.c_str(), &what) == 0;
  evidence.stopped = ::stat((folder + kStoppedFile).c_str(), &what) == 0;
  // Check the lock before exit.json: a shim writes exit.json before it releases the lock.
  evidence.lock_held = linux_os::is_locked(folder + kLockFile);
  if (const auto text = read_file(folder + kShimFile)) {
    if (const auto identity = parse_identity(*text)) {
      evidence.identity = true;
      result.shim_version = identity->version;
      const auto boot = linux_os::boot_id();
      evidence.same_boot = boot && *boot == identity->boot_id;
      const auto pidns = linux_os::pid_namespace();
      if (auto pidfd = linux_os::open_exactly(identity->process); pidfd && pidns && *pidns == identity->pid_namespace) {
        evidence.process_matches = true;
        result.pidfd = std::move(*pidfd);
      }
    }
  }
  evidence.end = read_record(folder + kExitFile);
  result.presence = judge(evidence);
  result.end = evidence.end;
  result.state = read_record(folder + kStateFile);
  if (result.presence != Presence::kRunning) result.pidfd.reset();
  return result;
}

}  // namespace muster::agent
