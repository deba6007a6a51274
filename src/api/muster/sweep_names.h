// Label and annotation keys of sweeps. One definition of each.
#pragma once

namespace muster::api {

inline constexpr const char* kSweepLabel = "muster.dev/sweep";                    // on jobs and pods: the sweep's name
inline constexpr const char* kSweepRunAnnotation = "muster.dev/sweep-run";        // on jobs: which run, "3/54"
inline constexpr const char* kSweepValuesAnnotation = "muster.dev/sweep-values";  // on jobs: parameters and values
inline constexpr const char* kParallelAnnotation = "muster.dev/parallel";         // on pods: jobs that run at a time

}  // namespace muster::api
