// LeaderElector: takes part in an election until it is stopped. Loop thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/lifetime.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "client/election.h"

namespace muster::client {

class LeaderElector {
 public:
  struct Options {
    std::string ns;
    std::string lease;
    std::string identity;
    std::string manager;  // who writes it, for managedFields
    ElectionTimes times = {};
  };
  struct Events {
    std::function<void()> on_elected;
    /// Called once; from then on another may lead, so the caller must not act any more.
    std::function<void(const std::string& why)> on_lost;
  };

  LeaderElector(Loop& loop, Rng& rng, net::Transport& transport, Options options, Events events);
  ~LeaderElector();
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  void start();
  /// Ends the candidacy. A leader tells the others to take over; `done` is called when the server has heard of it, or
  /// does not answer.
  void stop(Task done);
  /// Whether the caller may act at this moment. It becomes false at the deadline, even if no timer has run.
  bool leads() const;
  /// Returns the holder as last seen; "" when nobody holds the Lease.
  const std::string& holder() const { return election_.holder(); }
  /// Returns why the last try did not reach its end; "" when it did.
  const std::string& problem() const { return problem_; }

 private:
  void attempt();
  void perform(Election::Step step);
  void read();
  void write(Election::Move move, const json::Document& lease);
  void end_try(const Status& status);
  void judge(bool led);
  void note_problem(const Status& status);
  void set_deadline();
  void lose(const std::string& why);
  void release();
  void end_release();
  Duration pause() const;
  ObjectName name() const;

  Loop& loop_;
  Rng& rng_;
  net::Transport& transport_;
  Options options_;
  Events events_;
  Election election_;
  std::optional<ApiClient> client_;  // of the present try; a new one drops requests without an answer
  std::string problem_;
  std::string told_holder_;
  bool over_ = false;
  Task released_;
  Loop::Id retry_timer_ = 0;
  Loop::Id answer_timer_ = 0;
  Loop::Id deadline_timer_ = 0;
  Lifetime lifetime_;
};

}  // namespace muster::client
