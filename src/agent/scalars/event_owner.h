// Whether an event file for TensorBoard is that of a job: by the host that its name has, or by its time.
#pragma once

#include <string_view>

#include "node/scalars.h"

namespace muster::agent {

/// PyTorch, Lightning, Keras and tensorboardX write `events.out.tfevents.TIME.HOST`, and more after a dot. `modified`
/// is the time of the file's last change.
bool is_of_owner(const node::EventOwner& owner, std::string_view file, Time modified);

}  // namespace muster::agent
