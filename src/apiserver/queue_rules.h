// That the queue an object names exists: the one rule of a kind that needs to look at other objects.
#pragma once

#include <vector>

#include "apiserver/context.h"
#include "base/error.h"
#include "json/document.h"

namespace muster::apiserver {

/// Queues that `object` names and that are not there. Those that `before` (may be null) names already are let be: a
/// queue may go while its jobs are there, and they can still be changed.
std::vector<FieldCause> check_queues(const Context& context, const json::Document* before,
                                     const json::Document& object);

}  // namespace muster::apiserver
