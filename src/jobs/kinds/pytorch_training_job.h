// The adapter of batch.tensorstack.dev/v1beta1 PyTorchTrainingJob.
#pragma once

#include "jobs/kinds/adapter.h"

namespace muster::jobs {

JobKind pytorch_training_job_kind();

}  // namespace muster::jobs
