#include "cli/terminal/live_block.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/visible_text.h"
#include "cli/terminal/log_filter.h"

namespace muster::cli {
namespace {

constexpr std::size_t kMostLines = 16;
constexpr std::string_view kPlainAgain = "\x1b[0m";

/// Leaves so much of a filtered text as fits on one line. Colours take no room.
std::string fitted(std::string_view text, std::size_t columns) {
  std::string out;
  std::size_t used = 0;
  bool is_colored = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\x1b') {  // the filter lets nothing but colours through
      const std::size_t end = std::min(text.find('m', i), text.size() - 1);
      out += text.substr(i, end + 1 - i);
      i = end + 1;
      is_colored = true;
      continue;
    }
    const bool is_blank = text[i] == '\t' || text[i] == '\n';
    const std::size_t length = is_blank ? 1 : std::max<std::size_t>(1, escape_at(text.substr(i)).length);
    const std::string_view character = is_blank ? " " : text.substr(i, length);
    const std::size_t width = text_width(character);
    if (used + width > columns) break;
    out += character;
    used += width;
    i += length;
  }
  if (is_colored) out += kPlainAgain;
  return out;
}

}  // namespace

void LiveBlock::set(const std::string& key, const std::string& prefix, std::string_view text) {
  if (text.empty()) {
    lines_.erase(key);
    return;
  }
  lines_[key] = prefix + LogFilter().feed(text);
}

std::string LiveBlock::draw(std::string_view scrolled, Size size) {
  std::string out = erase();
  out += scrolled;
  const std::size_t most = std::clamp<std::size_t>(size.rows / 2, 1, kMostLines);
  const std::size_t shown = lines_.size() <= most ? lines_.size() : most - 1;
  std::size_t left = shown;
  for (auto line = lines_.begin(); left > 0; ++line, --left) {
    // The last column stays free: a character there may break the line.
    out += fitted(line->second, std::max<std::size_t>(size.columns, 2) - 1) + "\n";
  }
  if (shown < lines_.size()) {
    out +=
        fitted(fmt::format("… and {} more", lines_.size() - shown), std::max<std::size_t>(size.columns, 2) - 1) + "\n";
  }
  drawn_ = shown + (shown < lines_.size());
  return out;
}

std::string LiveBlock::erase() {
  if (drawn_ == 0) return "";
  return fmt::format("\x1b[{}A\x1b[J", std::exchange(drawn_, 0));
}

}  // namespace muster::cli
