// StallWatch: notices pods that do nothing for a while: no log line, no processor time and no GPU use. Such a pod has
// not ended, so nobody else would say that its job will not end either.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "agent/metrics/usage_source.h"
#include "base/time.h"

namespace muster::agent {

class StallWatch {
 public:
  /// A pod stalls when it has done nothing for `after`; 0: never. `on_change` is called when `stall_of` has changed.
  StallWatch(Duration after, std::function<void(const std::string& uid)> on_change)
      : after_(after), on_change_(std::move(on_change)) {}

  void take(const PodReading& reading, MonoTime now);
  /// Returns what the pod lacks, or "" while it is active. Nullopt while that is not known: a new engine has not
  /// watched the pod for long enough.
  std::optional<std::string> stall_of(const std::string& uid) const;
  void forget(const std::string& uid) { pods_.erase(uid); }

 private:
  enum class State { kUnknown, kActive, kStalled };
  struct Watched {
    State state = State::kUnknown;
    Duration cpu{0};
    std::int64_t last_write = 0;
    MonoTime seen_at;
    MonoTime active_at;
  };

  Duration after_;
  std::function<void(const std::string& uid)> on_change_;
  std::map<std::string, Watched> pods_;
};

}  // namespace muster::agent
