// LogFollower merges the logs of a set of pods into one stream, while pods appear, restart, are replaced and end. It
// reads each run of a container once, and resumes a broken stream where it stopped. What the pods wrote before is
// merged by time; from the first moment on in which that would hold up a line, lines come as they come.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cli/connect/live_list.h"
#include "cli/connect/session.h"
#include "cli/logs/log_lines.h"

namespace muster::cli {

struct FollowOptions {
  std::string ns;
  std::string label_selector;
  std::string field_selector;
  std::string owner_uid;  // follow only pods of this owner; "": all pods
  std::string job_name;   // removed from the pods' names in prefixes
  std::string container;  // "": the pod's default container
  Prefix prefix = Prefix::kNone;
  bool timestamps = false;
  bool fold = false;       // progress bars
  std::string tail_query;  // "&tailLines=10" for the first stream of pods that exist at the start
  std::function<void(const json::Document& pod)> on_pod = {};  // called for each version of a pod
};

/// Loop thread only.
class LogFollower {
 public:
  LogFollower(Session& session, FollowOptions options);
  ~LogFollower();
  void start();

  /// Whether every known run has been read to its end.
  bool idle() const;
  /// Returns the number of pods seen so far.
  std::size_t pods() const;
  /// Whether every pod seen so far has ended or was deleted.
  bool all_ended() const;
  /// Returns when the last byte arrived, or when the follower was created.
  MonoTime last_activity() const;
  const std::optional<Error>& failure() const;
  /// Processes a fresh list of pods, to find runs that ended between two events.
  void look(const json::Document& pod_list);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Returns the container to read when the user names none: the one in the annotation, else the first.
std::string default_container(const json::Document& pod);
/// "/api/v1/namespaces/NS/pods/NAME/log?container=C"
std::string log_target(const std::string& ns, const std::string& pod, const std::string& container);
/// The same for an earlier pod of this name, which may be gone: "/apis/muster.dev/v1/…/attempts/1/log?container=C".
std::string attempt_log_target(const std::string& ns, const std::string& pod, std::int64_t attempt,
                               const std::string& container);

}  // namespace muster::cli
