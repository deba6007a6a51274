#include "mpi/rank_line.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"

namespace muster::mpi {

namespace {

std::optional<int> number_in(std::string_view text, int most) {
  const auto number = parse_int(text);
  if (!number || *number < 0 || *number > most) return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

std::string collector_text(const Collector& collector) {
  return fmt::format("{}:{}:{}", collector.address, collector.port, collector.key);
}

std::optional<Collector> parse_collector(std::string_view text) {
  const auto parts = split(text, ':');
  const auto port = parts.size() == 3 ? number_in(parts[1], 65535) : std::nullopt;
  if (!port) return std::nullopt;
  return Collector{.address = parts[0], .port = *port, .key = parts[2]};
}

std::string start_line(const RankStart& start) {
  return fmt::format("{} {} {} {}\n", start.key, start.rank, start.ranks, start.host);
}

std::optional<RankStart> parse_start(std::string_view line) {
  const auto words = split(line, ' ');
  const auto rank = words.size() == 4 ? number_in(words[1], INT32_MAX) : std::nullopt;
  const auto ranks = words.size() == 4 ? number_in(words[2], INT32_MAX) : std::nullopt;
  if (!rank || !ranks) return std::nullopt;
  return RankStart{.key = words[0], .rank = *rank, .ranks = *ranks, .host = words[3]};
}

std::string end_line(const ProcessEnd& end) {
  std::string why = end.why.substr(0, kLongestReason);
  std::ranges::replace_if(
      why, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, ' ');
  return fmt::format("{} {}{}{}\n", end.code, end.signal, why.empty() ? "" : " ", why);
}

std::optional<ProcessEnd> parse_end(std::string_view line) {
  const auto words = split(line, ' ');
  if (words.size() < 2) return std::nullopt;
  const auto code = number_in(words[0], 255);
  const auto signal = number_in(words[1], 127);
  if (!code || !signal) return std::nullopt;
  const std::size_t numbers = words[0].size() + 1 + words[1].size();
  std::string why(line.substr(std::min(numbers + 1, line.size())));
  if (why.size() > kLongestReason) return std::nullopt;
  return ProcessEnd{.code = *code, .signal = *signal, .why = std::move(why)};
}

}  // namespace muster::mpi
