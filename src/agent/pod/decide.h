// What to do next with one pod. Pure and total: every state that a crash can leave behind has a next step, and no
// step is ever taken on doubt.
//
// A *launch* is one shim of the pod; a pod normally has one for its whole life. A *run* is one start of a container
// inside it. The order of a launch makes a second start impossible, wherever the server dies: the intent (launch, boot
// id) is stored in the API; the launch's folder is created exclusively; the shim is started and waits; all shims of the
// gang are ready; only then is it sent "go". A server that dies before that closes the socket, and the shim leaves
// without having run anything.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/pod/pod_facts.h"
#include "agent/pod/record.h"
#include "base/time.h"

namespace muster::agent {

/// What the machine shows of the pod's current launch.
enum class Presence {
  kNothing,     // it has no folder: nothing was started
  kStarting,    // the shim has not reported that it is ready
  kReady,       // the shim waits for "go"
  kRunning,     // the shim was sent "go", or was adopted
  kUnclear,     // a shim is starting or leaving; its folder shows no outcome yet
  kNeverRan,    // the shim left without having run anything: the same number may be launched again
  kEnded,       // the exit record holds the result
  kStopped,     // `muster down` ended it; it is to be launched again
  kLostShim,    // the shim was killed, and the pod with it
  kLostReboot,  // the machine was restarted while it ran
};
struct Sighting {
  Presence presence = Presence::kNothing;
  std::optional<AttemptRecord> record;  // the shim's latest report, or its last
};

/// What the server remembers of a pod between two looks. A new server begins with what `recall` says.
struct PodMemory {
  int launch = 0;
  std::map<std::string, int> first_runs;      // of the containers in this launch; absent is 0
  std::optional<AttemptRecord> previous;      // how the launch before this one ended
  int unrun_launches = 0;                     // consecutive shims that left without running anything
  std::optional<Time> lost_at;                // when it was noticed that this launch is lost
  std::optional<std::int64_t> hooks_within;   // the grace period with which the preStop hooks were begun
  std::optional<std::int64_t> stopping_with;  // the grace period of the last stop that was sent
  std::string prepare_error;                  // why the launch could not be prepared; it is tried again
  std::optional<Time> prepare_again;
  std::optional<Time> gang_ready_at;  // when the shim could first have been sent "go"
};

/// Whether the launch can be prepared now.
struct Readiness {
  enum class State { kReady, kWaits, kImpossible };
  State state = State::kReady;
  std::string reason;  // of the container status: ContainerCreating, CreateContainerConfigError
  std::string event;   // of the event: FailedMount, Failed
  std::string message;
};

/// What the probes and the postStart hook of a running container say.
struct ContainerHealth {
  bool started = true;
  bool ready = true;
  bool operator==(const ContainerHealth&) const = default;
};

/// How far the preStop hooks of a running pod are.
struct StopHooks {
  enum class State {
    kNone,     // no running container has one
    kDue,      // they run before the pod is stopped
    kRunning,  // since `begun`
    kDone,     // they were begun at `begun`, and do not run again
  };
  State state = State::kNone;
  Time begun{};
};

/// Everything else that the decision depends on.
struct PodContext {
  Time now;
  std::string boot_id;
  std::string address;        // the pod's, given when it was first seen
  Readiness readiness;        // looked up only while nothing was started
  bool gang_is_ready = true;  // every shim of the pod's gang is ready or was sent "go"
  std::string eviction;       // why the pod must end although it could keep running; "": it need not
  // What the pod lacks to count as active, "" while it is; nullopt: not known, or not asked.
  std::optional<std::string> stall = {};
  Duration first_restart_delay = std::chrono::seconds(10);
  std::map<std::string, ContainerHealth> health = {};  // of running containers; one that is absent is ready
  StopHooks stop_hooks = {};
};

// ---- steps ----

/// Makes the surroundings of the launch and starts its shim, which waits.
struct PrepareLaunch {
  bool operator==(const PrepareLaunch&) const = default;
};
struct SendGo {
  bool operator==(const SendGo&) const = default;
};
struct RestartContainer {
  std::string name;
  int run = 0;
  bool operator==(const RestartContainer&) const = default;
};
/// Runs the preStop hooks, which have the whole grace period. Again with a shorter one: shortens it.
struct RunStopHooks {
  std::int64_t grace_seconds = 0;
  bool operator==(const RunStopHooks&) const = default;
};
/// Ends the pod's processes. A shim that waits for "go" never gets it.
struct StopPod {
  std::int64_t grace_seconds = 0;
  bool operator==(const StopPod&) const = default;
};
/// Removes the folder of a launch that never ran, so that its number can be used again.
struct DiscardLaunch {
  bool operator==(const DiscardLaunch&) const = default;
};
/// Removes everything but logs and records.
struct CleanUp {
  bool operator==(const CleanUp&) const = default;
};
/// Deletes the Pod object for good, once the API shows how it ended.
struct RemoveObject {
  bool operator==(const RemoveObject&) const = default;
};
/// The object is gone and nothing is left on the machine.
struct Forget {
  bool operator==(const Forget&) const = default;
};
using Step = std::variant<PrepareLaunch, SendGo, RestartContainer, RunStopHooks, StopPod, DiscardLaunch, CleanUp,
                          RemoveObject, Forget>;

/// The stages of a pod's life as its status shows them.
enum class Stage {
  kPending,  // nothing has run yet
  kRunning,  // a launch is in progress
  kBackOff,  // a launch has ended and another will follow
  kEnded,    // nothing more will run
};

/// What the API is to show.
struct PodView {
  Stage stage = Stage::kPending;
  std::string address;
  std::optional<Intent> intent;
  Time now;
  std::map<std::string, int> first_runs;
  std::optional<AttemptRecord> current;            // this launch so far
  std::optional<AttemptRecord> previous;           // the launch before
  std::map<std::string, Duration> restart_delays;  // of the containers that wait for their next run
  // Why the containers wait; "" means the default reason.
  std::string waiting_reason;
  std::string waiting_message;
  // A failure of the whole pod: LostShim, LostReboot, DeadlineExceeded, Evicted, or a launch that is impossible.
  std::string failure_reason;
  std::string failure_message;
  std::optional<std::string> stall = {};  // as in PodContext
  std::map<std::string, ContainerHealth> health = {};
};

struct PodEvent {
  std::string type;  // Normal, Warning
  std::string reason;
  std::string message;
  int run = 0;  // of the container; the same event of another run is another event
  bool operator==(const PodEvent&) const = default;
};

struct PodDecision {
  PodMemory memory;
  std::optional<PodView> view;  // absent: the status stays as it is
  std::vector<Step> steps;      // in this order
  std::vector<PodEvent> events;
  std::optional<Duration> look_again;
};

/// `pod` is null when the API has no such object.
PodDecision decide(const PodMemory& memory, const DesiredPod* pod, const Sighting& seen, const PodContext& around);

/// What a new server remembers of a pod whose current launch is `launch`. `pod` is null when the API does not have it.
PodMemory recall(int launch, const std::optional<AttemptRecord>& previous, const DesiredPod* pod);

/// The delay before the run after `run`, as a kubelet has it: none after the first failure, then `first`, doubling up
/// to 30 times that; a run of ten minutes begins the series again.
Duration restart_delay(const ContainerRecord& ended, Duration first);

/// The grace period that is left to a container after its preStop hook.
std::int64_t grace_after_hooks(std::int64_t grace_seconds, Duration took);

}  // namespace muster::agent
