// Where the TensorBoard of a job opens in a browser.
#pragma once

#include <string>

#include "arena/context/context.h"

namespace muster::arena {

/// Returns a URL that opens as it is: on the engine a link with a token that works once, on a cluster the port of a
/// node. "" when the job has no TensorBoard.
std::string tensorboard_link(Context& context, const Job& job);

}  // namespace muster::arena
