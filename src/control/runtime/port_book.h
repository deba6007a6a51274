// PortBook: which job has which port on a machine whose pods share one network. A job keeps its range while it is live,
// so MASTER_PORT never collides between jobs; torch and users may use the rest of the range.
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
  static constexpr int kPerJob = 10;

  /// `is_live` says whether a job, by uid, still needs its port: it has not finished, or pods of it still run.
  /// `is_free` says whether other programs leave a port alone. `first_slot` is where the search begins: engines that
  /// share a machine begin at different places, so that they do not race for the same port.
  PortBook(std::function<bool(const std::string& uid)> is_live, std::function<bool(int port)> is_free,
           std::uint64_t first_slot);

  /// The job's status has this port.
  void note(const std::string& uid, int port);
  /// The port the job was given before, else the next free one; nullopt when all are taken.
  std::optional<int> offer(const std::string& uid);

 private:
  std::function<bool(const std::string&)> is_live_;
  std::function<bool(int)> is_free_;
  int first_slot_;
  std::map<std::string, int> taken_;  // uid -> first port of its range
};

}  // namespace muster::control
