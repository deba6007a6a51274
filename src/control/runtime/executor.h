// The executor: applies a plan through the API. First the status, guarded by the resourceVersion that the plan
// was made from; then the actions in order, runs of the same action on the same kind side by side. It ends at the first
// error, and the next look at the primary goes on from what is there by then.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ports.h"
#include "client/api_client.h"
#include "client/event_recorder.h"
#include "control/plan.h"

namespace muster::control {

struct Application {
  client::ObjectName object;             // the primary
  api::ObjectReference reference;        // the same, for Events
  std::string resource_version;          // that the plan was made from
  std::optional<json::Document> status;  // merge patch of `status`; absent: nothing to write
  std::vector<Action> actions;
};

struct Applied {
  /// The resourceVersion our own status write gave the primary; "" when none was made. A view older than that is stale.
  std::string resource_version;
  /// Conflict: look again with fresh eyes.
  Status result = ok();
};

/// `done` once, on the loop, never inline. When `*alive` is false nothing more is done, said or called back: the caller
/// and the recorder are gone. The client must outlive all.
void apply_plan(Loop& loop, client::ApiClient& client, client::EventRecorder& events, std::shared_ptr<const bool> alive,
                Application application, UniqueFunction<void(Applied)> done);

}  // namespace muster::control
