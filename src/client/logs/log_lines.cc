#include "client/logs/log_lines.h"

#include <fmt/core.h>

#include <algorithm>

namespace muster::client {

std::string comparable_time(std::string_view time) {
  std::string out(time);
  if (out.ends_with('Z')) out.pop_back();
  const std::size_t dot = out.find('.');
  const std::size_t digits = dot == std::string::npos ? 0 : out.size() - dot - 1;
  if (dot == std::string::npos) out += '.';
  out.append(digits < 9 ? 9 - digits : 0, '0');
  return out;
}

std::string line_prefix(Prefix how, const std::string& label, std::size_t index) {
  // Cyan, yellow, green, magenta, blue, red: readable on light and dark backgrounds.
  constexpr int kColors[] = {36, 33, 32, 35, 34, 31};
  switch (how) {
    case Prefix::kNone:
      return "";
    case Prefix::kPlain:
      return fmt::format("[{}] ", label);
    case Prefix::kColored:
      return fmt::format("\x1b[{}m[{}]\x1b[0m ", kColors[index % std::size(kColors)], label);
  }
  return "";
}

std::string LineCutter::feed(std::string_view bytes) {
  if (prefix_.empty()) return std::string(bytes);
  std::string out;
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    out += prefix_;
    out += partial_;
    out += bytes.substr(0, end + 1);
    partial_.clear();
    bytes.remove_prefix(end + 1);
  }
  partial_ += bytes;
  return out;
}

std::string LineCutter::finish() {
  if (partial_.empty()) return "";
  std::string out = prefix_ + partial_ + "\n";
  partial_.clear();
  return out;
}

std::string TimestampedLog::feed(std::string_view bytes) {
  std::string out;
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    partial_ += bytes.substr(0, end + 1);
    out += take_line(partial_);
    partial_.clear();
    bytes.remove_prefix(end + 1);
  }
  partial_ += bytes;
  return out;
}

std::string TimestampedLog::finish() {
  if (partial_.empty()) return "";
  const std::string out = take_line(partial_ + "\n");
  partial_.clear();
  return out;
}

void TimestampedLog::restart() {
  partial_.clear();
  skipping_ = !last_time_.empty();
  to_skip_ = seen_at_last_time_;
}

std::string TimestampedLog::take_line(std::string_view line) {
  // An empty line may consist of its timestamp alone.
  const std::size_t blank = std::min(line.find(' '), line.size() - 1);
  const std::string_view content = line[blank] == ' ' ? line.substr(blank + 1) : line.substr(blank);
  const std::string time = comparable_time(line.substr(0, blank));
  if (skipping_) {
    if (time < last_time_) return "";
    if (time == last_time_ && to_skip_ > 0) {
      --to_skip_;
      return "";
    }
    skipping_ = false;
  }
  seen_at_last_time_ = time == last_time_ ? seen_at_last_time_ + 1 : 1;
  last_time_ = time;
  return std::string(show_ == Show::kWithTimestamps ? line : content);
}

}  // namespace muster::client
