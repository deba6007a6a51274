// HostPorts: publishes the ports that pods name as hostPort on the loopback of this machine, while the pods run. Loop
// thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/pod/decide.h"
#include "agent/ports/pod_ports.h"
#include "base/ports.h"
#include "client/local_port.h"
#include "json/document.h"

namespace muster::agent {

struct HostPort {
  int on_host = 0;
  int in_pod = 0;
  std::string problem;  // why it cannot be published; "" when it can
  bool operator==(const HostPort&) const = default;
};
/// The ports of the pod's containers that have a hostPort.
std::vector<HostPort> host_ports_of(const json::Document& pod);

class HostPorts {
 public:
  using Report = std::function<void(const json::Document& pod, const PodEvent& event)>;
  HostPorts(Loop& loop, PodPorts& ports, PodPorts::HasOwnNetwork has_own_network, Report report)
      : loop_(loop), ports_(ports), has_own_network_(std::move(has_own_network)), report_(std::move(report)) {}
  ~HostPorts() { loop_.cancel(retry_id_); }
  HostPorts(const HostPorts&) = delete;
  HostPorts& operator=(const HostPorts&) = delete;

  void on_pod_changed(const json::Document* before, const json::Document* now);

 private:
  struct Published {
    json::Document pod;
    std::vector<HostPort> missing;  // could not be published yet
    std::vector<std::unique_ptr<client::LocalPort>> ports;
  };
  void publish(Published& pod);
  void retry_later();

  Loop& loop_;
  PodPorts& ports_;
  PodPorts::HasOwnNetwork has_own_network_;
  Report report_;
  std::map<std::string, Published> published_;  // by the uid of the pod
  Loop::Id retry_id_ = 0;
};

}  // namespace muster::agent
