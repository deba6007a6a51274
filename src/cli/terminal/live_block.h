// A few lines at the bottom of a terminal that are written over while others scroll above them: one for each rank whose
// program writes over its own line, as a progress bar does. Pure: returns what the terminal is sent.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace muster::cli {

class LiveBlock {
 public:
  struct Size {
    std::size_t rows = 24;
    std::size_t columns = 80;
  };

  /// `text` may come from a program: only its colours reach the terminal. An empty text removes the line.
  void set(const std::string& key, const std::string& prefix, std::string_view text);
  bool empty() const { return lines_.empty(); }
  bool is_drawn() const { return drawn_ > 0; }

  /// Returns what prints `scrolled`, whole lines, above the block as it is now.
  std::string draw(std::string_view scrolled, Size size);
  /// Returns what removes the block from the screen until it is drawn again.
  std::string erase();

 private:
  std::map<std::string, std::string> lines_;  // in the order of their keys
  std::size_t drawn_ = 0;                     // lines
};

}  // namespace muster::cli
