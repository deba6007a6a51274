#include "client/logs/log_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

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

namespace {

/// "2026-11-15T21:30:36.000123456Z " at the beginning of the text, with its blank; 0 when there is none.
std::size_t time_length(std::string_view text) {
  constexpr std::size_t kShortest = 20;
  const std::size_t end = text.find_first_not_of("0123456789-:.TZ");
  const std::size_t length = std::min(end, text.size());
  const bool is_time = length >= kShortest && text[10] == 'T' && text[length - 1] == 'Z';
  return is_time ? length + (end != std::string_view::npos && text[end] == ' ') : 0;
}

/// Where the last state of a line begins, and where it ends.
std::string_view last_state(std::string_view line) {
  const std::size_t end = line.find_last_not_of('\r');
  if (end == std::string_view::npos) return {};
  line = line.substr(0, end + 1);
  return line.substr(line.rfind('\r') + 1);  // from the beginning when there is none
}

/// Returns what is left of a line, with its newline, in the end. The engine gives each state a time of its own, a
/// kubelet only the first.
std::string without_earlier_states(std::string_view line) {
  const std::string_view text = line.substr(0, line.size() - 1);
  const std::string_view state = last_state(text);
  if (state.data() == text.data() || state.empty()) return std::string(line);
  const bool has_time = time_length(state) > 0;
  std::string out(has_time ? "" : text.substr(0, time_length(text)));
  out += line.substr(static_cast<std::size_t>(state.data() - line.data()));
  return out;
}

}  // namespace

std::string TimestampedLog::feed(std::string_view bytes) {
  std::string out;
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    partial_ += bytes.substr(0, end + 1);
    out += take_line(partial_);
    partial_.clear();
    bytes.remove_prefix(end + 1);
  }
  partial_ += bytes;
  if (bytes.find('\r') != std::string_view::npos) fold_partial();
  return out;
}

/// A bar may be written over for hours: of what a later state has replaced, only the line's time is kept.
void TimestampedLog::fold_partial() {
  const std::size_t end = partial_.rfind('\r');
  if (end == std::string::npos) return;
  const std::string_view written = std::string_view(partial_).substr(0, end);
  const std::string_view state = last_state(written);
  set_state(state.substr(time_length(state)));
  if (state.empty() || state.data() == written.data()) return;
  const std::string time = partial_.substr(0, time_length(state) > 0 ? 0 : time_length(partial_));
  partial_ = time + partial_.substr(static_cast<std::size_t>(state.data() - partial_.data()));
}

void TimestampedLog::set_state(std::string_view text) {
  if (text.find_first_not_of(' ') == std::string_view::npos) text = {};
  if (text == state_) return;
  state_ = text;
  has_new_state_ = true;
}

std::optional<std::string> TimestampedLog::take_state() {
  return std::exchange(has_new_state_, false) ? std::optional(state_) : std::nullopt;
}

std::string TimestampedLog::finish() {
  if (partial_.empty()) return "";
  const std::size_t end = partial_.find_last_not_of('\r') + 1;
  const bool was_state = end < partial_.size();
  partial_.resize(end);
  const std::string_view text = std::string_view(partial_).substr(time_length(partial_));
  const bool is_wiped = was_state && text.find_first_not_of(' ') == std::string_view::npos;
  const std::string out = is_wiped ? "" : take_line(partial_ + "\n");
  set_state("");
  partial_.clear();
  return out;
}

void TimestampedLog::restart() {
  partial_.clear();
  set_state("");
  skipping_ = !last_time_.empty();
  to_skip_ = seen_at_last_time_;
}

std::string TimestampedLog::take_line(std::string_view whole) {
  set_state("");
  const std::string last = without_earlier_states(whole);
  const std::string_view line = last;
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
