// Os: what the agent asks of the machine on behalf of one pod. The real one starts shims (agent/shim/shim_os.h); the
// fake in testing/ crashes between any two calls.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "agent/pod/decide.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::agent {

/// Every call may be repeated after a crash. What changes later (a shim is ready, a container has ended) is announced
/// by the implementation, and `look` then shows it.
class Os {
 public:
  virtual ~Os() = default;

  virtual std::string boot_id() const = 0;
  /// The number of the last launch that left anything behind.
  virtual std::optional<int> last_launch(const std::string& uid) const = 0;
  /// The last record of a launch that is over.
  virtual std::optional<AttemptRecord> record_of(const std::string& uid, int launch) const = 0;
  virtual Sighting look(const std::string& uid, int launch) = 0;

  /// Makes the pod's surroundings and starts a shim that waits for `go`. Must not start a second one for the same
  /// launch, whatever happened before.
  virtual Status prepare(const json::Document& pod, int launch, const std::map<std::string, int>& first_runs) = 0;
  virtual Status go(const std::string& uid) = 0;
  virtual Status restart(const std::string& uid, const std::string& container, int run) = 0;
  virtual Status stop(const std::string& uid, std::int64_t grace_seconds) = 0;
  virtual Status discard(const std::string& uid, int launch) = 0;
  virtual void clean_up(const std::string& uid, int last_launch) = 0;
};

/// What the agent does with Pod objects.
class PodApi {
 public:
  virtual ~PodApi() = default;
  /// Makes the API show the view, sooner or later; returns true when it does already.
  virtual bool show(const json::Document& pod, const PodView& view) = 0;
  /// Deletes the object for good.
  virtual void remove(const json::Document& pod) = 0;
  virtual void report(const json::Document& pod, int launch, const PodEvent& event) = 0;
};

}  // namespace muster::agent
