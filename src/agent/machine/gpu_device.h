// The GPUs that this node offers. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "linux/nvml.h"

namespace muster::agent {

inline constexpr const char* kGpuResource = "nvidia.com/gpu";

struct GpuDevice {
  std::string id;            // the UUID, or "declared-N" for one that exists only in the configuration
  std::optional<int> minor;  // of /dev/nvidiaN
  bool operator==(const GpuDevice&) const = default;
};

/// The devices that this node offers: all that were found, unless the configuration declares another number. Then it is
/// the first ones, or some that are declared only: their containers get the variables, so that manifests can be tried
/// on a machine without GPUs.
std::vector<GpuDevice> offered_gpus(const std::vector<linux_os::Gpu>& found, std::optional<std::int64_t> declared);

}  // namespace muster::agent
