// EventRecorder: Events about objects, for controllers and agent. The name of an Event is a function of its identity
// (event_correlator.h), so reporting the same again, also after a restart of the process, counts up the one there is.
#pragma once

#include <memory>
#include <string>

#include "api/kubernetes/core_v1.h"
#include "base/ports.h"
#include "client/api_client.h"

namespace muster::client {

class EventRecorder {
 public:
  /// `source.host` is "" for a component that is on no node.
  EventRecorder(Loop& loop, ApiClient& client, api::EventSource source);
  ~EventRecorder();

  /// Does not wait: a write that fails is not repeated, and at most kMaxPending are under way; more are dropped with a
  /// line in the log. `about` needs api_version, kind, ns, name and uid.
  void record(const api::ObjectReference& about, const std::string& type, const std::string& reason,
              const std::string& message);

  static constexpr std::size_t kMaxPending = 1000;
  static constexpr std::size_t kLongestMessage = 1024;  // Kubernetes refuses longer ones

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::client
