#include "agent/machine/gpu_device.h"

#include <fmt/core.h>

#include <algorithm>

namespace muster::agent {

namespace {

constexpr std::int64_t kMostDevices = 4096;  // far more than any machine has

}  // namespace

std::vector<GpuDevice> offered_gpus(const std::vector<linux_os::Gpu>& found, std::optional<std::int64_t> declared) {
  std::vector<GpuDevice> devices;
  for (const linux_os::Gpu& gpu : found) devices.push_back({gpu.uuid, gpu.minor});
  if (!declared) return devices;
  const auto wanted = static_cast<std::size_t>(std::clamp<std::int64_t>(*declared, 0, kMostDevices));
  devices.resize(std::min(devices.size(), wanted));
  while (devices.size() < wanted) devices.push_back({fmt::format("declared-{}", devices.size()), std::nullopt});
  return devices;
}

}  // namespace muster::agent
