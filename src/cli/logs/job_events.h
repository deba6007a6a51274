// Shows, among the lines of a followed job, the events that explain them: it stalls, restarts, is paused, shares
// processors. What it waits for is shown by WaitingLine, how it ends by whoever follows it.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "cli/connect/session.h"
#include "cli/objects/selection.h"
#include "client/live_list.h"

namespace muster::cli {

/// Whether the event belongs among the lines of its job.
bool explains_lines(const json::Document& event);

/// Loop thread only.
class JobEvents {
 public:
  /// `object` is the job as it is now. Of a job that has run for a while, only that it is stalled and what happens from
  /// now on is shown.
  using Say = std::function<void(std::string_view lines)>;
  JobEvents(Session& session, const Selected& job, const json::Document& object, Say say);

 private:
  void take_list(const json::Document& list);
  void take(const json::Document& event);

  Say say_;
  std::string label_;
  bool shows_past_;
  bool listed_ = false;
  std::set<std::string> shown_;  // by name and count
  client::LiveList events_;
};

}  // namespace muster::cli
