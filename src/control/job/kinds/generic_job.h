// The adapter of batch.tensorstack.dev/v1beta1 GenericJob.
#pragma once

#include "control/job/kind.h"

namespace muster::control {

Kind generic_job_kind();

}  // namespace muster::control
