// Merges several logs into one stream of whole lines, each prefixed with the name of its replica.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::client {

enum class Prefix { kNone, kPlain, kColored };

/// Returns "[worker-0] ". Colours rotate by index, so that neighbouring replicas differ.
std::string line_prefix(Prefix how, const std::string& label, std::size_t index);

/// RFC 3339 timestamps in UTC sort by time only when their fractions have the same length.
std::string comparable_time(std::string_view time);

/// Splits a byte stream into lines and prefixes each of them.
class LineCutter {
 public:
  explicit LineCutter(std::string prefix) : prefix_(std::move(prefix)) {}
  /// Returns the lines that are complete now. Without a prefix all bytes are returned at once.
  std::string feed(std::string_view bytes);
  /// Returns the unfinished last line, terminated by a newline, after the stream has ended.
  std::string finish();
  const std::string& prefix() const { return prefix_; }

 private:
  std::string prefix_;
  std::string partial_;
};

/// Reads a log with timestamps and skips lines that were seen before, so that a broken stream can be resumed without
/// losing or repeating a line. Several lines may have the same timestamp. Of a line that carriage returns write over,
/// as a progress bar does, the last state counts.
class TimestampedLog {
 public:
  enum class Show { kWithTimestamps, kWithoutTimestamps };
  explicit TimestampedLog(Show show) : show_(show) {}
  /// Changes how the lines to come are shown.
  void show(Show show) { show_ = show; }

  /// Takes the next bytes of the stream and returns the new complete lines.
  std::string feed(std::string_view bytes);
  /// Returns what the unfinished line shows now, if that has changed since the last call; "" when there is none.
  std::optional<std::string> take_state();
  /// Returns a last line that lacks its newline. To be called only when nothing more will come.
  std::string finish();
  /// Starts over with a new stream that begins at or before last_time().
  void restart();
  /// Returns the timestamp of the last line returned; "" when there was none.
  const std::string& last_time() const { return last_time_; }

 private:
  std::string take_line(std::string_view line);
  void fold_partial();
  void set_state(std::string_view text);

  Show show_;
  std::string partial_;
  std::string last_time_;
  std::int64_t seen_at_last_time_ = 0;
  std::int64_t to_skip_ = 0;  // lines at last_time_ that the restarted stream repeats
  bool skipping_ = false;
  std::string state_;
  bool has_new_state_ = false;
};

}  // namespace muster::client
