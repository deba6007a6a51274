// The log file's format, read: pieces to lines, filters, and where the last N lines begin. Pure except for find_tail.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace muster::agent {

/// One line of the file: "2026-11-15T21:30:36.000123456Z stdout F text".
struct LogPiece {
  std::string_view time;
  std::string_view stream;
  bool ends_line = false;
  std::string_view text;
};
/// Nullopt for what the shim cannot have written: the torn end of a file after a power cut.
std::optional<LogPiece> parse_piece(std::string_view line);

/// Turns the file's bytes, in any chunks, into the text a reader gets.
class LogText {
 public:
  struct Options {
    bool timestamps = false;
    std::optional<Time> since;
    std::optional<std::int64_t> limit_bytes;
  };
  explicit LogText(Options options) : options_(options) {}

  /// Appends to `out` what the chunk adds. Bytes after the last newline wait for the next chunk.
  void take(std::string_view chunk, std::string& out);
  /// The limit is reached: nothing more will come.
  bool done() const { return options_.limit_bytes && written_ >= *options_.limit_bytes; }

 private:
  void take_line(std::string_view line, std::string& out);

  Options options_;
  std::int64_t written_ = 0;
  std::string carry_;
  std::map<std::string, bool, std::less<>>
      shown_;  // stream -> its unfinished line is being shown; absent between lines
};

/// The offset in the open file from which its last `lines` lines begin.
std::int64_t find_tail(int fd, std::int64_t lines);

}  // namespace muster::agent
