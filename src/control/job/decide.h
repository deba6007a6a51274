// decide: the whole behaviour of jobs. Total, pure and deterministic: the same Observed gives the same plan, on one
// machine and on Kubernetes, for every kind. The runtime observes and applies.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/kubernetes/core_v1.h"
#include "base/time.h"
#include "control/plan.h"
#include "control/refusal.h"
#include "jobs/model/model.h"

namespace muster::control {

struct Observed {
  Job job;
  JobStatus status;  // as last written
  // The pods that the job controls, in any order; others are ignored.
  std::vector<std::shared_ptr<const api::Pod>> pods;
  std::vector<std::shared_ptr<const api::Service>> services;
  Time now;
  std::optional<int> offered_port;  // first of a free range, for a job that has neither a fixed port nor a range
  std::vector<std::shared_ptr<const json::Document>> objects = {};  // those of Job::objects that exist
  // Ranks of a deleted job of the same name still run: they write to the same files.
  bool predecessor_runs = false;
  std::optional<Refusal> refused = {};  // why a child could not be created, when that is news
};

using JobPlan = PlanWith<JobStatus>;

JobPlan decide(const Observed& observed);

}  // namespace muster::control
