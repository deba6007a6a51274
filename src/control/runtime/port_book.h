// PortBook: which job has which ports on a machine whose pods share one network. A job keeps its range while it is
// live, so its ports never collide with those of another job. Ranges are whole slots: a job that needs few ports has
// some to spare, which torch and users may use.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace muster::control {

class PortBook {
 public:
  // Below the range that Linux takes ephemeral ports from (32768 and up).
  static constexpr int kFirst = 20000;
  static constexpr int kLast = 29999;
  static constexpr int kPerSlot = 10;

  /// `is_live` says whether a job, by uid, still needs its ports: it has not finished, or pods of it still run.
  /// `is_free` says whether other programs leave a port alone. `first_slot` is where the search begins: engines that
  /// share a machine begin at different places, so that they do not race for the same ports.
  PortBook(std::function<bool(const std::string& uid)> is_live, std::function<bool(int port)> is_free,
           std::uint64_t first_slot);

  /// The job's status has `count` ports from `first` on.
  void note(const std::string& uid, int first, int count = 1);
  /// The first of `count` ports in a row, each of them free: those the job has when they are as many, else others;
  /// nullopt when there are no such ports.
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
