#include "agent/logs/log_text.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "shim/format.h"

namespace muster::agent {
namespace {

// A line of the file is a prefix and a piece; the shim never writes a longer one.
constexpr std::size_t kLongestLine = MUSTER_LOG_PIECE + 64;
constexpr std::size_t kLongestFolded = std::size_t{4} * MUSTER_LOG_PIECE;

bool is_continuation_byte(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;  // of a character in UTF-8
}

}  // namespace

std::optional<LogPiece> parse_piece(std::string_view line) {
  if (line.size() < kLogTimeSize + 10 || line[kLogTimeSize] != ' ' || line[kLogTimeSize + 7] != ' ' ||
      line[kLogTimeSize + 9] != ' ') {
    return std::nullopt;
  }
  LogPiece piece;
  piece.time = line.substr(0, kLogTimeSize);
  piece.stream = line.substr(kLogTimeSize + 1, 6);
  const char kind = line[kLogTimeSize + 8];
  if ((piece.stream != "stdout" && piece.stream != "stderr") || (kind != 'F' && kind != 'P')) return std::nullopt;
  piece.ends_line = kind == 'F';
  piece.text = line.substr(kLogTimeSize + 10);
  return piece;
}

std::string folded(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  if (const auto last = line.rfind('\r'); last != std::string_view::npos) line.remove_prefix(last + 1);
  std::string out;
  for (const char c : line) {
    if (c != '\b') {
      out.push_back(c);
      continue;
    }
    while (!out.empty() && is_continuation_byte(out.back())) out.pop_back();
    if (!out.empty()) out.pop_back();
  }
  return out;
}

void LogText::take(std::string_view chunk, std::string& out) {
  while (!chunk.empty() && !done()) {
    const auto newline = chunk.find('\n');
    if (newline == std::string_view::npos) {
      carry_.append(chunk);
      if (carry_.size() > kLongestLine) carry_.clear();
      return;
    }
    if (carry_.empty()) {
      take_line(chunk.substr(0, newline), out);
    } else {
      carry_.append(chunk.substr(0, newline));
      take_line(carry_, out);
      carry_.clear();
    }
    chunk.remove_prefix(newline + 1);
  }
}

void LogText::take_line(std::string_view line, std::string& out) {
  const auto piece = parse_piece(line);
  if (!piece) return;
  if (options_.fold) {
    take_folded(*piece, out);
  } else {
    take_piece(*piece, out);
  }
}

/// Collects the pieces of a line, because a later one may replace all that came before. A line that stays long however
/// it is folded is shown in parts.
void LogText::take_folded(const LogPiece& piece, std::string& out) {
  Unfolded& line = unfolded_[std::string(piece.stream)];
  if (line.text.empty()) line.time = piece.time;
  line.text += piece.text;
  if (!piece.ends_line) {
    // What a carriage return at the very end means is known only when more follows.
    const std::size_t last = line.text.substr(0, line.text.size() - 1).rfind('\r');
    if (last != std::string::npos) line.text.erase(0, last + 1);
    if (line.text.size() <= kLongestFolded) return;
  }
  const Unfolded whole = std::exchange(line, {});
  take_piece({.time = whole.time, .stream = piece.stream, .ends_line = piece.ends_line, .text = folded(whole.text)},
             out);
}

void LogText::finish(std::string& out) {
  for (const auto& [stream, line] : std::exchange(unfolded_, {})) {
    if (line.text.empty()) continue;
    take_piece({.time = line.time, .stream = stream, .ends_line = false, .text = folded(line.text)}, out);
  }
}

void LogText::mark_gap(std::string_view time, std::string_view text, std::string& out) {
  finish(out);
  if (!open_.empty()) out.push_back('\n');
  open_.clear();
  shown_.clear();
  take_piece({.time = time, .stream = "stderr", .ends_line = true, .text = text}, out);
}

void LogText::take_piece(const LogPiece& piece, std::string& out) {
  auto line_under_way = shown_.find(piece.stream);
  const bool begins = line_under_way == shown_.end();
  bool show = begins || line_under_way->second;
  if (begins && options_.since) {
    const auto time = parse_rfc3339(piece.time);
    show = time && *time >= *options_.since;
  }
  if (piece.ends_line) {
    if (!begins) shown_.erase(line_under_way);
  } else if (begins) {
    shown_.emplace(piece.stream, show);
  }
  if (!show) return;
  const std::size_t before = out.size();
  begin_text(piece.time, piece.stream, out);
  out.append(piece.text);
  if (piece.ends_line) out.push_back('\n');
  open_ = piece.ends_line ? "" : piece.stream;
  count(before, out);
}

/// Every line begins with a time. One that the other stream interrupts is shown as two.
void LogText::begin_text(std::string_view time, std::string_view stream, std::string& out) const {
  if (!options_.timestamps || open_ == stream) return;
  if (!open_.empty()) out.push_back('\n');
  out.append(time).push_back(' ');
}

void LogText::count(std::size_t before, std::string& out) {
  if (options_.limit_bytes) {
    const auto room = static_cast<std::size_t>(*options_.limit_bytes - written_);
    if (out.size() - before > room) out.resize(before + room);
  }
  written_ += static_cast<std::int64_t>(out.size() - before);
}

void LogText::show_state(const LineState& state, std::string& out) {
  if (done()) return;
  const std::size_t before = out.size();
  if (open_ == state.stream) {
    out.push_back('\r');  // what the line has shown so far is written over as well
    open_.clear();
  }
  begin_text(state.time, state.stream, out);
  out.append(state.text).push_back('\r');
  open_.clear();
  count(before, out);
}

void LogText::end_with_state(const LineState& state, std::string& out) {
  if (done()) return;
  const std::size_t before = out.size();
  begin_text(state.time, state.stream, out);
  out.append(state.text);
  count(before, out);
}

Tail find_tail(int fd, std::int64_t lines, bool is_end) {
  std::int64_t at = ::lseek(fd, 0, SEEK_END);
  if (is_end && lines <= 0) return {.offset = at, .found = true};
  std::string block;  // the bytes from `at` on that are read but not yet processed
  std::int64_t counted = 0;
  bool is_last = is_end;
  while (at > 0) {
    constexpr std::int64_t kBlock = 64 * 1024;
    const std::int64_t size = std::min(kBlock, at);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (::pread(fd, bytes.data(), bytes.size(), at - size) != static_cast<ssize_t>(size)) return {.found = true};
    at -= size;
    block.insert(0, bytes);
    // Visits the complete lines of the block from the last to the first.
    for (;;) {
      const std::size_t end = block.empty() ? std::string::npos : block.rfind('\n');
      if (end == std::string::npos) break;
      const std::size_t start = end == 0 ? std::string::npos : block.rfind('\n', end - 1);
      if (start == std::string::npos && at > 0) break;  // the line starts before the block
      const std::size_t begin = start == std::string::npos ? 0 : start + 1;
      const auto piece = parse_piece(std::string_view(block).substr(begin, end - begin));
      // A line ends with its F piece; an unfinished line at the end of the log counts as well.
      if (piece && (piece->ends_line || is_last) && ++counted > lines)
        return {.offset = at + static_cast<std::int64_t>(end) + 1, .found = true};
      is_last = false;
      block.resize(begin);
    }
  }
  return {.missing = lines - counted};
}

}  // namespace muster::agent
