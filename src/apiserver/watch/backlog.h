// The lines of watches that are made but not sent: how many bytes of them each account may have, and who makes the
// next.
//
// Lines are made as their readers take them: each turn of the loop makes one slice, for one account after the other, so
// that many watches of one account hold up neither requests nor the watches of another. The service accounts of a
// namespace count as one. Loop thread only.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "apiserver/access/principal.h"
#include "base/ports.h"
#include "net/http.h"

namespace muster::apiserver {

class Backlog;

/// Makes the backlogs of accounts and gives each its turns.
class Backlogs {
 public:
  explicit Backlogs(Loop& loop);
  ~Backlogs();
  Backlogs(const Backlogs&) = delete;
  Backlogs& operator=(const Backlogs&) = delete;

  /// One per account, shared by its watches.
  std::shared_ptr<Backlog> of(const Principal& who);

 private:
  friend class Backlog;
  struct State;
  std::shared_ptr<State> state_;  // outlives this for as long as a line is unsent
  std::map<std::string, std::weak_ptr<Backlog>> accounts_;
};

class Backlog : public std::enable_shared_from_this<Backlog> {
 public:
  static constexpr std::size_t kPause = 64u << 20;  // nothing is made while this much is unsent
  static constexpr std::size_t kMost = 128u << 20;  // with new events; above it, watches over their share are closed

  Backlog(std::shared_ptr<Backlogs::State> state, std::string account);

  /// The account's name, which separates what is counted for one from what is counted for another.
  const std::string& account() const { return account_; }
  /// Counts the bytes until the last stream has sent them.
  net::Bytes hold(std::string lines);
  std::size_t held() const { return held_; }
  bool has_room() const { return held_ < kPause && turns_.empty(); }
  bool is_over() const { return held_ > kMost; }
  /// The bytes that one of the account's watches may have unsent before more is made for it.
  std::size_t share() const;
  /// Runs the task when it is the account's turn and there is room.
  void in_turn(Task task);

  void enter() { ++watches_; }
  void leave() { --watches_; }

 private:
  friend class Backlogs;
  void release(std::size_t bytes);
  void line_up();

  std::shared_ptr<Backlogs::State> state_;
  const std::string account_;
  std::size_t watches_ = 0;
  std::size_t held_ = 0;
  std::deque<Task> turns_;
  bool in_line_ = false;
};

}  // namespace muster::apiserver
