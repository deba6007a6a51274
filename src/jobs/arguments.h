// The arguments of the user's program in a job, for reruns with other ones and for comparisons. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/document.h"

namespace muster::jobs {

/// Returns the place of the first argument of the user's script, module or program in a whole command; nullopt when it
/// cannot be told, as in a line for a shell.
std::optional<std::size_t> begin_of_arguments(std::span<const std::string> command);

/// Replaces the arguments of the script in every replica that runs one. BadRequest when the job runs none.
Status replace_arguments(json::Document& job, const std::vector<std::string>& arguments);

}  // namespace muster::jobs
