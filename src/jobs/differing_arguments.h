// What the commands of jobs have that those of the others do not: the learning rates and seeds by which people tell
// them apart. Pure.
#pragma once

#include <string>
#include <vector>

#include "json/document.h"

namespace muster::jobs {

/// Returns the command line of the first role of a job; empty when the spec names none or is invalid.
std::vector<std::string> command_of(const json::Document& object);

/// Returns for each command the arguments that not all of them have, a flag together with its value: "--lr 0.1".
std::vector<std::string> differing_arguments(const std::vector<std::vector<std::string>>& commands);

}  // namespace muster::jobs
