// What a terminal may see of a program's log: colours, tabs and newlines. Nothing that sets its title, its clipboard,
// its cursor, or that overwrites what stands above.
#pragma once

#include <string>
#include <string_view>

namespace muster::cli {

/// Keeps what a chunk cuts in two (a colour, a character) until the rest comes.
class LogFilter {
 public:
  /// A carriage return begins a new line, so that a progress bar is shown in all its states and hides nothing.
  std::string feed(std::string_view bytes);

 private:
  std::string pending_;
};

}  // namespace muster::cli
