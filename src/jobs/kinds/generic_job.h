// The adapter of batch.tensorstack.dev/v1beta1 GenericJob.
#pragma once

#include "jobs/kinds/adapter.h"

namespace muster::jobs {

JobKind generic_job_kind();

}  // namespace muster::jobs
