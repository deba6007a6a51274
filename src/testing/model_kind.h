// A kind for tests whose spec is the job model itself, so that golden files and laws cover what no real kind uses yet.
#pragma once

#include "control/plan.h"
#include "jobs/kind.h"

namespace muster::control {

/// test.muster.dev/v1 ModelJob; its status is TensorStack's.
const JobKind& model_job_kind();

}  // namespace muster::control
