// The control groups of containers that ask for CPU or memory: one per container, called UID.CONTAINER, below a group
// of the engine's own. Containers that ask for nothing have none: a group costs their start half a millisecond.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agent/disk/paths.h"
#include "agent/launch/isolator.h"
#include "agent/machine/machine.h"
#include "base/lifetime.h"
#include "base/ports.h"

namespace muster::agent {

class Cgroups final : public Isolator {
 public:
  /// `processes` is the most that a container may have, with or without a group.
  Cgroups(Loop& loop, const Paths& paths, const Machine& machine, std::int64_t processes);

  Status prepare(const json::Document& pod, LaunchPlan& plan) override;
  void recover(const std::string&) override {}  // the groups are found by their file
  void release(const std::string& uid) override;
  void clean_up(const std::string&) override {}

 private:
  void remove(const std::string& file);

  Loop& loop_;
  const Paths& paths_;
  const Machine& machine_;
  std::int64_t processes_;
  Lifetime lifetime_;
};

}  // namespace muster::agent
