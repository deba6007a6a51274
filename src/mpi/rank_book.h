// RankBook: how each rank of one mpirun ended last. mpirun's own exit code does not say: with --enable-recovery it is 0
// although a rank has failed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"

namespace muster::mpi {

/// How a process ended.
struct ProcessEnd {
  int code = 0;
  int signal = 0;        // that killed it; 0: it exited by itself
  std::string why = {};  // the exception that ended it; "": not known
  bool operator==(const ProcessEnd&) const = default;
};
bool has_failed(const ProcessEnd& end);
/// Returns the exit code that a shell would report.
int shell_code(const ProcessEnd& end);

/// The outcome of the launcher: its own exit code and, unless it is 0, the reason in one sentence.
struct Verdict {
  int code = 0;
  std::string message;
  bool operator==(const Verdict&) const = default;
};

class RankBook {
 public:
  /// mpirun may start a rank that has failed again. Its peers wait for it in a collective operation, so a rank that is
  /// not started again within this time ends the job.
  static constexpr Duration kPatience = std::chrono::seconds(30);

  /// `ranks` is how many the rank's program has, as far as the rank knows.
  void start(int rank, int ranks, std::string host);
  void end(int rank, ProcessEnd how, MonoTime when);

  /// Connections were dropped before they said who they are: ranks may have started that are not in the book.
  void lose_sight() { has_lost_sight_ = true; }

  /// Whether it is known how every rank ended.
  bool is_complete() const { return !first_unknown(); }
  /// Returns when the job is to be given up; absent while no rank is missing.
  std::optional<MonoTime> gives_up_at() const;
  /// Returns the outcome, given how mpirun itself ended. `name` is the program, for the message.
  Verdict verdict(const std::string& name, ProcessEnd launcher) const;

 private:
  struct Failure {
    int rank = 0;
    ProcessEnd how;
    MonoTime when;
  };
  std::optional<int> first_unknown() const;

  std::map<int, std::string> hosts_;  // by rank
  std::set<int> running_;
  int ranks_ = 0;
  bool has_lost_sight_ = false;
  // Of the ranks that were not started again. The first one is the cause: mpirun ends the others because of it.
  std::vector<Failure> failures_;
};

}  // namespace muster::mpi
