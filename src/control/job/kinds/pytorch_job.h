// The adapter of kubeflow.org/v1 PyTorchJob.
#pragma once

#include "control/job/kind.h"

namespace muster::control {

Kind pytorch_job_kind();

}  // namespace muster::control
