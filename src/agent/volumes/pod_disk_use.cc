#include "agent/volumes/pod_disk_use.h"

#include <dirent.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>

#include "agent/disk/tree_size.h"
#include "linux/process_usage.h"

namespace muster::agent {
namespace {

using json::Document;

constexpr std::int64_t kMostEntries = 2'000'000;              // of one folder
constexpr std::int64_t kStatBlock = 512;                      // of st_blocks, whatever the file system
constexpr std::int64_t kLeastGrowth = std::int64_t{1} << 20;  // noise: a few lines of a log
constexpr std::int64_t kMostGrowth = std::int64_t{64} << 20;
constexpr std::size_t kMostParts = 4;  // in a message

std::optional<dev_t> device_of(const std::string& path) {
  struct stat what {};
  return ::stat(path.c_str(), &what) == 0 ? std::optional(what.st_dev) : std::nullopt;
}

/// Adds what the process holds open although it was deleted. Each file counts once for its pod.
void add_deleted_files(pid_t pid, dev_t device, std::set<ino_t>& seen, PodDiskUse::Part& part) {
  const std::string folder = fmt::format("/proc/{}/fd", pid);
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  if (!open) return;  // it has just ended
  while (const dirent* entry = ::readdir(open.get())) {
    struct stat what {};
    if (entry->d_name[0] == '.' || ::fstatat(::dirfd(open.get()), entry->d_name, &what, 0) != 0) continue;
    if (!S_ISREG(what.st_mode) || what.st_nlink > 0 || what.st_dev != device || !seen.insert(what.st_ino).second)
      continue;
    part.bytes += what.st_blocks * kStatBlock;
    part.files += 1;
  }
}

/// The processes of each pod: those whose chain of parents leads to its first one.
std::map<std::string, std::vector<pid_t>> processes_of(const std::vector<PodOnDisk>& pods) {
  std::map<pid_t, std::string> owner;
  for (const PodOnDisk& pod : pods) {
    if (pod.init != 0) owner[pod.init] = pod.uid;
  }
  std::map<pid_t, pid_t> parents;
  for (const pid_t pid : linux_os::process_ids()) {
    if (const auto times = linux_os::process_times(pid)) parents[pid] = times->parent;
  }
  std::map<std::string, std::vector<pid_t>> trees;
  for (const auto& [first, ignored] : parents) {
    std::vector<pid_t> path;
    std::string uid;
    for (pid_t pid = first;; pid = parents.at(pid)) {
      if (const auto known = owner.find(pid); known != owner.end()) {
        uid = known->second;
        break;
      }
      if (!parents.contains(pid) || path.size() > parents.size()) break;
      path.push_back(pid);
    }
    for (const pid_t pid : path) owner.emplace(pid, uid);  // a chain is walked once
    if (!uid.empty()) trees[uid].push_back(first);
  }
  return trees;
}

PodDiskUse measure_pod(const PodOnDisk& pod, dev_t device, const std::vector<pid_t>& processes,
                       const std::stop_token& stop) {
  PodDiskUse use{.uid = pod.uid, .name = pod.name};
  for (const DiskPart& part : pod.parts) {
    TreeSize size;
    for (const std::string& path : part.paths) {
      if (device_of(path) != device) continue;
      const TreeSize tree = measure_tree(path, stop, kMostEntries);
      size.bytes += tree.bytes;
      size.entries += tree.entries;
    }
    use.parts.push_back({.what = part.what,
                         .bytes = std::max<std::int64_t>(0, size.bytes - part.known_bytes),
                         .files = std::max<std::int64_t>(0, size.entries - part.known_files),
                         .claim = part.is_claim ? part.paths[0] : ""});
  }
  PodDiskUse::Part deleted{.what = "Deleted files that are still open"};
  std::set<ino_t> seen;
  for (const pid_t pid : processes) {
    add_deleted_files(pid, device, seen, deleted);
    use.written += linux_os::process_io(pid).value_or(linux_os::ProcessIo{}).written;
  }
  use.parts.push_back(std::move(deleted));
  return use;
}

/// Leaves the growth of each claim to the pod that has written most.
void share_out_claims(std::vector<PodDiskUse>& uses) {
  std::map<std::string, const PodDiskUse*> writers;
  for (const PodDiskUse& use : uses) {
    for (const auto& part : use.parts) {
      const PodDiskUse*& writer = writers[part.claim];
      if (writer == nullptr || writer->written < use.written) writer = &use;
    }
  }
  for (PodDiskUse& use : uses) {
    std::erase_if(use.parts, [&](const auto& part) { return !part.claim.empty() && writers.at(part.claim) != &use; });
    for (const auto& part : use.parts) {
      use.bytes += part.bytes;
      use.files += part.files;
    }
  }
}

std::int64_t amount_in(const PodDiskUse& use, Shortage what) {
  return what == Shortage::kFiles ? use.files : use.bytes;
}

}  // namespace

PodOnDisk pod_on_disk(const Document& pod, pid_t init, const std::string& launch, const Paths& paths,
                      const FindClaim& find_claim) {
  PodOnDisk on_disk{.uid = pod.string_at("metadata", "uid"), .init = init};
  on_disk.name = pod.string_at("metadata", "namespace") + "/" + pod.string_at("metadata", "name");
  for (const char* list : {"initContainers", "containers"}) {
    for (const Document& container : pod.array_at("spec", list)) {
      const std::string& name = container.string_at("name");
      on_disk.parts.push_back(
          {.what = "Container " + name, .paths = {launch + "/scratch/" + name, paths.logs(on_disk.uid) + "/" + name}});
    }
  }
  for (const Document& volume : pod.array_at("spec", "volumes")) {
    const std::string& name = volume.string_at("name");
    const Document* empty_dir = volume.find("emptyDir");
    if (empty_dir != nullptr && empty_dir->string_at("medium") != "Memory")
      on_disk.parts.push_back({.what = "Volume " + name, .paths = {paths.pod_volumes(on_disk.uid) + "/" + name}});
    const Document* claim = volume.find("persistentVolumeClaim");
    if (claim == nullptr || claim->bool_at("readOnly")) continue;
    const auto known = find_claim(claim->string_at("claimName"));
    if (!known) continue;
    on_disk.parts.push_back({.what = "Claim " + claim->string_at("claimName"),
                             .paths = {known->folder},
                             .known_bytes = known->use.bytes,
                             .known_files = known->use.entries,
                             .is_claim = true});
  }
  return on_disk;
}

std::vector<PodDiskUse> measure_pods(const std::vector<PodOnDisk>& pods, const std::string& root,
                                     const std::stop_token& stop) {
  std::vector<PodDiskUse> uses;
  const auto device = device_of(root);
  if (!device) return uses;
  const auto processes = processes_of(pods);
  for (const PodOnDisk& pod : pods) {
    const auto of_pod = processes.find(pod.uid);
    uses.push_back(measure_pod(pod, *device, of_pod == processes.end() ? std::vector<pid_t>() : of_pod->second, stop));
  }
  share_out_claims(uses);
  return uses;
}

const PodDiskUse* choose_victim(const std::vector<PodDiskUse>& uses, const std::map<std::string, PodDiskUse>& first,
                                const DiskSpace& space, const DiskReserve& reserve) {
  const Shortage what = shortage_of(space, reserve);
  if (what == Shortage::kNone || uses.empty()) return nullptr;
  const auto amount = [what](const PodDiskUse& use) { return amount_in(use, what); };
  const auto growth = [&](const PodDiskUse& use) {
    const auto before = first.find(use.uid);
    return before == first.end() ? amount(use) : amount(use) - amount(before->second);
  };
  const std::int64_t wanted = what == Shortage::kFiles ? reserve.files : reserve.bytes;
  const std::int64_t missing = wanted - (what == Shortage::kFiles ? space.free_files : space.free_bytes);
  const std::int64_t all = std::accumulate(uses.begin(), uses.end(), std::int64_t{0},
                                           [&](std::int64_t sum, const auto& use) { return sum + amount(use); });
  if (all >= missing) return &*std::ranges::max_element(uses, {}, amount);
  // Pods do not hold what is missing. One that uses up what is left has to end anyway.
  const auto& fastest = *std::ranges::max_element(uses, {}, growth);
  const std::int64_t least =
      what == Shortage::kFiles ? wanted / 16 : std::clamp(wanted / 16, kLeastGrowth, kMostGrowth);
  return growth(fastest) >= least ? &fastest : nullptr;
}

std::string eviction_text(const PodDiskUse& use, const DiskSpace& space, const DiskReserve& reserve) {
  if (shortage_of(space, reserve) == Shortage::kFiles) {
    return fmt::format(
        "The node was low on resource: inodes. Threshold quantity: {}, available: {}. The pod was using {}.",
        reserve.files, space.free_files, use.files);
  }
  std::string text =
      fmt::format("The node was low on resource: ephemeral-storage. Threshold quantity: {}, available: {}.",
                  size_text(reserve.bytes), size_text(space.free_bytes));
  std::vector<PodDiskUse::Part> parts = use.parts;
  std::ranges::stable_sort(parts, std::greater<>(), &PodDiskUse::Part::bytes);
  if (parts.size() > kMostParts) parts.resize(kMostParts);
  for (const auto& part : parts) {
    if (size_text(part.bytes) == "0") continue;
    text +=
        fmt::format(" {} {} {}.", part.what, part.claim.empty() ? "was using" : "has grown by", size_text(part.bytes));
  }
  return text;
}

}  // namespace muster::agent
