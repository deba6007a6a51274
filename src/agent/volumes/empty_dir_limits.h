// EmptyDirLimits: finds pods whose emptyDir volumes on disk have grown over their sizeLimit, and containers and pods
// that have written more than limits.ephemeral-storage. The folders are measured on the disk threads, one round at a
// time and with pauses, so that measuring takes a small part of the time at most.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agent/disk/disk_threads.h"
#include "agent/disk/paths.h"
#include "base/ports.h"
#include "json/document.h"

namespace muster::agent {

/// Folders that have a limit together, and where they are.
struct LimitedVolume {
  enum class Kind { kEmptyDir, kContainer, kPod };
  Kind kind = Kind::kEmptyDir;
  std::string uid;  // of the pod
  std::string name;
  std::vector<std::string> paths;
  std::string limit;  // as it was written
  std::int64_t most_bytes = 0;
};
/// What is to be measured of a pod: nothing unless it runs. `launch` is the folder of its current launch.
std::vector<LimitedVolume> limited_volumes(const json::Document& pod, const std::string& launch, const Paths& paths);

/// The reason of the eviction in a kubelet's words, with the number.
std::string eviction_message(const LimitedVolume& volume, std::int64_t bytes);

class EmptyDirLimits {
 public:
  /// Lists what to measure next.
  using List = std::function<std::vector<LimitedVolume>()>;
  using OnExceeded = std::function<void(const std::string& uid)>;

  EmptyDirLimits(Loop& loop, DiskThreads& disk, List list, OnExceeded on_exceeded);
  ~EmptyDirLimits();
  EmptyDirLimits(const EmptyDirLimits&) = delete;
  EmptyDirLimits& operator=(const EmptyDirLimits&) = delete;

  void start();
  /// Why the pod has to end; "" while it need not.
  std::string eviction_of(const std::string& uid) const;
  void forget(const std::string& uid) { evictions_.erase(uid); }

 private:
  struct Exceeded {
    LimitedVolume volume;
    std::int64_t bytes = 0;
  };
  void begin_round();
  void end_round(const std::vector<Exceeded>& found, MonoTime began);

  Loop& loop_;
  DiskThreads& disk_;
  List list_;
  OnExceeded on_exceeded_;
  std::map<std::string, std::string> evictions_;  // uid -> why
  Loop::Id timer_ = 0;
};

}  // namespace muster::agent
