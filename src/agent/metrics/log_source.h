// LogSource: adds when a pod last wrote to its logs to what it uses.
#pragma once

#include "agent/disk/paths.h"
#include "agent/metrics/usage_source.h"

namespace muster::agent {

class LogSource final : public UsageSource {
 public:
  /// `others` must outlive this object.
  LogSource(UsageSource& others, const Paths& paths) : others_(others), paths_(paths) {}

  std::vector<PodReading> read(const std::vector<MeasuredPod>& pods) override;

 private:
  UsageSource& others_;
  const Paths paths_;  // its own, because the agent's belongs to the loop thread
};

}  // namespace muster::agent
