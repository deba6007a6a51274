// ProcessUsage: what the process trees of pods use, from /proc and inet_diag.
//
// A process never leaves the tree of its pod (orphans go to the pod's init), so a process that belongs to no pod is
// looked at once and then only listed. Of a process that has used no processor time, nothing but that time is read,
// except in every fifth round.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "agent/metrics/usage_source.h"
#include "linux/process_usage.h"
#include "linux/tcp_bytes.h"

namespace muster::agent {

/// The kernel's files, as functions that tests replace.
class ProcessFiles {
 public:
  virtual ~ProcessFiles() = default;
  virtual std::vector<pid_t> ids() = 0;
  virtual std::optional<linux_os::ProcessTimes> times(pid_t pid) = 0;
  virtual std::optional<linux_os::ProcessMemory> memory(pid_t pid) = 0;
  virtual std::optional<linux_os::ProcessIo> io(pid_t pid) = 0;
  virtual std::vector<std::uint64_t> sockets(pid_t pid) = 0;
  /// `network` as in MeasuredPod.
  virtual Result<linux_os::TcpBytesByInode> tcp_bytes(const Fd* network) = 0;
};
std::unique_ptr<ProcessFiles> real_process_files();

class ProcessUsage final : public UsageSource {
 public:
  explicit ProcessUsage(std::unique_ptr<ProcessFiles> files) : files_(std::move(files)) {}

  std::vector<PodReading> read(const std::vector<MeasuredPod>& pods) override;

 private:
  struct Process {
    std::string pod;  // its uid; "": of no pod
    linux_os::ProcessTimes times;
    linux_os::ProcessMemory memory = {};
    std::optional<linux_os::ProcessIo> io = {};
    std::vector<std::uint64_t> sockets = {};
  };
  using Processes = std::map<pid_t, Process>;
  /// The bytes of a pod's connections, those that were closed included.
  struct Traffic {
    std::map<std::uint64_t, linux_os::TcpBytes> open;  // by inode
    linux_os::TcpBytes total;
  };

  void find_processes(const std::vector<MeasuredPod>& pods);
  Process looked_at_again(pid_t pid, Process process, const linux_os::ProcessTimes& times) const;
  void place(const std::vector<pid_t>& pids);
  void refresh(pid_t pid, Process& process) const;
  void count_traffic();
  PodReading reading_of(const MeasuredPod& pod, const std::vector<pid_t>& tree) const;
  /// The container whose first process is an ancestor of this one; "" when there is none.
  std::string container_of(const MeasuredPod& pod, pid_t pid) const;

  std::unique_ptr<ProcessFiles> files_;
  std::map<pid_t, std::string> inits_;                         // -> uid of the pod
  std::map<std::string, std::shared_ptr<const Fd>> networks_;  // by uid
  Processes processes_;
  std::map<std::string, Traffic> traffic_;  // by uid
  bool traffic_is_known_ = true;
  std::int64_t round_ = 0;
};

}  // namespace muster::agent
