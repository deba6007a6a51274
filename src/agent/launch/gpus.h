// Which container has which GPU. A device is chosen before the pod's shim starts, kept in a file of the pod's folder
// for the next server, and given back when the pod has ended. No device is ever held by two pods, not even by pods of
// two engines (gpu_locks.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agent/disk/paths.h"
#include "agent/launch/gpu_locks.h"
#include "agent/launch/isolator.h"
#include "agent/machine/gpu_device.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::agent {

/// How many devices each container is given, in the order of the launch: init containers first. Init containers run
/// before the others and use the same devices.
struct GpuDemand {
  std::map<std::string, std::int64_t> by_container;
  std::int64_t of_pod = 0;
};
GpuDemand gpu_demand(const json::Document& pod);

class Gpus final : public Isolator {
 public:
  /// `lock_folder` is that of GpuLocks; "": other engines are not asked.
  Gpus(const Paths& paths, std::vector<GpuDevice> devices, const std::string& lock_folder, GangOf gang_of)
      : paths_(paths),
        devices_(std::move(devices)),
        gang_of_(std::move(gang_of)),
        locks_(lock_folder),
        shares_(!lock_folder.empty()) {}

  Status prepare(const json::Document& pod, LaunchPlan& plan) override;
  void recover(const std::string& uid) override;
  void release(const std::string& uid) override;
  void clean_up(const std::string&) override {}

  /// The identities of the devices that a pod holds.
  std::vector<std::string> held_by(const std::string& uid) const;

 private:
  Result<std::vector<std::string>> hold(const std::string& uid, std::int64_t count);
  Result<std::vector<std::string>> hold_of_job(const json::Document& pod);
  std::vector<std::string> free_devices() const;
  Status lock(const std::string& id, std::vector<Fd>& taken) const;
  const GpuDevice* find(const std::string& id) const;
  void give(const std::vector<std::string>& ids, LaunchContainer& container, std::vector<PodEvent>& events) const;

  const Paths& paths_;
  std::vector<GpuDevice> devices_;
  GangOf gang_of_;
  GpuLocks locks_;
  bool shares_;
  std::map<std::string, std::vector<std::string>> held_;  // uid -> identities
  // By uid. The pod's own processes have them too, which is what counts while no engine runs.
  std::map<std::string, std::vector<Fd>> held_locks_;
};

}  // namespace muster::agent
