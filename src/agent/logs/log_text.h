// Parses the format of the log file: joins pieces to lines, filters, and finds the last N lines. Pure except find_tail.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/logs/line_state.h"
#include "base/time.h"

namespace muster::agent {

constexpr std::size_t kLogTimeSize = 30;  // of the time at the beginning of each line

/// One line of the file: "2026-11-15T21:30:36.000123456Z stdout F text".
struct LogPiece {
  std::string_view time;
  std::string_view stream;
  bool ends_line = false;
  std::string_view text;
};
/// Returns nullopt for a line that the shim cannot have written, such as the torn end of a file after a power failure.
std::optional<LogPiece> parse_piece(std::string_view line);

/// Returns what a terminal shows of a line in the end: what follows the last carriage return, with backspaces applied.
std::string folded(std::string_view line);

/// Converts the file's bytes, in chunks of any size, to the text that a reader receives.
class LogText {
 public:
  struct Options {
    bool timestamps = false;
    bool fold = false;
    std::optional<Time> since;
    std::optional<std::int64_t> limit_bytes;
  };
  explicit LogText(Options options) : options_(options) {}

  /// Appends the text of the chunk to `out`. Bytes after the last newline are kept for the next chunk.
  void take(std::string_view chunk, std::string& out);
  /// Appends what is left of unfinished lines. Call it at the end of the log.
  void finish(std::string& out);
  /// Appends a line of ours where some of the log is missing; the lines that were under way end there.
  void mark_gap(std::string_view time, std::string_view text, std::string& out);
  /// Appends what a line shows that is still written over, ended by a carriage return; the next text replaces it.
  void show_state(const LineState& state, std::string& out);
  /// The same where the text ends: without a carriage return.
  void end_with_state(const LineState& state, std::string& out);
  /// Returns true when the limit is reached and no more text will follow.
  bool done() const { return options_.limit_bytes && written_ >= *options_.limit_bytes; }

 private:
  void take_line(std::string_view line, std::string& out);
  void take_piece(const LogPiece& piece, std::string& out);
  void take_folded(const LogPiece& piece, std::string& out);
  void begin_text(std::string_view time, std::string_view stream, std::string& out) const;
  void count(std::size_t before, std::string& out);

  Options options_;
  std::int64_t written_ = 0;
  std::string open_;  // the stream whose unfinished line ends the text so far; "": none
  std::string carry_;
  struct Unfolded {
    std::string time;
    std::string text;
  };
  std::map<std::string, Unfolded, std::less<>> unfolded_;  // stream -> its line so far, which is shown at its end
  std::map<std::string, bool, std::less<>>
      shown_;  // stream -> its unfinished line is being shown; absent between lines
};

/// Where the last lines of a log begin in one of its segments.
struct Tail {
  std::int64_t offset = 0;
  std::int64_t missing = 0;  // lines that are in earlier segments
  bool found = false;        // false: an earlier segment has the beginning, if there is one
};
/// Finds the beginning of the last `lines` lines. Call it for the last segment first and then, while it is not found,
/// for the one before with the number that is missing. `is_end` is true for the last segment.
Tail find_tail(int fd, std::int64_t lines, bool is_end);

}  // namespace muster::agent
