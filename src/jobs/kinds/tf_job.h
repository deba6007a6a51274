// The adapter of kubeflow.org/v1 TFJob.
#pragma once

#include "jobs/kinds/adapter.h"

namespace muster::jobs {

JobKind tf_job_kind();

}  // namespace muster::jobs
