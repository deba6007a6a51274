// The line of a program's output that says why it failed.
#pragma once

#include <string>
#include <string_view>

namespace muster::control {

struct Cause {
  std::string text;             // "" for an empty log
  bool is_consequence = false;  // it says that a peer was lost, so another rank failed first
};

/// Finds the last line of the last Python traceback in the end of a log or, if there is none, its last line. Where
/// torchrun reports the ends of several ranks, what a rank did counts more than that another rank missed it, and the
/// text names the rank if the log tells which one it was.
Cause find_cause(std::string_view log);

}  // namespace muster::control
