// GpuSource: adds what the GPUs of a pod do to what its processes use. A device belongs to one pod at a time, so what
// the device does is what the pod does with it.
#pragma once

#include <functional>

#include "agent/metrics/usage_source.h"

namespace muster::agent {

class GpuSource final : public UsageSource {
 public:
  /// Nullopt for a device that cannot be read, such as one that exists only in the configuration. Any thread.
  using ReadGpu = std::function<std::optional<node::GpuUsage>(const std::string& uuid)>;

  /// `processes` must outlive this object.
  GpuSource(UsageSource& processes, ReadGpu read_gpu) : processes_(processes), read_gpu_(std::move(read_gpu)) {}

  std::vector<PodReading> read(const std::vector<MeasuredPod>& pods) override;

 private:
  UsageSource& processes_;
  ReadGpu read_gpu_;
};

}  // namespace muster::agent
