#include "main/gpu_driver.h"

#include <unistd.h>

#include "base/log.h"
#include "base/run_program.h"

namespace muster {
namespace {

constexpr Duration kModprobeLimit = std::chrono::seconds(10);

/// The driver creates the node of unified memory only when the first program asks for it, through a helper that may
/// become root. Pods may not, so it must exist before they start.
void make_unified_memory_node() {
  if (::access("/dev/nvidia-uvm", F_OK) == 0) return;
  const auto end = run_program(
      {.words = {"nvidia-modprobe", "-u", "-c=0"}, .env = std::nullopt, .quiet = true, .limit = kModprobeLimit});
  if (!end || !end->succeeded()) LOG_WARN("/dev/nvidia-uvm cannot be made; CUDA will not work in pods");
}

}  // namespace

std::shared_ptr<linux_os::GpuDriver> find_gpu_driver() {
  auto driver = linux_os::load_nvml();
  if (!driver) {
    if (driver.error().reason != Reason::kNotFound) LOG_WARN("GPUs cannot be used", {"error", driver.error().message});
    return nullptr;
  }
  make_unified_memory_node();
  return *std::move(driver);
}

}  // namespace muster
