#include "agent/metrics/node_metrics.h"

namespace muster::agent {
namespace {

GpuSource::ReadGpu read_with(std::shared_ptr<linux_os::GpuDriver> driver) {
  return [driver = std::move(driver)](const std::string& uuid) -> std::optional<node::GpuUsage> {
    if (driver == nullptr) return std::nullopt;
    const auto use = driver->use(uuid);
    if (!use) return std::nullopt;
    return node::GpuUsage{.uuid = uuid, .utilisation = use->utilisation, .memory = use->memory};
  };
}

}  // namespace

NodeMetrics::NodeMetrics(Loop& loop, const Paths& paths, const Options& options,
                         std::function<std::vector<MeasuredPod>()> running,
                         std::function<void(const std::string& uid)> on_stall,
                         std::function<void(const std::string& uid, const OverMemory& over)> on_over_memory)
    : with_memory_(processes_, real_memory_files(loop)),
      with_gpus_(with_memory_, read_with(options.gpus)),
      with_logs_(with_gpus_, paths),
      stalls_(options.metrics.stalled_after, std::move(on_stall)),
      on_over_memory_(std::move(on_over_memory)),
      recorder_(loop, paths, options.node_name, options.metrics,
                {.running = std::move(running),
                 .in_background = [this](Task task) { background_.run(std::move(task)); },
                 .source = &with_logs_,
                 .machine = linux_os::machine_usage,
                 .on_reading =
                     [this, &loop](const PodReading& reading) {
                       stalls_.take(reading, loop.mono());
                       for (const OverMemory& over : reading.over_memory) on_over_memory_(reading.uid, over);
                     }}) {}

}  // namespace muster::agent
