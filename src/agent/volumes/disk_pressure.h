// DiskPressure: keeps a part of the data directory's disk free for the store. It looks at the free space every two
// seconds. While there is less than the reserve, no pod starts, and the pods that hold most of the disk are ended one
// after the other, each after the space of the one before has come back.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/disk/disk_space.h"
#include "agent/disk/disk_threads.h"
#include "agent/volumes/pod_disk_use.h"
#include "base/ports.h"

namespace muster::agent {

class DiskPressure {
 public:
  struct Sources {
    std::function<Result<DiskSpace>()> look;       // on any thread
    std::function<std::vector<PodOnDisk>()> list;  // the pods that run
    std::function<void(const std::string& uid)> on_evict;
    std::function<void()> on_change;  // of problem()
  };
  /// `root` is the data directory; `reserve` as in reserve_of.
  DiskPressure(Loop& loop, DiskThreads& disk, std::string root, std::optional<Quantity> reserve, Sources sources);
  ~DiskPressure();
  DiskPressure(const DiskPressure&) = delete;
  DiskPressure& operator=(const DiskPressure&) = delete;

  void start();
  /// Why no pod starts, and what is done about it; "" while there is space.
  const std::string& problem() const { return problem_; }
  /// Why the pod has to end; "" while it need not.
  std::string eviction_of(const std::string& uid) const;
  void forget(const std::string& uid) { evictions_.erase(uid); }

 private:
  void look();
  void look_again_in(Duration delay);
  void on_space(const Result<DiskSpace>& space);
  void on_measured(const std::vector<PodDiskUse>& uses, const DiskSpace& space, MonoTime began);
  void evict(const PodDiskUse& victim, const DiskSpace& space);
  bool waits_for_victim(const std::vector<PodOnDisk>& pods, const DiskSpace& space);
  std::vector<PodOnDisk> pods_to_measure() const;
  enum class Stage { kNone, kLow, kOthers, kEvicting };
  void show(Stage stage, const std::string& about, std::string problem);

  Loop& loop_;
  DiskThreads& disk_;
  const std::string root_;
  const std::optional<Quantity> wanted_;
  Sources sources_;
  Loop::Id timer_ = 0;
  bool failed_ = false;  // the last look

  DiskReserve reserve_;
  Stage stage_ = Stage::kNone;
  std::string shown_about_;  // the uid of the pod that problem_ names
  std::string problem_;
  std::map<std::string, std::string> evictions_;  // uid -> why
  // While there is too little space:
  DiskSpace before_;                           // as last seen
  std::optional<DiskSpace> measured_at_;       // nothing is measured again before less is free than then
  std::map<std::string, PodDiskUse> first_;    // by uid, as first measured
  std::map<std::string, DiskPart> explained_;  // by the folder of a claim: growth for which a pod was ended
  std::string victim_;                         // the uid of the pod that is ending
  MonoTime give_up_victim_{};
  std::optional<MonoTime> back_until_;  // it has ended, and its space is expected until then
};

}  // namespace muster::agent
