// The adapter of kubeflow.org MPIJob, for v1 and v2beta1: one kind, stored as v1 with the fields of both.
#pragma once

#include "jobs/kinds/adapter.h"

namespace muster::jobs {

JobKind kubeflow_mpi_job_kind();

}  // namespace muster::jobs
