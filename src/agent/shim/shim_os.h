// ShimOs: pods as processes, each under a shim that outlives the server.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/disk/paths.h"
#include "agent/disk/trash.h"
#include "agent/launch/isolator.h"
#include "agent/pod/os.h"
#include "agent/pod/recover.h"
#include "agent/shim/shim_channel.h"
#include "base/ports.h"

namespace muster::agent {

class ShimOs final : public Os {
 public:
  using Plan = std::function<Result<LaunchPlan>(const json::Document& pod)>;
  /// Called with the events of a plan that is about to be carried out.
  using Report = std::function<void(const json::Document& pod, const std::vector<PodEvent>& events)>;
  /// Called, never inline, when what `look` returns has changed.
  using OnChange = std::function<void(const std::string& uid)>;

  ShimOs(Loop& loop, const Paths& paths, Trash& trash, std::vector<Isolator*> isolators, Plan plan, Report report,
         OnChange on_change);
  /// Running shims continue without the server. Those that wait for "go" exit, because their sockets are closed.
  ~ShimOs() override;

  /// Installs the shim program and takes over the shims of an earlier server.
  Status start();

  std::string boot_id() const override { return boot_id_; }
  std::optional<int> last_launch(const std::string& uid) const override;
  std::optional<AttemptRecord> record_of(const std::string& uid, int launch) const override;
  Sighting look(const std::string& uid, int launch) override;
  Status prepare(const json::Document& pod, int launch, const std::map<std::string, int>& first_runs) override;
  Status go(const std::string& uid) override;
  Status restart(const std::string& uid, const std::string& container, int run) override;
  Status stop(const std::string& uid, std::int64_t grace_seconds) override;
  Status discard(const std::string& uid, int launch) override;
  void clean_up(const std::string& uid, int last_launch) override;

  /// The pods that left anything here.
  std::vector<std::string> pods_on_disk() const;
  bool has_shim(const std::string& uid) const { return shims_.contains(uid); }
  /// The running pods, with what their shims reported last; valid until the loop's next turn.
  std::map<std::string, const AttemptRecord*> running() const;
  /// The connection to a running shim, or null when there is none at the moment.
  ShimChannel* channel(const std::string& uid);
  /// The folder of the pod's running launch; "" when none runs.
  std::string launch_folder(const std::string& uid) const;
  /// Ends one run of a container. `done` is called from the loop, never inline.
  void kill_container(const std::string& uid, const std::string& container, int run, std::int64_t grace_seconds,
                      ShimChannel::Done done);
  /// As ShimChannel::kill_for_memory.
  void kill_for_memory(const std::string& uid, const std::string& container, int run, const std::string& why,
                       ShimChannel::Done done);

 private:
  struct Shim {
    int launch = 0;
    int version = 0;
    Presence presence = Presence::kStarting;
    std::optional<AttemptRecord> record;
    Fd pidfd;
    Fd socket;  // while it waits for "go"
    Loop::Id pidfd_id = 0;
    Loop::Id socket_id = 0;
    Loop::Id timer_id = 0;
    std::unique_ptr<ShimChannel> channel;
  };

  Shim& follow(const std::string& uid, Shim shim);
  void connect(const std::string& uid);
  void look_later(const std::string& uid);
  void on_ready(const std::string& uid);
  void on_exit(const std::string& uid);
  void forget(const std::string& uid);
  void release(const std::string& uid);
  Shim* find(const std::string& uid);
  void fail_without_channel(const std::string& uid, ShimChannel::Done done);
  Status signal_stop(const Shim& shim, const std::string& uid, std::int64_t grace_seconds);

  Loop& loop_;
  const Paths& paths_;
  Trash& trash_;
  std::vector<Isolator*> isolators_;
  Plan plan_;
  Report report_;
  OnChange on_change_;
  std::string boot_id_;
  std::string program_;
  std::map<std::string, Shim> shims_;
  std::set<std::string> unclear_;  // uids whose shims an earlier server started and that are not judged yet
};

}  // namespace muster::agent
