// After a start: which pods of an earlier server still run, and how the others ended.
#include <algorithm>
#include <filesystem>

#include "agent/name_index.h"
#include "agent/state.h"
#include "base/files.h"
#include "base/log.h"

namespace muster::agent {
namespace {

// The folders of this many deleted pods are kept for their logs.
constexpr std::size_t kKeptPods = 500;

}  // namespace

void Agent::State::recover() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(paths_.pods(), error)) {
    recover_pod(entry.path().filename().string());
  }
}

void Agent::State::recover_pod(const std::string& uid) {
  const auto attempt = last_attempt(paths_, uid);
  if (!attempt) return;
  PodRun& run = runs_[uid];
  run.uid = uid;
  run.attempt = *attempt;
  run.name_remembered = true;
  if (*attempt > 0) {
    if (const auto text = read_file(paths_.attempt(uid, *attempt - 1) + kExitFile)) {
      if (auto record = parse_record(*text)) run.previous = *std::move(record);
    }
  }
  // Decisions that need the pod's spec, such as whether to restart, wait for the first list: see take_end.
  Recovered found = examine_attempt(paths_.attempt(uid, *attempt));
  if (found.verdict == Verdict::kAdopt) {
    LOG_INFO("pod adopted", {"uid", uid}, {"attempt", *attempt});
    run.step = Step::kRunning;
    run.current = std::move(found.state);
    run.pidfd = std::move(found.pidfd);
    follow(run);
    return;
  }
  run.step = Step::kLookAgain;
}

/// Removes the oldest logs. Called once the list of pods is known, and from time to time as pods are deleted.
void Agent::State::forget_old_logs() {
  namespace fs = std::filesystem;
  gone_since_tidied_ = 0;
  std::vector<std::pair<fs::file_time_type, std::string>> gone;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(paths_.pods(), error)) {
    const std::string uid = entry.path().filename().string();
    const PodRun* run = find_run(uid);
    if (keys_.contains(uid) || (run != nullptr && run->has_process())) continue;
    std::error_code stat_error;
    gone.emplace_back(entry.last_write_time(stat_error), uid);
  }
  if (gone.size() <= kKeptPods) return;
  std::ranges::sort(gone);
  gone.resize(gone.size() - kKeptPods);
  for (const auto& [time, uid] : gone) discard(paths_.pod(uid));
}

}  // namespace muster::agent
