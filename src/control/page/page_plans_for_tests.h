// Golden cases of plans for objects with a page. A script holds an object, `primary`, the options of the plan, such as
// the origin of pages, `pagesUrl`, and the steps that happen, a second apart unless `after` says another time; the
// outcome is the plan at each step. Plans are applied as an API server would; the pod
// changes only when a step says so.
#pragma once

#include <functional>
#include <string>

#include "control/controller.h"

namespace muster::control {

using PagePlan = std::function<Plan(const Snapshot& seen, const json::Document& script)>;

/// Plays FOLDER/NAME.in.yaml and expects FOLDER/NAME.plan.yaml; FOLDER is relative to the sources.
/// MUSTER_UPDATE_GOLDEN=1 rewrites the plan; read the difference before committing it.
void expect_page_plans(const std::string& folder, const std::string& name, const PagePlan& plan);

}  // namespace muster::control
