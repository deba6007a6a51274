// NVIDIA's GPUs by NVML, which is loaded at run time: the driver brings it, and most machines have none.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace muster::linux_os {

struct Gpu {
  std::string uuid;  // "GPU-8d4f…", stable for the life of the device
  int minor = 0;     // of /dev/nvidiaN
  std::string name;
  std::int64_t memory = 0;  // bytes
};

struct GpuUse {
  double utilisation = 0;   // percent of the time in which it computed
  std::int64_t memory = 0;  // bytes in use
};

class GpuDriver {
 public:
  virtual ~GpuDriver() = default;
  virtual Result<std::vector<Gpu>> devices() = 0;
  /// Any thread.
  virtual Result<GpuUse> use(const std::string& uuid) = 0;
};

/// NotFound when the library is not there. Any other error: it is, but does not work, and says why.
Result<std::shared_ptr<GpuDriver>> load_nvml(const std::string& library = "libnvidia-ml.so.1");

}  // namespace muster::linux_os
