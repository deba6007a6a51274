// The adapter of batch.tensorstack.dev/v1beta1 XGBoostTrainingJob.
#pragma once

#include "jobs/kinds/adapter.h"

namespace muster::jobs {

JobKind xgboost_training_job_kind();

}  // namespace muster::jobs
