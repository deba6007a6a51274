#include "control/job/cause.h"

#include <vector>

namespace muster::control {

namespace {

constexpr std::size_t kLongestCause = 300;
constexpr std::string_view kTraceback = "Traceback (most recent call last):";
constexpr std::string_view kLauncherError = "ChildFailedError";

/// torch begins each line of a traceback with the rank: "[rank0]: ValueError: …".
std::string_view without_rank(std::string_view line) {
  if (!line.starts_with("[rank")) return line;
  const auto end = line.find("]: ");
  if (end != std::string_view::npos) return line.substr(end + 3);
  return line.ends_with("]:") ? std::string_view() : line;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = without_rank(text.substr(0, end));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    line.remove_prefix(line.rfind('\r') + 1);  // progress bars draw a line again and again; npos + 1 is 0
    if (!line.empty()) lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// Frames are indented; the line after them is the exception.
std::string_view exception_after(const std::vector<std::string_view>& lines, std::size_t traceback) {
  for (std::size_t i = traceback + 1; i < lines.size(); ++i) {
    if (!lines[i].starts_with(' ')) return lines[i];
  }
  return {};
}

}  // namespace

std::string cause_in(std::string_view log) {
  const std::vector<std::string_view> lines = lines_of(log);
  if (lines.empty()) return {};
  std::string_view cause;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] != kTraceback) continue;
    const std::string_view exception = exception_after(lines, i);
    const bool is_report = exception.find(kLauncherError) != std::string_view::npos;
    if (!exception.empty() && (cause.empty() || !is_report)) cause = exception;
  }
  if (cause.empty()) cause = lines.back();
  if (cause.size() <= kLongestCause) return std::string(cause);
  std::size_t end = kLongestCause;
  while (end > 0 && (static_cast<unsigned char>(cause[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return std::string(cause.substr(0, end)) + "…";
}

}  // namespace muster::control
