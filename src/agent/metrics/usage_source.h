// UsageSource: reads what pods use. The agent's comes from /proc (process_usage.h); tests have their own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "node/metrics_api.h"

namespace muster::agent {

struct MeasuredPod {
  std::string uid;
  std::string ns;
  std::string name;
  pid_t init = 0;                           // the ancestor of all of its processes
  std::map<std::string, pid_t> containers;  // the first process of each running container
  std::vector<std::string> gpus = {};       // the UUIDs of the devices that it was given
  std::shared_ptr<const Fd> network = {};   // for tcp_bytes in the pod's network; null: the machine's
  /// By container, in bytes. Empty when control groups enforce them.
  std::map<std::string, std::int64_t> memory_limits = {};
};

/// A container that uses more memory than its limit, or that has to end because its pod does.
struct OverMemory {
  std::string container;
  pid_t pid = 0;        // of its first process, so that a later run is not taken for this one
  std::string message;  // why it ends, with the numbers
  bool operator==(const OverMemory&) const = default;
};

struct PodReading {
  std::string uid;
  Duration cpu{0};          // processor time so far
  std::int64_t memory = 0;  // bytes: what its processes do not share, and the most that one of them shares
  std::map<std::string, node::ContainerTotals> containers;
  // As in node::PodTotals.
  std::optional<std::int64_t> disk_read = {};
  std::optional<std::int64_t> disk_written = {};
  std::optional<std::int64_t> received = {};
  std::optional<std::int64_t> sent = {};
  std::vector<node::GpuUsage> gpus = {};
  std::int64_t last_write = 0;  // to its logs; only a change of it means something
  // Of a pod with memory_limits:
  std::map<std::string, std::vector<pid_t>> processes = {};  // by container; "": of the pod and of none of them
  std::vector<OverMemory> over_memory = {};
};

class UsageSource {
 public:
  virtual ~UsageSource() = default;
  /// Called on a background thread, one call at a time. Pods that have ended meanwhile are left out.
  virtual std::vector<PodReading> read(const std::vector<MeasuredPod>& pods) = 0;
};

}  // namespace muster::agent
