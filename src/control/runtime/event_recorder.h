// EventRecorder: Events about objects. The name of an Event is a function of what it says about whom, so saying the
// same again, also after a restart of the process, counts up the one there is.
#pragma once

#include <memory>
#include <string>

#include "api/core_v1.h"
#include "base/ports.h"
#include "client/api_client.h"

namespace muster::control {

class EventRecorder {
 public:
  EventRecorder(Loop& loop, client::ApiClient& client, std::string component);
  ~EventRecorder();

  /// Does not wait: an Event is told once and not tried again, and at most kMaxPending are under way; more are dropped
  /// with a line in the log. `about` needs api_version, kind, ns, name and uid.
  void record(const api::ObjectReference& about, const std::string& type, const std::string& reason,
              const std::string& message);

  static constexpr std::size_t kMaxPending = 1000;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::control
