// LogFollower merges the logs of a set of pods into one stream, while pods appear, restart, are replaced and end. It
// reads each run of a container once, and resumes a broken stream where it stopped. What the pods wrote before is
// merged by time; from the first moment on in which that would hold up a line, lines come as they come.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/ports.h"
#include "client/api_client.h"
#include "client/logs/log_lines.h"

namespace muster::client {

/// The unfinished line of one run of a container.
struct LineOfRun {
  std::string run;  // names the run among those that are followed
  std::string prefix;
  std::string text;
};

struct FollowOptions {
  std::string ns;
  std::string label_selector;
  std::string field_selector;
  std::string owner_uid;  // follow only pods of this owner; "": all pods
  std::string container;  // "": the pod's default container
  Prefix prefix = Prefix::kNone;
  /// Returns what the prefix calls a pod; by default its name.
  std::function<std::string(const json::Document& pod)> label = {};
  bool timestamps = false;
  bool fold = false;       // progress bars
  bool raw = false;        // for whoever prints the lines: every byte as it is
  std::string tail_query;  // "&tailLines=10" for the first stream of pods that exist at the start
  std::function<void(const json::Document& pod)> on_pod = {};  // called for each version of a pod
  /// Receives what the unfinished line of a run shows, whenever that changes; "" when it is over.
  std::function<void(const LineOfRun& line)> on_state = {};
};

/// Loop thread only.
class LogFollower {
 public:
  using Out = std::function<void(std::string_view lines)>;
  LogFollower(Loop& loop, ApiClient& api, FollowOptions options, Out out);
  ~LogFollower();
  /// `on_progress` is called when the answer of one of the functions below may have changed.
  void start(std::function<void()> on_progress = {});

  /// Whether every known run has been read to its end.
  bool idle() const;
  /// Returns the number of pods seen so far.
  std::size_t pods() const;
  /// Whether every pod seen so far has ended or was deleted.
  bool all_ended() const;
  /// Returns when the last byte arrived, or when the follower was created; now while it is paused.
  MonoTime last_activity() const;
  const std::optional<Error>& failure() const;
  /// Processes a fresh list of pods, to find runs that ended between two events.
  void look(const json::Document& pod_list);
  /// While it is paused, nothing more is read than what is already on the way.
  void pause(bool paused);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::client
