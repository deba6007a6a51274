// Parts of set_launch that belong to one style of launch. For launch.cc.
#pragma once

#include <string>

#include "control/job/decision.h"

namespace muster::control {

/// Returns TensorFlow's description of the cluster and of the replica's place in it; `port` is the first of the job's.
std::string tf_config(const Job& job, const TfConfigLaunch& launch, const Replica& replica, int port);

/// Replaces GenericJob's variables in commands, arguments and environments. Other uses of $(…) stay as they are.
void replace_variables(const Job& job, const Replica& replica, int port, api::PodSpec& spec);

}  // namespace muster::control
