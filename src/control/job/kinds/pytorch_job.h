// kubeflow.org/v1 PyTorchJob as the job model has it.
#pragma once

#include "control/job/kind.h"

namespace muster::control {

Kind pytorch_job_kind();

}  // namespace muster::control
