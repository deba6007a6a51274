// What a terminal may receive from a program's log: colours, tabs and newlines, but nothing that sets its title or
// clipboard, moves its cursor or overwrites earlier output.
#pragma once

#include <string>
#include <string_view>

namespace muster::cli {

/// Holds back a colour sequence or a character that a chunk cuts in two until the rest arrives.
class LogFilter {
 public:
  /// A carriage return starts a new line: every state of a progress bar is shown, and none can hide earlier output.
  std::string feed(std::string_view bytes);

 private:
  std::string pending_;
};

}  // namespace muster::cli
