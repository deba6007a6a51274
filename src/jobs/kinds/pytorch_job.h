// The adapter of kubeflow.org/v1 PyTorchJob.
#pragma once

#include "jobs/kinds/adapter.h"

namespace muster::jobs {

JobKind pytorch_job_kind();

}  // namespace muster::jobs
