// RankCollector: listens for the wrappers of the ranks and enters what they report into a RankBook. Everybody on the
// network can connect, so a connection is a stranger until it has shown the launch's key. Strangers are few, and the
// oldest goes first; a rank that was dropped as one connects again.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/ports.h"
#include "base/result.h"
#include "mpi/rank_book.h"
#include "mpi/rank_line.h"

namespace muster::mpi {

class RankCollector {
 public:
  static constexpr std::size_t kMostStrangers = 256;

  /// Listens on a free port of the address. `on_change` is called after every change of the book.
  static Result<std::unique_ptr<RankCollector>> open(Loop& loop, const std::string& address, std::string key,
                                                     std::function<void()> on_change);
  ~RankCollector();
  RankCollector(const RankCollector&) = delete;
  RankCollector& operator=(const RankCollector&) = delete;

  const Collector& where() const { return where_; }
  const RankBook& book() const { return book_; }
  /// Reads what has arrived but was not read yet.
  void drain();

 private:
  struct Connection {
    Fd fd;
    Loop::Id watch = 0;
    std::string text;         // read, without a newline so far
    std::optional<int> rank;  // once the first line was read
    bool has_ended = false;
  };
  RankCollector(Loop& loop, Fd listener, Collector where, std::function<void()> on_change);
  void accept_some();
  void add(Fd fd);
  /// Returns false when there is none.
  bool drop_oldest_stranger();
  void read(int fd);
  /// Returns false when the peer is not a rank of ours.
  bool take_line(Connection& connection, const std::string& line);
  void close(int fd);

  Loop& loop_;
  Fd listener_;
  Collector where_;
  std::function<void()> on_change_;
  Loop::Id watch_ = 0;
  std::map<int, Connection> connections_;  // by descriptor
  std::vector<int> strangers_;             // the oldest first
  RankBook book_;
};

}  // namespace muster::mpi
