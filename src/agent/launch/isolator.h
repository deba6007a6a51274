// Isolator: one aspect of a pod's surroundings on this machine, such as its volumes, its names, its cgroup or its
// devices. The server can die between any two calls, so each call may be repeated.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/launch/launch_plan.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::agent {

/// Returns the pods that start together with a pod: itself and the others of its gang.
using GangOf = std::function<std::vector<std::shared_ptr<const json::Document>>(const json::Document& pod)>;

class Isolator {
 public:
  virtual ~Isolator() = default;
  /// Makes what the pod needs before its shim starts, and adds it to the plan of the launch.
  virtual Status prepare(const json::Document& pod, LaunchPlan& plan) = 0;
  /// Takes over what an earlier server prepared for a pod that still runs.
  virtual void recover(const std::string& uid) = 0;
  /// Gives back what the pod holds only while it runs. Nothing of it runs any more, but it may be launched again.
  virtual void release(const std::string& uid) = 0;
  /// Removes what else `prepare` made. The pod will not be launched again.
  virtual void clean_up(const std::string& uid) = 0;
};

}  // namespace muster::agent
