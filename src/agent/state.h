// The agent's internals, shared by its .cc files: agent.cc (what changes, and when a pod is synced), pod_start.cc
// (launching), pod_end.cc (stopping, exits, removal), pod_status_writer.cc (statuses and events), agent_recovery.cc
// (after a restart).
//
// Level-triggered: whatever happens to a pod, its uid is queued, and sync() takes the next step from the state that it
// finds. Everything runs on the loop thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "agent/launch.h"
#include "agent/node.h"
#include "agent/paths.h"
#include "agent/record.h"
#include "agent/recover.h"
#include "agent/status.h"
#include "agent/trash.h"
#include "client/event_recorder.h"
#include "client/informer.h"
#include "linux/files.h"
#include "linux/process.h"

namespace muster::agent {

/// Returns the objects of one namespace, which are adjacent in the cache.
std::vector<const json::Document*> in_namespace(const client::Informer::Cache& cache, const std::string& ns);

enum class Step {
  kWaiting,    // until its intent is stored and its gang and volumes are there
  kStarting,   // the shim was started and has not reported that it is ready
  kRunning,    // the shim was sent "go", or was adopted
  kLookAgain,  // its folder shows no clear outcome yet
  kBackOff,    // waits before the next attempt
  kEnded,
};

/// A pod's state on this node. The pod's document stays in the informer and is not copied here.
struct PodRun {
  std::string uid;
  Step step = Step::kWaiting;
  int attempt = 0;
  int unrun_starts = 0;  // consecutive shims that exited without running anything
  std::string address;
  std::optional<AttemptRecord> current;
  std::optional<AttemptRecord> previous;
  std::string waiting_reason;
  std::string waiting_message;
  std::string failure_reason;
  std::string failure_message;

  Fd pidfd;   // of the shim, while it lives
  Fd socket;  // to a shim that waits for "go"
  Loop::Id pidfd_id = 0;
  Loop::Id socket_id = 0;
  Loop::Id timer_id = 0;
  int watch = -1;
  std::optional<std::int64_t> stopping_with;  // grace period of the last stop that was sent
  bool name_remembered = false;

  bool writing = false;   // a status write is in progress
  bool removing = false;  // the final DELETE is in progress
  std::string outdated;   // resourceVersion that the informer still shows although a newer one is written
  std::string taken_at;   // resourceVersion at which the server accepted `taken` without a change
  json::Document taken;
  std::set<std::string> told;  // already reported as events

  bool has_process() const { return static_cast<bool>(pidfd); }
};

struct Agent::State {
  State(Loop& loop, Rng& rng, client::ApiClient& client, Options options);
  ~State();

  // agent.cc
  Status start();
  void register_node();
  void bind_claim(const json::Document& claim);
  void on_pod(const json::Document* before, const json::Document* now);
  void want_sync(const std::string& uid);
  void want_hosts(const std::string& ns);
  void want_waiting();  // a dependency of a waiting pod may have appeared
  void drain();
  void sync(const std::string& uid);
  void write_all_hosts();
  void write_hosts(const std::string& ns);
  void note_address(const json::Document* before, const json::Document* now);
  std::shared_ptr<const json::Document> find_pod(const std::string& uid) const;
  bool synced() const;

  // agent_recovery.cc
  void recover();
  void recover_pod(const std::string& uid);
  void forget_old_logs();

  // pod_start.cc
  bool may_start(const PodRun& run, const json::Document& pod) const;
  bool gang_is_complete(const json::Document& pod) const;
  void try_start(PodRun& run, const json::Document& pod);
  Status start_attempt(PodRun& run, const json::Document& pod, const LaunchPlan& plan);
  void on_ready(const std::string& uid);
  void follow(PodRun& run);  // watches the shim's pidfd and the attempt's folder
  void unfollow(PodRun& run);
  void on_records_changed();
  References references_of(const std::string& ns) const;

  // pod_end.cc
  void on_shim_gone(const std::string& uid);
  void take_verdict(PodRun& run, Recovered found);
  void take_end(PodRun& run, AttemptRecord end);
  void take_loss(PodRun& run, std::optional<AttemptRecord> state, std::string reason, std::string message);
  void take_stop(PodRun& run, std::optional<AttemptRecord> record);
  void begin_next_attempt(PodRun& run, std::optional<AttemptRecord> ended);
  void back_off(PodRun& run, Time ended);
  void start_over(PodRun& run);
  void fail(PodRun& run, const json::Document& pod, const std::string& message);
  void stop(PodRun& run, const json::Document* pod, std::int64_t grace);
  void sync_deleted(PodRun& run, const json::Document& pod);
  void sync_gone(PodRun& run);
  void remove_pod(PodRun& run, const json::Document& pod);
  void clean_up(const PodRun& run);
  void discard(const std::string& path);

  // pod_status_writer.cc
  PodView view_of(const PodRun& run) const;
  /// Returns true when the API already shows the current status.
  bool push_status(PodRun& run, const json::Document& pod);
  void tell(PodRun& run, const json::Document& pod, const Remark& remark);
  void tell_progress(PodRun& run, const json::Document& pod);
  std::string give_address(const std::string& uid, const json::Document& pod);

  PodRun* find_run(const std::string& uid);
  void after(PodRun& run, Duration delay);  // syncs again after `delay`

  Loop& loop_;
  Rng& rng_;
  client::ApiClient& client_;
  Options options_;
  Paths paths_;
  Trash trash_;
  Machine machine_;
  client::EventRecorder events_;
  std::string shim_program_;

  std::map<std::string, PodRun> runs_;
  std::map<std::string, client::Informer::Key> keys_;  // uid -> its key in the informer
  std::set<std::string> addresses_;
  std::map<std::string, int> shown_addresses_;  // address -> number of pods with it in their status
  std::map<int, std::string> watches_;          // inotify watch -> uid
  std::optional<linux_os::Inotify> inotify_;
  Loop::Id inotify_id_ = 0;

  std::set<std::string> to_sync_;
  std::set<std::string> syncing_;  // taken from to_sync_, processed in slices
  std::set<std::string> hosts_to_write_;
  std::map<std::string, std::string> hosts_written_;
  MonoTime next_hosts_{};  // the earliest time of the next write
  Loop::Id hosts_timer_ = 0;
  mutable std::map<std::string, std::size_t> gang_members_;  // with an address, by gang; cleared when a pod changes
  int gone_since_tidied_ = 0;
  bool waiting_to_sync_ = false;
  bool drain_posted_ = false;
  bool ready_ = false;                                          // every informer has received its first list
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // false once destroyed; checked by client callbacks

  std::unique_ptr<client::Informer> pods_;
  std::unique_ptr<client::Informer> services_;
  std::unique_ptr<client::Informer> claims_;
  std::unique_ptr<client::Informer> config_maps_;
  std::unique_ptr<client::Informer> secrets_;
};

}  // namespace muster::agent
