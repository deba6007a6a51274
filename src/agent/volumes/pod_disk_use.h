// What pods have on the disk of the data directory, and which of them has to give it back when that disk is full.
// Nothing here runs while there is space: measuring walks all of a pod's files.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/disk/disk_space.h"
#include "agent/disk/paths.h"
#include "json/document.h"
#include "node/claim_files.h"

namespace muster::agent {

/// Folders of a pod that count together.
struct DiskPart {
  std::string what;  // such as: Container main
  std::vector<std::string> paths;
  // What was there before, in a claim: that is not the pod's.
  std::int64_t known_bytes = 0;
  std::int64_t known_files = 0;
  bool is_claim = false;
};
struct PodOnDisk {
  std::string uid;
  std::string name;  // NAMESPACE/NAME
  pid_t init = 0;    // the first of its processes
  std::vector<DiskPart> parts;
};
/// The claim with that name in the pod's namespace, with what was last measured of it.
struct KnownClaim {
  std::string folder;
  node::ClaimUse use;
};
/// Nullopt: there is none, or it is not known how much was in it, so its growth cannot be told.
using FindClaim = std::function<std::optional<KnownClaim>(const std::string& name)>;
/// `launch` is the folder of its current launch.
PodOnDisk pod_on_disk(const json::Document& pod, pid_t init, const std::string& launch, const Paths& paths,
                      const FindClaim& claim);

struct PodDiskUse {
  struct Part {
    std::string what;
    std::int64_t bytes = 0;
    std::int64_t files = 0;
    std::string claim = {};  // the folder of the claim that it is; "" for others
  };
  std::string uid;
  std::string name;
  std::vector<Part> parts;
  std::int64_t bytes = 0;    // of all parts
  std::int64_t files = 0;    // of all parts
  std::int64_t written = 0;  // bytes that its processes have written so far
};
/// Counts only what is on the file system of `root`, and also what is deleted but still open. Takes as long as there
/// are files. What a claim has grown by is counted for one pod: of those that mount it, the one that has written most.
std::vector<PodDiskUse> measure_pods(const std::vector<PodOnDisk>& pods, const std::string& root,
                                     const std::stop_token& stop);

/// Returns the pod to end: the largest when pods hold what is missing, or the one that has grown most since `first` was
/// measured. Null when ending pods would not help, because something else fills the disk.
const PodDiskUse* choose_victim(const std::vector<PodDiskUse>& uses, const std::map<std::string, PodDiskUse>& first,
                                const DiskSpace& space, const DiskReserve& reserve);

/// The reason of the eviction in a kubelet's form, with the numbers.
std::string eviction_text(const PodDiskUse& use, const DiskSpace& space, const DiskReserve& reserve);

}  // namespace muster::agent
