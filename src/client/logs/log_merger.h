// Merges the logs of a job's ranks into one, each line with its rank in front. Pure.
#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::client {

class LogMerger {
 public:
  /// The logs come with timestamps, as the API writes them; `show_times` says whether they are kept.
  LogMerger(std::vector<std::string> prefixes, bool show_times);

  void feed(std::size_t log, std::string_view bytes);
  void end(std::size_t log);
  /// From now on, lines come as they come: a log that is silent does not hold up the others.
  void stop_waiting() { is_ordered_ = false; }
  /// Returns the lines whose turn has come: a line waits until every other log has shown what comes next in it.
  std::string take();
  /// How many bytes of this log wait for their turn.
  std::size_t waiting(std::size_t log) const { return logs_[log].bytes; }
  bool any_waiting() const { return !heads_.empty(); }

 private:
  struct Log {
    std::string prefix;
    std::string partial;
    std::deque<std::string> lines;
    std::size_t bytes = 0;  // of `lines`
    bool ended = false;
  };
  void add_line(std::size_t log, std::string line);
  void take_first(std::size_t log, std::string& out);
  void show(const Log& log, std::string_view line, std::string& out) const;

  std::vector<Log> logs_;
  bool show_times_;
  bool is_ordered_ = true;
  std::set<std::pair<std::string, std::size_t>> heads_;  // the time of each log's next line, and the log
  std::size_t silent_ = 0;                               // logs that have not ended and have no line
};

}  // namespace muster::client
