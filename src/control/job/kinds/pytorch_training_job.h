// The adapter of batch.tensorstack.dev/v1beta1 PyTorchTrainingJob.
#pragma once

#include "control/job/kind.h"

namespace muster::control {

Kind pytorch_training_job_kind();

}  // namespace muster::control
