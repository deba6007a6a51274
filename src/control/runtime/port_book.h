// PortBook: which job has which port on a machine whose pods share one network. A job keeps its range while it is live,
// so MASTER_PORT never collides between jobs; torch and users may use the rest of the range.
#pragma once

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
  explicit PortBook(std::function<bool(const std::string& uid)> is_live);

  /// The job's status has this port.
  void note(const std::string& uid, int port);
  /// The port the job was given before, else the lowest free one; nullopt when all are taken.
  std::optional<int> offer(const std::string& uid);

 private:
  std::function<bool(const std::string&)> is_live_;
  std::map<std::string, int> taken_;  // uid -> first port of its range
};

}  // namespace muster::control
