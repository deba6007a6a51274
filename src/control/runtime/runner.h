// Runner: the loop of every controller. It watches primaries and their children. For each primary that has changed or
// is due again, it observes, plans and applies. It plans again only when its view shows what it has written.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/lifetime.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "client/event_recorder.h"
#include "client/informer.h"
#include "control/controller.h"
#include "control/runtime/executor.h"
#include "control/runtime/hands_off.h"
#include "control/runtime/object_queue.h"
#include "control/runtime/shared_informers.h"

namespace muster::control {

class Runner {
 public:
  Runner(Loop& loop, Rng& rng, client::ApiClient& client, client::EventRecorder& events, SharedInformers& informers);
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Must be called before the informers start.
  void add(Controller controller);
  /// Sets what is asked before each plan: a HandsOff replaces the controller's plan. Its own plan is applied once.
  using Gate = std::function<std::optional<HandsOff>(const api::Resource& kind, const json::Document& primary)>;
  void set_gate(Gate gate) { gate_ = std::move(gate); }
  /// Gets the end of each plan that was applied, and how long that look took.
  using Observer = std::function<void(const ObjectKey& primary, Duration took, const Status& result)>;
  void set_observer(Observer observer) { observer_ = std::move(observer); }
  /// Returns how many primaries wait for a look.
  std::size_t waiting() const { return queue_.waiting(); }
  /// Queues all primaries of the kind, because the gate's answer has changed.
  void look_again(const std::string& qualified_name);
  /// Returns whether the kind, in any version, is the primary of a controller.
  bool runs(const api::Resource& kind) const;
  /// Starts the work. Everything that controllers depend on must be in view.
  void open() { queue_.open(); }

 private:
  struct Registered {
    Controller controller;
    const api::Resource* resource;
    const TextObjects* primaries = nullptr;
    std::vector<std::pair<const reflect::TypeDesc*, const ObjectIndex*>> children = {};
    std::map<std::pair<std::string, std::string>, const ObjectIndex*> views = {};  // of children, by apiVersion, kind
    std::map<std::string, client::Informer::Key> by_uid = {};  // the primaries, where a label of children names the uid
  };
  /// What the runner remembers about a primary between looks. All of it can be lost without harm.
  struct Memory {
    // What the view must show before the next plan, at the latest after kLongestWaitForOwnWrite.
    std::string awaited_version;           // of the primary: our own last write
    std::string stale_version;             // of the primary: it has another one by now
    std::vector<ChildWrite> awaited = {};  // at most as many as a plan has actions
    MonoTime awaited_since;
    // Trouble of the server: until then, no plan.
    int failures = 0;  // in a row
    MonoTime quiet_until;
    // A child that the server refuses: until then, or until the spec changes, plans without creates.
    int refusals = 0;  // in a row
    MonoTime creates_after;
    std::int64_t generation = 0;
    std::optional<Refusal> refused = {};
    bool is_news = false;     // no plan has seen `refused` yet
    std::string told = {};    // the last failure that was said in an Event
    std::size_t written = 0;  // writes to children since the last failure
  };

  void on_primary(Registered& entry, const client::Informer::Key& key, const json::Document* before,
                  const json::Document* now);
  void add_primary_of(const AnyObject& child, const Registered& entry, const WatchedKind& kind);
  void work(const ObjectKey& key);
  void leave_alone(const ObjectKey& key, const Registered& entry, const json::Document& primary, HandsOff hands_off);
  static Application application_of(const ObjectKey& key, const Registered& entry, const json::Document& primary,
                                    Plan plan);
  Plan make_plan(const Registered& entry, const json::Document& primary, const Memory* memory) const;
  Memory* memory_of(const ObjectKey& key);
  bool must_wait(const ObjectKey& key, const Registered& entry, const std::string& version);
  std::optional<Duration> time_to_wait(const ObjectKey& key, const Registered& entry, const std::string& version);
  static bool shows_own_writes(const ObjectKey& key, const Registered& entry, const std::string& version,
                               Memory& memory);
  bool is_closed(const std::string& ns);
  void close(const std::string& ns);
  void reopen_if_empty(const std::string& ns);
  bool has_primaries_in(const std::string& ns) const;
  std::optional<Duration> hold_creates(const ObjectKey& key, const json::Document& primary, Application& application);
  struct Look;
  void applied(const Look& look, Applied how);
  void remember(const Look& look, Applied& how, Memory& memory);
  void note_refusal(const Look& look, const Applied& how, Memory& memory);
  void back_off(const Look& look, const Applied& how, Memory& memory);
  void tell_failure(const Look& look, const char* reason, const Error& error, Memory& memory);

  Loop& loop_;
  Rng& rng_;
  client::ApiClient& client_;
  client::EventRecorder& events_;
  SharedInformers& informers_;
  std::map<std::pair<std::string, std::string>, Registered> registered_;  // by apiVersion, kind
  ObjectQueue queue_;
  ByObject<Memory> memories_;
  Gate gate_;
  Observer observer_;
  ByObject<std::string> told_;              // why an object is left alone, once that was said
  ByObject<MonoTime> next_plan_;            // not before this time, of primaries whose last plan was costly
  std::map<std::string, MonoTime> closed_;  // namespaces that are being deleted, and when to look again
  Lifetime lifetime_;
};

}  // namespace muster::control
