// A machine with shims for the agent's simulations. The machine outlives the server; the server dies between any two
// of its calls.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/pod/os.h"
#include "testing/seeded_rng.h"

namespace muster::testing {

/// Thrown by FakeOs and FakePodApi in place of the server's death.
struct ServerDied {};

/// Dies after a number of further calls; 0 means never.
class Mortality {
 public:
  void die_after(int calls) { left_ = calls; }
  void pass() {
    if (left_ > 0 && --left_ == 0) throw ServerDied{};
  }

 private:
  int left_ = 0;
};

/// What lies on the machine and runs there.
class FakeMachine {
 public:
  enum class Shim { kNone, kWaiting, kReady, kRunning, kLeft, kKilled };
  struct Launch {
    Shim shim = Shim::kNone;
    std::string boot_id;
    agent::AttemptRecord record;
    bool has_exit_record = false;
    bool has_folder = false;
    bool was_stopped = false;
  };
  struct Pod {
    std::map<int, Launch> launches;
    agent::RestartPolicy policy = agent::RestartPolicy::kNever;
    /// The launch that ran user code, and its boot id; none once `muster down` has stopped it.
    std::optional<std::pair<int, std::string>> ran;
  };

  std::map<std::string, Pod> pods;
  std::string boot_id = "boot-0";
  std::vector<std::string> violations;

  /// The waiting shims see the end of their socket, sooner or later.
  void server_died();
  /// Something happens to one of the shims by itself.
  void step(SeededRng& rng, Time now);
  /// The machine restarts. What was not synced may be lost.
  void reboot(SeededRng& rng);
  bool has_processes() const;

  /// User code begins: records a violation when it must not.
  void begin_run(const std::string& uid, int launch, const std::string& container, int run, Time now);
  static void end_run(agent::ContainerRecord& container, int code, Time now);
  void leave_if_complete(const Pod& pod, Launch& launch);

  int boots = 0;

 private:
  std::set<std::string> begun_;  // "uid container run boot"
};

class FakeOs final : public agent::Os {
 public:
  FakeOs(FakeMachine& machine, Mortality& mortality, std::function<Time()> now)
      : machine_(machine), mortality_(mortality), now_(std::move(now)) {}

  std::string boot_id() const override { return machine_.boot_id; }
  std::optional<int> last_launch(const std::string& uid) const override;
  std::optional<agent::AttemptRecord> record_of(const std::string& uid, int launch) const override;
  agent::Sighting look(const std::string& uid, int launch) override;
  Status prepare(const json::Document& pod, int launch, const std::map<std::string, int>& first_runs) override;
  Status go(const std::string& uid) override;
  Status restart(const std::string& uid, const std::string& container, int run) override;
  Status stop(const std::string& uid, std::int64_t grace_seconds) override;
  Status discard(const std::string& uid, int launch) override;
  void clean_up(const std::string& uid, int last_launch) override;

 private:
  FakeMachine::Launch* live(const std::string& uid);

  FakeMachine& machine_;
  Mortality& mortality_;
  std::function<Time()> now_;
  std::set<std::string> own_;  // pods whose waiting shim is connected to this server
};

}  // namespace muster::testing
