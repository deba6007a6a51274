#include "agent/logs/line_state.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "agent/logs/log_text.h"
#include "base/fd.h"
#include "shim/format.h"

namespace muster::agent {

std::optional<LineState> newest_state(std::string_view file) {
  std::optional<LineState> newest;
  for (std::size_t at = 0; at < file.size(); at += MUSTER_STATE_SLOT) {
    const std::string_view slot = file.substr(at, MUSTER_STATE_SLOT);
    const std::size_t newline = slot.find('\n');
    const auto piece = newline == std::string_view::npos ? std::nullopt : parse_piece(slot.substr(0, newline));
    if (!piece) continue;
    std::string text = folded(piece->text);
    // A bar that was wiped away is blank.
    if (std::ranges::all_of(text, [](char c) { return c == ' '; })) continue;
    if (newest && newest->time >= piece->time) continue;
    newest = LineState{.time = std::string(piece->time), .stream = std::string(piece->stream), .text = std::move(text)};
  }
  return newest;
}

std::optional<LineState> read_line_state(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) return std::nullopt;
  std::array<char, std::size_t{2} * MUSTER_STATE_SLOT> bytes{};
  const ssize_t got = ::pread(fd.get(), bytes.data(), bytes.size(), 0);
  return got <= 0 ? std::nullopt : newest_state({bytes.data(), static_cast<std::size_t>(got)});
}

}  // namespace muster::agent
