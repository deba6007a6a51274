// The state file of a run (shim/format.h): what a line shows now that its program still writes over, as a progress bar.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::agent {

struct LineState {
  std::string time;
  std::string stream;
  std::string text;
  bool operator==(const LineState&) const = default;
};

/// Returns the newer of the two streams' states, as a terminal shows it; nullopt when no line is written over.
std::optional<LineState> newest_state(std::string_view file);
/// The same for the file at `path`, which may be missing.
std::optional<LineState> read_line_state(const std::string& path);

}  // namespace muster::agent
