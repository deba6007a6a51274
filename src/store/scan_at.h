// The past of a resource: what is there now, with every change since then undone.
#pragma once

#include <functional>

#include "store/history.h"
#include "store/index.h"
#include "store/types.h"

namespace muster::store {

/// As Store::scan_at.
Status scan_at(const Index& index, const History& history, const Range& range, Revision at,
               const std::function<bool(const Key&, const Entry&)>& visit);

}  // namespace muster::store
