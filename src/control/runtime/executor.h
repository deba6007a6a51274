// The executor applies a plan through the API. It writes the status first, guarded by the resourceVersion that the plan
// was based on. Then it performs the actions in order; consecutive actions of one type on one kind run concurrently. It
// stops at the first error, and the next look at the primary continues from the state found then. The first of them
// goes alone, because what refuses one usually refuses all.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/lifetime.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "client/event_recorder.h"
#include "control/plan.h"
#include "control/refusal.h"

namespace muster::control {

struct Application {
  client::ObjectName object;             // the primary
  api::ObjectReference reference;        // the same object, for Events
  std::string resource_version;          // of the primary that the plan was based on
  std::optional<json::Document> status;  // merge patch of `status`; absent: nothing to write
  std::vector<Action> actions;
  std::size_t written_before = 0;  // by earlier plans since the last failure
};

/// A write to a child that was carried out.
struct ChildWrite {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::string version;  // that the child has now; "": it was deleted
};

struct Applied {
  /// The primary's resourceVersion after our status write; "" when there was none. An older view is stale.
  std::string resource_version;
  /// A conflict means that the plan was based on a stale view: look again.
  Status result = ok();
  bool is_stale = false;                // the primary is no longer at the version that the plan was based on
  std::size_t failed = 0;               // requests
  std::size_t made = 0;                 // children
  std::optional<Refusal> refused = {};  // why a child could not be created
  std::vector<ChildWrite> writes = {};
};

/// Calls `done` once, on the loop, never inline. Once the lifetime of `caller` is over, the recorder
/// is gone as well: nothing more is applied, recorded or called back. The client must outlive every application.
void apply_plan(Loop& loop, client::ApiClient& client, client::EventRecorder& events, Lifetime::Watch caller,
                Application application, UniqueFunction<void(Applied)> done);

}  // namespace muster::control
