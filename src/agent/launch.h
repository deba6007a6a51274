// From a pod to what its shim is told. Pure except for the look at which environment the host has.
#pragma once

#include <string>
#include <vector>

#include "agent/agent.h"
#include "agent/container_env.h"
#include "agent/environment.h"
#include "agent/launch_file.h"
#include "agent/paths.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::agent {

/// Something to tell in an Event.
struct Remark {
  std::string type;  // Normal, Warning
  std::string reason;
  std::string message;
};

struct LaunchPlan {
  Launch launch;
  std::vector<std::string> folders;  // to make before the start, when missing
  std::vector<Remark> remarks;
};

struct LaunchInputs {
  const json::Document* pod = nullptr;
  PodFacts facts;
  References references;
};

/// NotFound: something the pod refers to is missing, and it can start when that appears. Any other error is final.
Result<LaunchPlan> plan_launch(const LaunchInputs& inputs, const Options& options, const Paths& paths);

/// The command line of a container, with what an image's entry point would have added.
Result<std::vector<std::string>> command_line(const json::Document& container, const Variables& variables,
                                              std::vector<Remark>& remarks);

/// The name inside the pod's UTS namespace: spec.hostname, or the pod's name.
std::string host_name_of(const json::Document& pod);

}  // namespace muster::agent
