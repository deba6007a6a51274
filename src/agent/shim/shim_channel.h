// The server's connection to a running shim: its containers' state as it changes, and requests to it. The protocol is
// described in shim/format.h.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/launch/launch_file.h"
#include "agent/pod/record.h"
#include "base/fd.h"
#include "base/ports.h"
#include "base/result.h"

namespace muster::agent {

/// A command to run in a running container.
struct ExecRequest {
  std::string container;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env = {};  // in addition to the container's own
  std::string cwd = {};                                       // empty: the container's
  std::optional<LaunchUser> user = {};                        // nullopt: the container's
  bool tty = false;
};

/// What becomes the standard streams of a command without a terminal. All three must be open.
struct ExecStreams {
  Fd in;
  Fd out;
  Fd err;
};

struct ExecEnd {
  int code = 0;  // 128 + signal when a signal ended it
  int signal = 0;
};

/// The processes of a pod, with their pids as seen from outside the pod.
struct ShimStatistics {
  pid_t init = 0;
  std::map<std::string, pid_t> containers;  // the running ones
};

/// Everything happens on the loop, callbacks included; none is called inline or after the channel is destroyed. A
/// callback may destroy the channel. Requests that were not answered when the connection ends fail with Unavailable.
class ShimChannel {
 public:
  struct Handlers {
    /// The current state, at once after connecting and again after every change.
    UniqueFunction<void(AttemptRecord)> on_state;
    /// The shim has exited (its pidfd shows that), or refused the connection, or closed it because this side did not
    /// read. Nothing else is called afterwards; connect again if the shim still runs.
    UniqueFunction<void()> on_closed;
  };
  using Done = UniqueFunction<void(Status)>;

  /// `folder` is the launch's. Succeeds from the moment that the shim has reported "ready". NotFound: there is no
  /// socket (a shim of version 1 has none); Unavailable: nobody listens to it any more.
  static Result<std::unique_ptr<ShimChannel>> connect(Loop& loop, const std::string& folder, Handlers handlers);
  virtual ~ShimChannel() = default;

  /// Starts a container that has ended again. May be repeated: the same run is not started twice.
  virtual void start(const std::string& container, int run, Done done) = 0;
  /// Ends one run of a container: SIGTERM now, SIGKILL after the grace period. Without effect when that run is over.
  /// Shims of earlier versions do not know this and fail.
  virtual void kill_container(const std::string& container, int run, std::int64_t grace_seconds, Done done) = 0;
  /// Kills one run of a container because it uses too much memory, which its record then says, with `why`.
  virtual void kill_for_memory(const std::string& container, int run, const std::string& why, Done done) = 0;
  /// SIGTERM now, SIGKILL after the grace period; a shorter one shortens an earlier one; 0 kills at once.
  virtual void stop(std::int64_t grace_seconds, Done done) = 0;

  struct ExecHandlers {
    /// The terminal's master when the request had a tty, for bytes in both directions and TIOCSWINSZ; otherwise an
    /// empty Fd. After an error nothing else is called.
    UniqueFunction<void(Result<Fd>)> on_started;
    /// How the command ended. Its streams may hold more output.
    UniqueFunction<void(Result<ExecEnd>)> on_ended;
  };
  /// Returns the command's id for `kill_exec`. `streams` are not used with a tty. The end of the channel kills the
  /// command.
  virtual std::uint64_t exec(const ExecRequest& request, ExecStreams streams, ExecHandlers handlers) = 0;
  virtual void kill_exec(std::uint64_t id) = 0;

  struct AttachHandlers {
    /// The writing end of the container's standard input, or an empty Fd when it has none (any more). With a tty it is
    /// the terminal's master: write to it and never read from it.
    UniqueFunction<void(Result<Fd>)> on_started;
    /// The container has ended (ok), or the reader of the output was too slow or is gone (an error).
    UniqueFunction<void(Status)> on_ended;
  };
  /// Copies the container's output from now on to `out` and `err` (only to `out` with a tty; `err` may then be empty).
  /// Their buffers are the only ones: the attachment ends when one is full. Closing the other ends detaches.
  virtual void attach(const std::string& container, Fd out, Fd err, AttachHandlers handlers) = 0;
  virtual void resize(const std::string& container, int rows, int columns, Done done) = 0;
  virtual void statistics(UniqueFunction<void(Result<ShimStatistics>)> done) = 0;
};

}  // namespace muster::agent
