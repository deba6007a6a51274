// The server's connection to the process that owns a job's network (shim/format.h). Requests wait until the network is
// made; nothing here blocks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/settings/options.h"
#include "base/fd.h"
#include "base/lifetime.h"
#include "base/ports.h"
#include "base/result.h"

namespace muster::agent {

/// Ends the owner of the network in that folder if it still runs.
void end_network(const std::string& folder);

/// Loop thread only. Callbacks are never called inline, nor after the end of the object.
class NetworkOwner {
 public:
  using OnFd = UniqueFunction<void(Result<Fd>)>;

  /// What the pods of a job share.
  struct Shared {
    std::int64_t memory = 0;   // bytes at /dev/shm
    bool own_network = false;  // a network too, apart from the host's
  };
  /// Starts the owner of a new network in that folder, which must exist.
  static Result<std::unique_ptr<NetworkOwner>> start(Loop& loop, const std::string& shim_program,
                                                     const std::string& folder, const NetworkPolicy& policy,
                                                     const Shared& shared);
  /// Connects to the owner that an earlier server has started; fails when it has ended.
  static Result<std::unique_ptr<NetworkOwner>> find(Loop& loop, const std::string& folder);

  /// With an empty socket: of an owner that has ended.
  NetworkOwner(Loop& loop, Fd socket);
  ~NetworkOwner();
  NetworkOwner(const NetworkOwner&) = delete;
  NetworkOwner& operator=(const NetworkOwner&) = delete;

  bool is_alive() const { return static_cast<bool>(socket_); }

  /// A new socket of the network.
  void open_socket(int domain, int type, int protocol, OnFd done);
  /// A TCP socket that listens inside. The owner keeps it too, so that connections wait while there is no server.
  void listen(const std::string& address, int port, OnFd done);
  /// A channel to the network, for `forward` of another one.
  void open_channel(OnFd done);
  /// Passes connections to that address inside on to a port of the same address in the network of the channel.
  void forward(const std::string& address, int port, int to_port, Fd channel, OnFd done);
  /// The same to that address and port of this machine.
  void forward_to_machine(const std::string& address, int port, OnFd done);
  void unforward(const std::string& address, int port);
  /// Ends the owner; the network ends with its last pod.
  void end();

 private:
  void request(std::string_view verb, const std::vector<std::string>& fields, OnFd done, const Fd& fd = Fd());
  void read_packets();
  void finish(std::uint64_t id, Result<Fd> result);
  void close();

  Loop& loop_;
  Fd socket_;
  Loop::Id readable_id_ = 0;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, OnFd> pending_;
  Lifetime lifetime_;
};

}  // namespace muster::agent
