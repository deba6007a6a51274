// The state of a resource at an earlier revision: the current state with every later change undone.
#pragma once

#include <functional>

#include "store/history.h"
#include "store/index.h"
#include "store/types.h"

namespace muster::store {

/// Implements Store::scan_at.
Status scan_at(const Index& index, const History& history, const Range& range, Revision at,
               const std::function<bool(const Key&, const Entry&)>& visit);

}  // namespace muster::store
