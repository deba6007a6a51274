// Lines of several logs made into one stream: whole lines only, each with the name of its replica before it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

enum class Prefix { kNone, kPlain, kColored };

/// "[worker-0] ". Colours go round by index, so that replicas beside each other differ.
std::string line_prefix(Prefix how, const std::string& label, std::size_t index);

/// Cuts a byte stream into lines and puts the prefix before each.
class LineCutter {
 public:
  explicit LineCutter(std::string prefix) : prefix_(std::move(prefix)) {}
  /// The whole lines that are complete now. Without a prefix nothing is held back.
  std::string feed(std::string_view bytes);
  /// What is left when the stream has ended, closed by a newline.
  std::string finish();

 private:
  std::string prefix_;
  std::string partial_;
};

/// Reads a log that carries timestamps and tells apart what was seen before, so that a stream that broke can be taken
/// up again without losing or repeating a line. Several lines may have the same instant.
class TimestampedLog {
 public:
  enum class Show { kWithTimestamps, kWithoutTimestamps };
  explicit TimestampedLog(Show show) : show_(show) {}

  /// The next bytes of the stream; gives the new whole lines.
  std::string feed(std::string_view bytes);
  /// The stream has ended: a last line without a newline counts when nothing more will come.
  std::string finish();
  /// Begins again: the stream that follows starts at or before last_time().
  void restart();
  /// Of the last line given; "" when there was none.
  const std::string& last_time() const { return last_time_; }

 private:
  std::string take_line(std::string_view line);

  Show show_;
  std::string partial_;
  std::string last_time_;
  std::int64_t seen_at_last_time_ = 0;
  std::int64_t to_skip_ = 0;  // lines at last_time_ that the restarted stream repeats
  bool skipping_ = false;
};

}  // namespace muster::cli
