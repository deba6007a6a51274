#include "agent/volumes/disk_pressure.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/log.h"

namespace muster::agent {
namespace {

constexpr Duration kLookEvery = std::chrono::seconds(2);
constexpr Duration kLookSoon = std::chrono::milliseconds(500);
constexpr int kMeasurePause = 5;  // a measurement of a second is followed by a pause of 5
// A process can hang in the kernel. Its space may never come back.
constexpr Duration kLongestEnd = std::chrono::seconds(30);
constexpr Duration kNothingCameBack = std::chrono::seconds(2);

// Smaller changes are the engine's own writes.
constexpr std::int64_t kFewBytes = std::int64_t{1} << 20;
constexpr std::int64_t kFewFiles = 100;

bool has_more(const DiskSpace& now, const DiskSpace& before) {
  return now.free_bytes >= before.free_bytes + kFewBytes || now.free_files >= before.free_files + kFewFiles;
}

}  // namespace

DiskPressure::DiskPressure(Loop& loop, DiskThreads& disk, std::string root, std::optional<Quantity> reserve,
                           Sources sources)
    : loop_(loop), disk_(disk), root_(std::move(root)), wanted_(reserve), sources_(std::move(sources)) {}

DiskPressure::~DiskPressure() {
  loop_.cancel(timer_);
}

void DiskPressure::start() {
  if (!wanted_ || !wanted_->is_zero()) look();
}

std::string DiskPressure::eviction_of(const std::string& uid) const {
  const auto found = evictions_.find(uid);
  return found == evictions_.end() ? "" : found->second;
}

void DiskPressure::look() {
  disk_.run([look = sources_.look](const std::stop_token&) { return look(); },
            [this](const Result<DiskSpace>& space) { on_space(space); });
}

void DiskPressure::look_again_in(Duration delay) {
  timer_ = loop_.after(delay, [this] { look(); });
}

void DiskPressure::on_space(const Result<DiskSpace>& space) {
  if (!space) {
    if (!std::exchange(failed_, true)) LOG_WARN("free space is not known", {"error", space.error().message});
    return look_again_in(kLookEvery);
  }
  failed_ = false;
  reserve_ = reserve_of(*space, wanted_);
  const bool is_short = shortage_of(*space, reserve_) != Shortage::kNone;
  if (problem_.empty() && !is_short) return look_again_in(kLookEvery);
  if (has_recovered(*space, reserve_)) {
    LOG_INFO("the disk has space again", {"free", size_text(space->free_bytes)});
    show(Stage::kNone, "", "");
    measured_at_.reset();
    first_.clear();
    explained_.clear();
    victim_.clear();
    back_until_.reset();
    return look_again_in(kLookEvery);
  }
  if (problem_.empty()) {
    LOG_WARN("the disk is nearly full", {"space", shortage_text(*space, reserve_)});
    show(Stage::kLow, "", shortage_text(*space, reserve_) + "; no pod starts");
  }
  auto pods = pods_to_measure();
  const bool waits = waits_for_victim(pods, *space);
  before_ = *space;
  if (!is_short || waits || (measured_at_ && !has_more(*measured_at_, *space))) return look_again_in(kLookSoon);
  measured_at_ = *space;
  disk_.run(
      [pods = std::move(pods), root = root_](const std::stop_token& stop) { return measure_pods(pods, root, stop); },
      [this, space = *space, began = loop_.mono()](const std::vector<PodDiskUse>& uses) {
        on_measured(uses, space, began);
      });
}

/// The space of a pod that has ended comes back while its files are removed.
bool DiskPressure::waits_for_victim(const std::vector<PodOnDisk>& pods, const DiskSpace& space) {
  if (victim_.empty()) return false;
  const MonoTime now = loop_.mono();
  const bool runs = std::ranges::find(pods, victim_, &PodOnDisk::uid) != pods.end();
  if (runs && now < give_up_victim_) return true;
  if (!back_until_ || has_more(space, before_)) back_until_ = now + kNothingCameBack;
  if (now < *back_until_) return true;
  victim_.clear();
  back_until_.reset();
  measured_at_.reset();
  return false;
}

std::vector<PodOnDisk> DiskPressure::pods_to_measure() const {
  auto pods = sources_.list();
  for (PodOnDisk& pod : pods) {
    for (DiskPart& part : pod.parts) {
      const auto explained = part.is_claim ? explained_.find(part.paths[0]) : explained_.end();
      if (explained == explained_.end()) continue;
      part.known_bytes = std::max(part.known_bytes, explained->second.known_bytes);
      part.known_files = std::max(part.known_files, explained->second.known_files);
    }
  }
  return pods;
}

void DiskPressure::on_measured(const std::vector<PodDiskUse>& uses, const DiskSpace& space, MonoTime began) {
  const PodDiskUse* victim = choose_victim(uses, first_, space, reserve_);
  for (const PodDiskUse& use : uses) first_.emplace(use.uid, use);
  if (victim != nullptr) {
    evict(*victim, space);
    return look_again_in(kLookSoon);
  }
  std::int64_t bytes = 0;
  for (const PodDiskUse& use : uses) bytes += use.bytes;
  show(Stage::kOthers, "",
       fmt::format("{}; no pod starts. The pods that run hold {}, so none of them is ended; delete other files",
                   shortage_text(space, reserve_), size_text(bytes)));
  look_again_in(std::max<Duration>(kLookSoon, kMeasurePause * (loop_.mono() - began)));
}

void DiskPressure::evict(const PodDiskUse& victim, const DiskSpace& space) {
  const std::string why = eviction_text(victim, space, reserve_);
  LOG_WARN("ending a pod that fills the disk", {"pod", victim.name}, {"why", why});
  evictions_[victim.uid] = why;
  victim_ = victim.uid;
  give_up_victim_ = loop_.mono() + kLongestEnd;
  for (const PodOnDisk& pod : pods_to_measure()) {
    for (const DiskPart& part : pod.parts) {
      const auto grown = std::ranges::find_if(
          victim.parts, [&](const auto& its) { return part.is_claim && its.claim == part.paths[0]; });
      if (grown == victim.parts.end()) continue;
      explained_[part.paths[0]] = {.what = "",
                                   .paths = {},
                                   .known_bytes = part.known_bytes + grown->bytes,
                                   .known_files = part.known_files + grown->files};
    }
  }
  show(Stage::kEvicting, victim.uid,
       fmt::format("{}; no pod starts, and pod {} is ended because it fills the disk", shortage_text(space, reserve_),
                   victim.name));
  sources_.on_evict(victim.uid);
}

/// The numbers change all the time; what is shown changes with what is done.
void DiskPressure::show(Stage stage, const std::string& about, std::string problem) {
  if (stage == stage_ && about == shown_about_) return;
  stage_ = stage;
  shown_about_ = about;
  problem_ = std::move(problem);
  sources_.on_change();
}

}  // namespace muster::agent
