// NodeMetrics: what the pods of this node use, measured on a thread of its own, and which of them stall.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/disk/paths.h"
#include "agent/metrics/gpu_source.h"
#include "agent/metrics/log_source.h"
#include "agent/metrics/memory_source.h"
#include "agent/metrics/metrics_recorder.h"
#include "agent/metrics/process_usage.h"
#include "agent/metrics/stall_watch.h"
#include "agent/metrics/task_thread.h"
#include "agent/settings/options.h"
#include "base/ports.h"

namespace muster::agent {

class NodeMetrics {
 public:
  /// `running` lists the pods that run now; `on_stall` is called when `stalls().stall_of` has changed, `on_over_memory`
  /// for each container that has to end.
  NodeMetrics(Loop& loop, const Paths& paths, const Options& options, std::function<std::vector<MeasuredPod>()> running,
              std::function<void(const std::string& uid)> on_stall,
              std::function<void(const std::string& uid, const OverMemory& over)> on_over_memory);

  MetricsRecorder& recorder() { return recorder_; }
  StallWatch& stalls() { return stalls_; }

 private:
  ProcessUsage processes_{real_process_files()};
  MemorySource with_memory_;
  GpuSource with_gpus_;
  LogSource with_logs_;
  TaskThread background_{"metrics"};  // before what gives it tasks
  StallWatch stalls_;
  std::function<void(const std::string& uid, const OverMemory& over)> on_over_memory_;
  MetricsRecorder recorder_;
};

}  // namespace muster::agent
