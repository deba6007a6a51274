// EventRecorder writes Events for controllers and agent. The name of an Event is a function of its identity
// (event_correlator.h), so reporting an Event again, even after a restart, increments the count of the existing one.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/kubernetes/core_v1.h"
#include "base/ports.h"
#include "client/api_client.h"

namespace muster::client {

class EventRecorder {
 public:
  /// `source.host` is "" for a component that does not belong to a node.
  EventRecorder(Loop& loop, ApiClient& client, api::EventSource source);
  ~EventRecorder();

  /// Does not wait. A write that fails is not retried, and at most kMaxPending are in progress; further ones are
  /// dropped and logged. `about` needs api_version, kind, ns, name and uid.
  void record(const api::ObjectReference& about, const std::string& type, const std::string& reason,
              const std::string& message);

  /// Sets who hears of an Event that the server has refused, by its namespace.
  void on_refused(std::function<void(const std::string& ns, const Error& error)> told);

  /// Returns true when no write is in progress.
  bool is_idle() const;

  static constexpr std::size_t kMaxPending = 1000;
  static constexpr std::size_t kLongestMessage = 1024;  // Kubernetes rejects longer ones

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::client
