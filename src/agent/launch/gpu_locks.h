// A lock for each GPU of the machine, so that engines of several users do not give out the same one. It is a file that
// every user can open, with the kernel's flock: the pod's own processes hold it (shim/shim.c), so that it stays while
// the engine is away and ends with the last of them.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace muster::agent {

class GpuLocks {
 public:
  /// `folder` must be the same for all engines of the machine.
  explicit GpuLocks(std::string folder) : folder_(std::move(folder)) {}

  /// Returns the lock of a device. Conflict if another engine's pod has it.
  Result<Fd> take(const std::string& device) const;

 private:
  std::string folder_;
};

/// Returns the folder in which every user may create files and none may remove those of others; "" if there is none.
std::string gpu_lock_folder();

/// A device that exists in the configuration only has no lock: nothing is shared.
bool is_real_device(const std::string& id);

}  // namespace muster::agent
