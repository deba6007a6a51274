// The row of a pod: READY STATUS RESTARTS AGE and the wide columns, computed as kubectl's server-side printer does.
#pragma once

#include <string>

#include "base/time.h"
#include "json/document.h"

namespace muster::api {

/// Returns the cell STATUS.
std::string pod_status(const json::Document& pod);
void add_pod_cells(const json::Document& pod, Time now, json::Array& cells);

}  // namespace muster::api
