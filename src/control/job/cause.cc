#include "control/job/cause.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/strings.h"

namespace muster::control {

namespace {

constexpr std::size_t kLongestCause = 300;
constexpr std::string_view kTraceback = "Traceback (most recent call last):";
constexpr std::string_view kLauncherError = "ChildFailedError";

/// What a rank says that was well until another one went away.
constexpr std::array<std::string_view, 13> kPeerLost = {"Connection closed by peer",
                                                        "Connection reset by peer",
                                                        "Broken pipe",
                                                        "Socket Timeout",
                                                        "Timed out waiting",
                                                        "remote process exited",
                                                        "ncclRemoteError",
                                                        "NCCL communicator was aborted",
                                                        "collective operation timeout",
                                                        "RendezvousConnectionError",
                                                        "RendezvousClosedError",
                                                        "HorovodInternalError",
                                                        "SignalException"};

struct LogLine {
  std::string_view text;
  std::optional<std::int64_t> rank;  // torch begins each line of a traceback with it: "[rank0]: ValueError: …"
};

LogLine without_rank(std::string_view line) {
  constexpr std::string_view kPrefix = "[rank";
  if (!line.starts_with(kPrefix)) return {line, std::nullopt};
  const auto end = line.find("]:");
  if (end == std::string_view::npos) return {line, std::nullopt};
  const auto rank = parse_int(line.substr(kPrefix.size(), end - kPrefix.size()));
  std::string_view rest = line.substr(end + 2);
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  return {rest, rank};
}

std::vector<LogLine> lines_of(std::string_view text) {
  std::vector<LogLine> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    LogLine line = without_rank(text.substr(0, end));
    while (!line.text.empty() && (line.text.back() == '\r' || line.text.back() == ' ')) line.text.remove_suffix(1);
    line.text.remove_prefix(line.text.rfind('\r') + 1);  // progress bars draw a line again and again; npos + 1 is 0
    if (!line.text.empty()) lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// Returns the exceptions that end the tracebacks: frames are indented, and the line after them is the exception.
std::vector<LogLine> exceptions_in(const std::vector<LogLine>& lines) {
  std::vector<LogLine> exceptions;
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    if (line->text != kTraceback) continue;
    const auto end = std::find_if(line + 1, lines.end(), [](const LogLine& l) { return !l.text.starts_with(' '); });
    if (end != lines.end()) exceptions.push_back(*end);
  }
  return exceptions;
}

bool is_launchers(const LogLine& exception) {
  return exception.text.find(kLauncherError) != std::string_view::npos;
}

bool says_peer_lost(const LogLine& exception) {
  return std::ranges::any_of(
      kPeerLost, [&](std::string_view words) { return exception.text.find(words) != std::string_view::npos; });
}

// ---- the report of torchrun ----

/// How a rank ended: its exit code, or minus its signal.
struct RankEnd {
  std::int64_t rank = 0;
  std::int64_t code = 0;
};

/// Returns the number after "KEY  :" in a line such as "  rank      : 1 (local_rank: 1)".
std::optional<std::int64_t> reported_number(std::string_view line, std::string_view key) {
  line = trim(line);
  if (!line.starts_with(key)) return std::nullopt;
  line = trim(line.substr(key.size()));
  if (!line.starts_with(':')) return std::nullopt;
  line = trim(line.substr(1));
  return parse_int(line.substr(0, line.find(' ')));
}

/// Those that the launcher has ended because another one failed are left out.
std::vector<RankEnd> reported_ends(const std::vector<LogLine>& lines) {
  constexpr std::int64_t kEndedByLauncher = -15;
  std::vector<RankEnd> ends;
  std::int64_t rank = -1;  // of the block of lines that is read; -1: none yet
  for (auto line = std::ranges::find_if(lines, is_launchers); line != lines.end(); ++line) {
    if (const auto number = reported_number(line->text, "rank")) rank = *number;
    const auto code = reported_number(line->text, "exitcode");
    if (!code || rank < 0) continue;
    if (*code != kEndedByLauncher) ends.push_back({rank, *code});
    rank = -1;
  }
  return ends;
}

/// An exception gives 1, and a program that gives up because of its peers aborts itself. Every other end is a rank's
/// own.
bool is_own_end(const RankEnd& end) {
  constexpr std::int64_t kAborted = -6;
  return end.code != 1 && end.code != kAborted;
}

std::string said_of(const RankEnd& end) {
  if (end.code < 0) return fmt::format("rank {} was killed by signal {}", end.rank, -end.code);
  return fmt::format("rank {} ended with exit code {}", end.rank, end.code);
}

std::string named_after_rank(const LogLine& exception, const std::vector<RankEnd>& ends) {
  if (ends.empty()) return std::string(exception.text);  // the replica is the rank
  const auto rank = exception.rank     ? exception.rank
                    : ends.size() == 1 ? std::optional(ends.front().rank)
                                       : std::nullopt;
  return rank ? fmt::format("rank {}: {}", *rank, exception.text) : std::string(exception.text);
}

std::string shortened(std::string text) {
  if (text.size() <= kLongestCause) return text;
  std::size_t end = kLongestCause;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return text.substr(0, end) + "…";
}

Cause cause_among(const std::vector<LogLine>& lines) {
  const std::vector<RankEnd> ends = reported_ends(lines);
  std::vector<LogLine> exceptions = exceptions_in(lines);
  const auto own = std::find_if(exceptions.rbegin(), exceptions.rend(),
                                [](const LogLine& e) { return !is_launchers(e) && !says_peer_lost(e); });
  if (own != exceptions.rend()) return {named_after_rank(*own, ends)};
  if (const auto end = std::ranges::find_if(ends, is_own_end); end != ends.end()) return {said_of(*end)};
  const auto others = std::find_if(exceptions.rbegin(), exceptions.rend(), says_peer_lost);
  if (others != exceptions.rend()) return {named_after_rank(*others, ends), true};
  if (!ends.empty()) return {said_of(ends.front())};
  return {std::string(exceptions.empty() ? lines.back().text : exceptions.back().text)};
}

}  // namespace

Cause find_cause(std::string_view log) {
  const std::vector<LogLine> lines = lines_of(log);
  if (lines.empty()) return {};
  Cause cause = cause_among(lines);
  cause.text = shortened(std::move(cause.text));
  return cause;
}

}  // namespace muster::control
