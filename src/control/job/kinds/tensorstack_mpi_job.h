// The adapter of batch.tensorstack.dev/v1beta1 MPIJob.
#pragma once

#include "control/job/kind.h"

namespace muster::control {

Kind tensorstack_mpi_job_kind();

}  // namespace muster::control
