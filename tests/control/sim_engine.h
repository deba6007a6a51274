// SimEngine: store, API server and controllers on virtual time, in an order that depends on the seed alone. Requests of
// the controllers pass through FaultyTransport. The engine or its controllers can crash at any moment between two
// tasks.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "apiserver/api_server.h"
#include "client/api_client.h"
#include "control/runtime/controllers.h"
#include "faulty_transport.h"
#include "store/store.h"
#include "testing/seeded_rng.h"
#include "testing/sim_loop.h"

namespace muster::control {

/// SimLoop in step with the store's writer thread: what a task has written is durable, and the store has been told so,
/// before the next task runs.
class LockstepLoop final : public Loop {
 public:
  Time now() const override { return sim_.now(); }
  MonoTime mono() const override { return sim_.mono(); }
  void post(Task task) override;
  Id after(Duration delay, Task task) override { return sim_.after(delay, in_step(std::move(task))); }
  Id on_readable(int fd, UniqueFunction<void()> task) override { return sim_.on_readable(fd, std::move(task)); }
  void cancel(Id id) override { sim_.cancel(id); }

  /// Null: there is nothing to wait for.
  void keep_step_with(const store::Store* store) { store_ = store; }
  void advance(Duration span) { sim_.advance(span); }
  /// Drops everything that was to run, as the end of a process does.
  void forget() { sim_.forget(); }

 private:
  Task in_step(Task task);
  void wait_for_writer();

  testing::SimLoop sim_;
  const store::Store* store_ = nullptr;
  const std::thread::id owner_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> from_writer_;
};

class SimEngine {
 public:
  using Object = std::shared_ptr<const json::Document>;

  explicit SimEngine(std::uint64_t seed);
  ~SimEngine();

  Time now() const { return loop_->now(); }
  testing::SeededRng& rng() { return rng_; }
  /// A client whose requests arrive.
  client::ApiClient& client() { return *client_; }
  void advance(Duration span) {
    loop_->post([] {});  // after which what was asked meanwhile is durable
    loop_->advance(span);
  }

  /// The controllers lose what they have in memory; requests under way may still arrive.
  void crash_controllers();
  /// Everything but the store's files is lost.
  void crash();
  /// From now on the controllers' requests arrive, and so do the answers.
  void heal();

  /// What is stored, by key. `resource` is "pods" or "pytorchjobs.kubeflow.org".
  std::map<store::Key, Object> all(const std::string& resource);
  /// A digest of everything that is stored.
  std::string digest();

 private:
  void open();
  void close();
  void start_controllers();

  testing::SeededRng rng_;
  std::string folder_;
  bool is_healed_ = false;
  std::map<store::Key, std::pair<store::Revision, Object>> parsed_;
  std::unique_ptr<LockstepLoop> loop_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<apiserver::ApiServer> server_;
  std::unique_ptr<apiserver::LocalTransport> transport_;
  std::unique_ptr<client::ApiClient> client_;
  std::unique_ptr<FaultyTransport> faulty_;
  std::unique_ptr<client::ApiClient> controllers_client_;
  std::unique_ptr<Controllers> controllers_;
};

}  // namespace muster::control
