// The adapter of kubeflow.org MPIJob, for v1 and v2beta1: one kind, stored as v1 with the fields of both.
#pragma once

#include "control/job/kind.h"

namespace muster::control {

Kind kubeflow_mpi_job_kind();

}  // namespace muster::control
