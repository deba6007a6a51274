// The adapter of batch.tensorstack.dev/v1beta1 TensorFlowTrainingJob.
#pragma once

#include "control/job/kind.h"

namespace muster::control {

Kind tensorflow_training_job_kind();

}  // namespace muster::control
