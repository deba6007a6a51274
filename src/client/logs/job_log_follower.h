// JobLogFollower follows the logs of a job's pods over restarts until the job has ended or was deleted, and then reads
// the last lines. A pod that outlives its job is given up once it is quiet.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "client/logs/log_follower.h"

namespace muster::client {

struct JobToFollow {
  ResourceName resource;
  std::string name;
  json::Document object;  // its version now
  std::function<bool(const json::Document& job)> has_ended;
  std::function<void(const json::Document& job)> on_change = {};  // called for each later version
  std::function<void()> on_over = {};                             // called once, from the loop
};

/// Loop thread only. Must not be destroyed inside a callback.
class JobLogFollower {
 public:
  /// The selectors of `options` choose among the pods of the job; the job says which owner they have.
  JobLogFollower(Loop& loop, ApiClient& api, JobToFollow job, FollowOptions options, LogFollower::Out out);
  ~JobLogFollower();
  void start();

  bool over() const;
  const std::optional<Error>& failure() const;
  /// Returns the last version of the job.
  const json::Document& object() const;
  bool deleted() const;
  /// While it is paused, nothing more is read than what is already on the way, and the end is not reached.
  void pause(bool paused);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::client
