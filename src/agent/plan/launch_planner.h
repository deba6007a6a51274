// LaunchPlanner: plans the launches of this node's pods, from what the API and the machine show at the moment.
#pragma once

#include "agent/disk/paths.h"
#include "agent/machine/machine.h"
#include "agent/names/names.h"
#include "agent/objects/node_objects.h"
#include "agent/plan/plan_launch.h"
#include "agent/settings/options.h"

namespace muster::agent {

class LaunchPlanner {
 public:
  /// All of them must outlive the planner.
  LaunchPlanner(const Options& options, const Paths& paths, const Machine& machine, const NodeObjects& objects,
                Names& names)
      : options_(options), paths_(paths), machine_(machine), objects_(objects), names_(names) {}

  Result<LaunchPlan> plan(const json::Document& pod);
  /// Whether such a plan can be made now.
  Readiness readiness_of(const json::Document& pod);

 private:
  LaunchInputs inputs_of(const json::Document& pod);

  const Options& options_;
  const Paths& paths_;
  const Machine& machine_;
  const NodeObjects& objects_;
  Names& names_;
};

}  // namespace muster::agent
