// The golden cases of jobs as stories: a job and what happens to it, step by step, in a JobWorld.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "testing/job_world.h"

namespace muster::control {

/// Returns the names of the cases in src/control/job/testdata, sorted.
std::vector<std::string> job_stories();
/// Returns the script of a case: `job`, `steps` and what the golden test prints. CHECKs that it can be read.
json::Document read_job_story(const std::string& name);

/// Called after each step with the plan that was applied and the object before it.
using OnStoryStep =
    std::function<void(const std::string& step, const JobPlan& plan, const json::Document& before, JobWorld& world)>;
void play_job_story(const json::Document& script, const OnStoryStep& on_step);

}  // namespace muster::control
