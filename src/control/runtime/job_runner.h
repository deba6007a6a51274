// JobRunner: the loop of every job kind. Watches jobs, pods and services, and for each job that changed, or whose time
// has come: observe, decide, apply.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "api/core_v1.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "client/informer.h"
#include "control/job/decide.h"
#include "control/job/kind.h"
#include "control/runtime/child_index.h"
#include "control/runtime/event_recorder.h"
#include "control/runtime/executor.h"
#include "control/runtime/port_book.h"
#include "control/runtime/work_queue.h"

namespace muster::control {

/// Pods as the pod informer has them, shared by the job runner and the scheduler.
using PodIndex = ChildIndex<api::Pod>;

class JobRunner {
 public:
  JobRunner(Loop& loop, Rng& rng, client::ApiClient& client, EventRecorder& events, const PodIndex& pods,
            Network network, std::function<bool(int port)> is_port_free);
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  /// Starts watching; `synced` runs once when the first view is complete.
  void start(Task synced);
  /// Everything that jobs depend on is in view: begin.
  void open() { queue_.open(); }
  /// A pod changed; either may be null.
  void on_pod(const api::Pod* before, const api::Pod* now);

 private:
  /// What is remembered about a job between looks. All of it can be lost without harm.
  struct Memory {
    std::string awaited_version;  // our own last write, until the informer shows it
    MonoTime awaited_since;
    int failures = 0;  // in a row
  };

  std::shared_ptr<const json::Document> find(const JobKey& key) const;
  bool exists(const JobKey& key) const;
  void on_job(const Kind& kind, const client::Informer::Key& key, const json::Document* before,
              const json::Document* now);
  void on_service(const client::Informer::Key& key, const json::Document* now);
  void add_owner(const api::ObjectMeta& meta);
  void work(const JobKey& key);
  Application plan(const JobKey& key, const Kind& kind, const json::Document& object, std::optional<Duration>& recheck);
  Application refuse(const JobKey& key, const Kind& kind, const json::Document& object, const Error& error);
  bool awaits_own_write(const JobKey& key, const json::Document& object);
  void applied(const JobKey& key, const api::ObjectReference& job, std::optional<Duration> recheck, const Applied& how);
  void forget_failures(const JobKey& key);
  void back_off(const JobKey& key, const api::ObjectReference& job, const Error& error);
  bool is_live(const std::string& uid) const;

  Loop& loop_;
  Rng& rng_;
  client::ApiClient& client_;
  EventRecorder& events_;
  const PodIndex& pods_;
  Network network_;
  ChildIndex<api::Service> services_;
  std::unordered_set<std::string> unfinished_;  // uids
  PortBook ports_;
  WorkQueue queue_;
  ByJob<Memory> memories_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<client::Informer>> jobs_;  // by apiVersion, kind
  std::unique_ptr<client::Informer> service_informer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // requests under way outlive us
};

}  // namespace muster::control
