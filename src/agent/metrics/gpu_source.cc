#include "agent/metrics/gpu_source.h"

#include <algorithm>

namespace muster::agent {

std::vector<PodReading> GpuSource::read(const std::vector<MeasuredPod>& pods) {
  std::vector<PodReading> readings = processes_.read(pods);
  for (PodReading& reading : readings) {
    const auto pod = std::ranges::find(pods, reading.uid, &MeasuredPod::uid);
    for (const std::string& uuid : pod->gpus) {
      if (auto used = read_gpu_(uuid)) reading.gpus.push_back(*std::move(used));
    }
  }
  return readings;
}

}  // namespace muster::agent
