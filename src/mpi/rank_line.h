// The lines that the wrapper of a rank sends to the launcher: one when the rank starts, which the launcher confirms,
// and one when it ends. A connection that closes without the last line means that the wrapper itself was killed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mpi/rank_book.h"

namespace muster::mpi {

/// Where the launcher collects the ends of ranks. The key keeps out other programs on the network.
struct Collector {
  std::string address;  // IPv4
  int port = 0;
  std::string key;
  bool operator==(const Collector&) const = default;
};
/// The variable that tells ranks where the collector is. mpirun passes every variable with this prefix on to ranks.
inline constexpr const char* kCollectorVariable = "OMPI_MUSTER_RANKS";
std::string collector_text(const Collector& collector);  // "127.0.0.5:4711:KEY"
std::optional<Collector> parse_collector(std::string_view text);

struct RankStart {
  std::string key;
  int rank = 0;
  int ranks = 0;  // of its program; 0: not known
  std::string host;
  bool operator==(const RankStart&) const = default;
};
std::string start_line(const RankStart& start);
std::optional<RankStart> parse_start(std::string_view line);

/// The launcher's answer to a start: the rank is in its book.
inline constexpr char kConfirmed = '+';

/// Holds at most this much of why a rank ended, so that a line fits into a socket's buffer.
inline constexpr std::size_t kLongestReason = 300;
std::string end_line(const ProcessEnd& end);
std::optional<ProcessEnd> parse_end(std::string_view line);

}  // namespace muster::mpi
