// Finds the driver of this machine's GPUs, for `serve` and `doctor`.
#pragma once

#include <memory>

#include "linux/nvml.h"

namespace muster {

/// Null when there is none. One that does not work is logged: nobody may miss it.
std::shared_ptr<linux_os::GpuDriver> find_gpu_driver();

}  // namespace muster
