// The adapter of batch.tensorstack.dev/v1beta1 TensorFlowTrainingJob.
#pragma once

#include "jobs/kinds/adapter.h"

namespace muster::jobs {

JobKind tensorflow_training_job_kind();

}  // namespace muster::jobs
