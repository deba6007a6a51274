// Turns a pod into the launch file of its shim. Pure, except that it looks up which environments the host has.
#pragma once

#include <string>
#include <vector>

#include "agent/disk/paths.h"
#include "agent/launch/container_env.h"
#include "agent/launch/launch_plan.h"
#include "agent/settings/options.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::agent {

struct LaunchInputs {
  const json::Document* pod = nullptr;
  PodFacts facts;
  References references;
  std::string resolver = {};     // the text of the machine's /etc/resolv.conf
  bool has_own_network = false;  // in which the API is on loopback
};

/// NotFound: an object that the pod refers to is missing; the pod can start once it exists. Any other error is final.
Result<LaunchPlan> plan_launch(const LaunchInputs& inputs, const Options& options, const Paths& paths);

/// Makes the same checks for the pod's volumes alone: any other error of plan_launch is about a container.
Status check_volumes(const LaunchInputs& inputs, const Options& options, const Paths& paths);

/// Returns the command line of a container, including what an image's entry point would have added: `usual`, the
/// environment's command, or python for a script.
Result<std::vector<std::string>> command_line(const json::Document& container, const std::vector<std::string>& usual,
                                              const Variables& variables, std::vector<PodEvent>& events);

}  // namespace muster::agent
