// LogFollower: the logs of a set of pods as one stream, while pods appear, restart, are replaced and end. Each run of a
// container is read once; a stream that breaks off is taken up again where it was.
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
  std::string owner_uid;  // only pods that belong to it; "" takes all
  std::string job_name;   // taken off the pods' names in prefixes
  std::string container;  // "" takes the pod's default
  Prefix prefix = Prefix::kNone;
  bool timestamps = false;
  std::string tail_query;  // "&tailLines=10" for the first stream of pods that are there at the start
  std::function<void(const json::Document& pod)> on_pod = {};  // called with each pod, as it is seen
};

/// Loop thread only.
class LogFollower {
 public:
  LogFollower(Session& session, FollowOptions options);
  ~LogFollower();
  void start();

  /// Every known run has been read to its end and no pod is still to come to life.
  bool idle() const;
  /// Pods seen so far.
  std::size_t pods() const;
  /// Whether every pod seen has ended or gone.
  bool all_ended() const;
  /// When the last byte came, or the follower was started.
  MonoTime last_activity() const;
  const std::optional<Error>& failure() const;
  /// Takes a fresh list, for runs that ended between two events.
  void look(const json::Document& pod_list);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// The container whose log is meant when none is named: by annotation, else the first.
std::string default_container(const json::Document& pod);
/// "/api/v1/namespaces/NS/pods/NAME/log?container=C"
std::string log_target(const std::string& ns, const std::string& pod, const std::string& container);

}  // namespace muster::cli
