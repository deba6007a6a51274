// Checks that the queue an object names exists: the only rule of a kind that has to look at other objects.
#pragma once

#include <vector>

#include "apiserver/context.h"
#include "base/error.h"
#include "json/document.h"

namespace muster::apiserver {

/// Reports queues that `object` names and that do not exist, except those that `before` (may be null) already names: a
/// queue may be deleted while it has jobs, and these jobs can still be changed.
std::vector<FieldCause> check_queues(const Context& context, const json::Document* before,
                                     const json::Document& object);

}  // namespace muster::apiserver
