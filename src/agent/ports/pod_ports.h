// Connections to the ports of pods, for port-forward and for ports published on this machine.
#pragma once

#include <cstddef>
#include <memory>

#include "agent/probes/connect_to_pod.h"
#include "base/ports.h"
#include "base/result.h"
#include "node/port_session.h"

namespace muster::agent {

class PodPorts {
 public:
  /// Whether the pod has a network apart from the machine's.
  using HasOwnNetwork = std::function<bool(const std::string& uid)>;
  PodPorts(Loop& loop, OpenPodSocket open, HasOwnNetwork has_own_network)
      : loop_(loop), open_(std::move(open)), has_own_network_(std::move(has_own_network)) {}

  /// Connects to the address of the pod, and in a network of its own also to 127.0.0.1: a program listens on either.
  /// The address is first, because the pods of a job share their loopback.
  Result<std::unique_ptr<node::PortSession>> connect(const node::PortRequest& request, node::PortSink sink);

  /// How many connections may be open at a time, all pods together: at most a quarter of the descriptors that the
  /// engine may have, because a connection has one or two here and as many where it comes from.
  static std::size_t limit();

 private:
  Loop& loop_;
  OpenPodSocket open_;
  HasOwnNetwork has_own_network_;
  std::shared_ptr<std::size_t> open_count_ = std::make_shared<std::size_t>(0);
};

}  // namespace muster::agent
