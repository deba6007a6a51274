// NodeApi: what the API server needs from the node. It is the seam between apiserver and agent, connected in main.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "base/time.h"
#include "node/claim_files.h"
#include "node/exec.h"
#include "node/pod_history.h"
#include "node/port_session.h"

namespace muster::node {

struct LogRequest {
  std::string ns;
  std::string pod;
  std::string pod_uid;
  std::string container;
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  bool fold = false;  // of a progress bar, only what a terminal would show at the end of the line
  /// Of which pod under this name, as its label says; the pod may be gone. `pod_uid` is then empty, or that of a pod
  /// that has had the name. `container` may be empty when the pod had only one.
  std::optional<std::int64_t> attempt;
  std::optional<std::int64_t> tail_lines;
  std::optional<std::int64_t> limit_bytes;
  std::optional<Time> since;
};

/// A log being read; destroying it stops the reading.
class LogStream {
 public:
  virtual ~LogStream() = default;
  /// Delivers no text until `resume`, because the reader cannot keep up.
  virtual void pause() = 0;
  virtual void resume() = 0;
};

using OnSocket = UniqueFunction<void(Result<Fd>)>;
/// How to connect to a program of a pod with something that only this pod may see.
struct PodSockets {
  /// Opens a TCP socket (IPv4) in the network of the pod, not connected yet; fails when the pod has ended. `done` is
  /// never called inline.
  std::function<void(OnSocket done)> open;
  /// Fails when the connection of this socket leads to another program than one of the pod. `done` may be called
  /// inline.
  std::function<void(int socket, UniqueFunction<void(Status)> done)> check;
};

class NodeApi {
 public:
  virtual ~NodeApi() = default;
  /// Delivers plain text in whole lines, in order, never inline. `on_end` is called once: after the last line, with an
  /// error if the log could not be read to its end; never while following a running container.
  virtual Result<std::unique_ptr<LogStream>> read_log(const LogRequest& request,
                                                      UniqueFunction<void(std::string_view)> on_text,
                                                      UniqueFunction<void(Status)> on_end) = 0;
  /// Starts a program inside a running container.
  virtual Result<std::unique_ptr<ExecSession>> exec(const ExecRequest& request, ExecSink sink) = 0;
  /// Connects to the streams of the program that a container runs.
  virtual Result<std::unique_ptr<ExecSession>> attach(const ExecRequest& request, ExecSink sink) = 0;
  /// Connects to a port of a running pod. Fails at once when too many such connections are open.
  virtual Result<std::unique_ptr<PortSession>> connect(const PortRequest& request, PortSink sink) = 0;
  /// The files in claims; null for a node that has none.
  virtual ClaimFiles* claim_files() { return nullptr; }
  /// The pods of the past; null for a node that does not remember them.
  virtual PodHistory* pod_history() { return nullptr; }
};

}  // namespace muster::node
