// Connections to the ports of pods. The API server uses this interface towards the node, and clients use it towards the
// API server (open_port).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_function.h"

namespace muster::node {

struct PortRequest {
  std::string ns;
  std::string pod;
  std::string pod_uid;  // for the node only
  std::string address;  // of the pod; for the node only
  int port = 0;
};

/// Callbacks run on the loop, never inline. Nothing follows on_end, which may destroy the session.
struct PortSink {
  Task on_connected;  // a client is not told
  UniqueFunction<void(std::string_view)> on_bytes;
  Task on_finish;  // the program sends nothing more; it may still read
  /// Both sides have finished, or the connection broke, or could not be made.
  UniqueFunction<void(Status)> on_end;
};

/// One connection to a port of a pod. Destroying it closes the connection. Loop thread only.
class PortSession {
 public:
  virtual ~PortSession() = default;
  /// Bytes are kept until the program reads them; the caller watches unsent().
  virtual void write(std::string_view bytes) = 0;
  /// The program reads the end of the stream after what has been written.
  virtual void finish() = 0;
  virtual std::size_t unsent() const = 0;
  /// Calls `task` once, from the loop, when at most `bytes` are unsent. A later call replaces an earlier one.
  virtual void when_room(std::size_t bytes, Task task) = 0;
  /// Delivers no bytes until resume(), except for what has been read already. The program then has to wait.
  virtual void pause() = 0;
  virtual void resume() = 0;
};

}  // namespace muster::node
