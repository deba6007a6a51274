// EventCorrelator decides which of the Events that a component reports are written, and under which identity. It folds
// as client-go does: a repeated Event increments a count, many messages of one type and reason become one, and an
// object that causes too many Events is cut off. Its only state is its memory, which can be lost without harm.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "api/kubernetes/core_v1.h"
#include "base/ports.h"

namespace muster::client {

struct EventToWrite {
  std::string identity;  // Events of one identity are one object with a count
  std::string message;
};

class EventCorrelator {
 public:
  // The limits are those of client-go.
  static constexpr std::size_t kMostMessages = 10;  // of one type and reason about one object, within kWindow
  static constexpr Duration kWindow = std::chrono::minutes(10);
  static constexpr double kBurst = 25;  // about one object
  static constexpr Duration kRefill = std::chrono::minutes(5);
  static constexpr std::size_t kMostRemembered = 4096;

  /// Returns nullopt when the object has caused too many Events.
  std::optional<EventToWrite> correlate(const api::ObjectReference& about, const std::string& type,
                                        const std::string& reason, const std::string& message, MonoTime now);

 private:
  struct Similar {
    std::set<std::string> messages;
    MonoTime last;
  };
  struct Bucket {
    double tokens = kBurst;
    MonoTime last;
  };

  bool take_token(const std::string& object, MonoTime now);
  void forget_some(MonoTime now);

  std::map<std::string, Similar> similar_;  // by object, type and reason
  std::map<std::string, Bucket> buckets_;   // by object
};

}  // namespace muster::client
