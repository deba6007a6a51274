// What of a job's curves could not be read, such as an event file that is damaged.
#pragma once

#include <string>

#include "json/document.h"

namespace muster::cli {

/// Returns lines for stderr, from what the route about scalars answers; "" when all was read.
std::string curve_problems(const std::string& job, const json::Document& scalars);

}  // namespace muster::cli
