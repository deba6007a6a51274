// The adapter of batch.tensorstack.dev/v1beta1 XGBoostTrainingJob.
#pragma once

#include "control/job/kind.h"

namespace muster::control {

Kind xgboost_training_job_kind();

}  // namespace muster::control
