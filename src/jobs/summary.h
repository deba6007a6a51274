// What people are told about a job, whatever its kind: one reading of its object for the CLI, `arena`, the console and
// the routes about jobs. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/time.h"
#include "jobs/model/model.h"
#include "json/document.h"

namespace muster::jobs {

/// The words of every place that has words of its own; docs/states.md lists those of the others.
enum class State { kPending, kRunning, kRestarting, kPaused, kResuming, kSucceeded, kFailed, kStopped, kDeleting };
std::string_view state_word(State state);
/// Returns true for a job that has ended, whether or not it is being deleted.
bool has_ended(State state);

struct RoleSummary {
  std::string name;  // as the kind spells it
  int replicas = 0;
  int first_rank = 0;  // of its replicas, in the order of the roles
  int processes = 1;   // that each replica runs as ranks; 0 for a launcher
  int running = 0;
  int succeeded = 0;
};

/// What the containers of all replicas name together; absent where none names anything.
struct Amounts {
  std::optional<Quantity> requests;
  std::optional<Quantity> limits;
};

struct Summary {
  State state = State::kPending;
  State phase = State::kPending;  // the state without regard to a deletion
  std::string cause;              // why it waits, restarts, does nothing, or failed; "" when there is nothing to say
  std::string outcome;            // how it ended, in one sentence; "" while it has not
  bool stalled = false;           // it runs and does nothing
  bool paused = false;            // a user wants it to pause, or it is paused
  std::optional<ElasticRange> elastic;
  int restarts = 0;  // counted against the limit
  std::optional<int> restart_limit;
  std::string queue;
  std::optional<std::int32_t> priority;
  std::string priority_class;
  std::vector<RoleSummary> roles;            // in rank order
  std::map<std::string, Amounts> resources;  // "cpu", "memory", "nvidia.com/gpu"
  std::int64_t gpus = 0;                     // that its replicas request together
  std::vector<std::string> claims;           // that its pods mount, each once
  std::string decider;                       // the replica that decides about the job: "worker-0"; "" when unknown
  std::string deciding_pod;                  // its name
  std::string tensorboard;                   // the name of the job's own; "" when it has none
  std::optional<Time> started;
  std::optional<Time> ended;

  int wanted() const;
  int running() const;
  int succeeded() const;
};

/// The object may be of any version and spelling that the API accepts. What cannot be read from it is left empty; its
/// state is known even if its spec is invalid. CHECKs that it is a job.
Summary summarise(const json::Document& object);
/// Return the state, or the phase, alone, which costs a fraction of the summary.
State state_of(const json::Document& object);
State phase_of(const json::Document& object);

/// Returns the summary as the routes about jobs send it.
json::Document encode(const Summary& summary);

/// Returns the GPUs that the containers of a pod together are limited to, whoever made them.
std::int64_t gpus_of(const api::PodSpec& spec);

}  // namespace muster::jobs
