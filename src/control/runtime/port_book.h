// PortBook records which job has which ports on a machine whose pods share one network. A job keeps its range while it
// is live, so its ports never collide with those of another job. A range consists of whole slots: a job that needs few
// ports has spare ones, which torch and users may use.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace muster::control {

class PortBook {
 public:
  // The range ends below 32768, where the ephemeral ports of Linux begin.
  static constexpr int kFirst = 20000;
  static constexpr int kLast = 29999;
  static constexpr int kPerSlot = 10;

  /// `is_live` returns whether a job, given by uid, still needs its ports: it has not finished, or some of its pods
  /// still run. `is_free` returns whether no other program uses a port. The search begins at `first_slot`, which
  /// differs between engines that share a machine, so that they do not race for the same ports.
  PortBook(std::function<bool(const std::string& uid)> is_live, std::function<bool(int port)> is_free,
           std::uint64_t first_slot);

  /// Records that the job's status contains `count` ports from `first` on.
  void note(const std::string& uid, int first, int count = 1);
  /// Returns the first of `count` consecutive free ports: those the job has if they are enough, otherwise others;
  /// nullopt when there are none.
  std::optional<int> offer(const std::string& uid, int count = 1);

 private:
  struct Range {
    int first = 0;
    int count = 0;
  };
  bool is_range_free(int first, int count) const;

  std::function<bool(const std::string&)> is_live_;
  std::function<bool(int)> is_free_;
  int first_slot_;
  std::map<std::string, Range> taken_;  // by uid
};

}  // namespace muster::control
