// LocalPort: a port of this machine whose connections are passed on to a port of a pod. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/lifetime.h"
#include "base/ports.h"
#include "base/result.h"
#include "net/tcp_stream.h"
#include "node/port_session.h"

namespace muster::client {

class LocalPort {
 public:
  using Connect = std::function<Result<std::unique_ptr<node::PortSession>>(node::PortSink sink)>;
  struct Events {
    std::function<void()> on_connection = nullptr;
    /// A connection could not be passed on, and was closed.
    std::function<void(const Error& why)> on_failure = nullptr;
  };

  /// Listens at an address of IPv4. Port 0 takes a free one.
  static Result<std::unique_ptr<LocalPort>> listen(Loop& loop, const std::string& address, int port, Connect connect,
                                                   Events events);
  ~LocalPort();
  LocalPort(const LocalPort&) = delete;
  LocalPort& operator=(const LocalPort&) = delete;

  int port() const { return port_; }

  /// Further ones wait in the queue of the kernel.
  static constexpr std::size_t kMostConnections = 512;

 private:
  struct Passing;
  LocalPort(Loop& loop, Fd listener, int port, Connect connect, Events events);
  void watch();
  void accept();
  void begin(Fd socket);
  void to_pod(Passing& passing, std::string_view bytes);
  void to_local(Passing& passing, std::string_view bytes);
  void on_pod_end(std::uint64_t id, const Status& how);
  void close(std::uint64_t id);

  Loop& loop_;
  Fd listener_;
  int port_;
  Connect connect_;
  Events events_;
  Loop::Id watch_id_ = 0;
  Loop::Id pause_id_ = 0;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Passing>> passing_;
  Lifetime lifetime_;
};

}  // namespace muster::client
