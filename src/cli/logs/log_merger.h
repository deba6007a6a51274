// Merges the logs of a job's ranks into one, each line with its rank in front. Pure.
#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::cli {

class LogMerger {
 public:
  enum class Order {
    kByTime,      // a line waits until every other log has shown what comes next in it
    kAsTheyCome,  // for logs that are followed: one that is silent must not hold up the others
  };
  /// The logs come with timestamps, as the API writes them; `show_times` says whether they are kept.
  LogMerger(std::vector<std::string> prefixes, Order order, bool show_times);

  void feed(std::size_t log, std::string_view bytes);
  void end(std::size_t log);
  /// From now on, lines come as they come.
  void stop_waiting() { order_ = Order::kAsTheyCome; }
  /// Returns the lines whose turn has come.
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
  Order order_;
  bool show_times_;
  std::set<std::pair<std::string, std::size_t>> heads_;  // the time of each log's next line, and the log
  std::size_t silent_ = 0;                               // logs that have not ended and have no line
};

}  // namespace muster::cli
