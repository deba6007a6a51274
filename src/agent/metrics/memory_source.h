// MemorySource: adds to what pods use which of their containers hold more memory than their limit. For machines where
// no control groups enforce limits of memory; pods without such limits cost nothing.
//
// The kernel's cheap numbers count a page in each process that has it, so a tree of forked processes looks larger than
// it is. Only when these are over the limit are the exact ones read. For that the kernel walks all pages, so it is done
// at most a twentieth of the time for each pod.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "agent/metrics/memory_limits.h"
#include "agent/metrics/usage_source.h"
#include "base/ports.h"
#include "linux/memory_folders.h"
#include "linux/process_usage.h"

namespace muster::agent {

/// The kernel's files and its clock, as functions that tests replace.
class MemoryFiles {
 public:
  virtual ~MemoryFiles() = default;
  /// As linux_os::kept_memory and part_of_memory.
  virtual std::optional<linux_os::KeptMemory> at_most(pid_t pid) = 0;
  virtual std::optional<linux_os::KeptMemory> exact(pid_t pid) = 0;
  /// The folders in memory that shims have mounted.
  virtual std::vector<linux_os::MountedMemory> folders(pid_t pid) = 0;
  virtual std::optional<std::int64_t> bytes_in(pid_t pid, const linux_os::MountedMemory& folder) = 0;
  virtual MonoTime now() = 0;
};
/// Only the clock of `loop` is used, from any thread.
std::unique_ptr<MemoryFiles> real_memory_files(const Loop& loop);

class MemorySource final : public UsageSource {
 public:
  /// `others` must outlive this object, and fill PodReading::processes.
  MemorySource(UsageSource& others, std::unique_ptr<MemoryFiles> files) : others_(others), files_(std::move(files)) {}

  std::vector<PodReading> read(const std::vector<MeasuredPod>& pods) override;

 private:
  using Folders = std::vector<linux_os::MountedMemory>;
  using Container = std::pair<std::string, std::string>;  // uid and name
  /// What is in a folder, and whose it is.
  struct Use {
    std::set<Container> containers;
    std::int64_t bytes = 0;
  };
  enum class How { kAtMost, kExact };

  void measure_folders(const std::vector<MeasuredPod>& pods);
  std::int64_t in_folders(const MeasuredPod& pod, const std::string& container) const;
  HeldMemory of_processes(const std::vector<pid_t>& pids, How how) const;
  MemoryOfPod measure(const MeasuredPod& pod, const PodReading& reading, How how) const;
  std::vector<OverMemory> over_memory_of(const MeasuredPod& pod, const PodReading& reading);

  UsageSource& others_;
  std::unique_ptr<MemoryFiles> files_;
  std::map<std::pair<Container, pid_t>, Folders> folders_;  // by container and its first process
  std::map<dev_t, Use> uses_;
  std::map<std::string, MonoTime> rest_until_;  // by uid: when it may be measured exactly again
};

}  // namespace muster::agent
