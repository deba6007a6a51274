// The adapter of batch.tensorstack.dev/v1beta1 MPIJob.
#pragma once

#include "jobs/kinds/adapter.h"

namespace muster::jobs {

JobKind tensorstack_mpi_job_kind();

}  // namespace muster::jobs
