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
};

class UsageSource {
 public:
  virtual ~UsageSource() = default;
  /// Called on a background thread, one call at a time. Pods that have ended meanwhile are left out.
  virtual std::vector<PodReading> read(const std::vector<MeasuredPod>& pods) = 0;
};

}  // namespace muster::agent
