// The line of a program's output that says why it failed.
#pragma once

#include <string>
#include <string_view>

namespace muster::control {

/// Returns the last line of the last Python traceback in the end of a log or, if there is none, its last line. The
/// report of torchrun about a process that failed is no cause, so an earlier traceback is preferred to it.
std::string cause_in(std::string_view log);

}  // namespace muster::control
