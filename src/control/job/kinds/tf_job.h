// The adapter of kubeflow.org/v1 TFJob.
#pragma once

#include "control/job/kind.h"

namespace muster::control {

Kind tf_job_kind();

}  // namespace muster::control
