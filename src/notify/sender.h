// Sender: the effects of notices, as a port: tests replace it.
#pragma once

#include "base/result.h"
#include "base/unique_function.h"
#include "notify/notices.h"

namespace muster::notify {

class Sender {
 public:
  virtual ~Sender() = default;
  /// Calls `done` once, from the loop and never inline, within a bounded time. Messages of errors have no secrets. The
  /// references are good during the call only.
  virtual void send(const Target& target, const JobNews& job, const Notice& notice,
                    UniqueFunction<void(Status)> done) = 0;
};

}  // namespace muster::notify
