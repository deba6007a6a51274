// The networks of jobs. The pods of a job share one, apart from the host's and from those of all others, and with it an
// IPC namespace and /dev/shm; a pod without an owner has one for itself. Pods that stay in the host's network and start
// together share the rest. A network outlives the engine and ends with its last pod.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "agent/disk/paths.h"
#include "agent/disk/trash.h"
#include "agent/launch/isolator.h"
#include "agent/network/network_owner.h"
#include "agent/settings/options.h"
#include "base/lifetime.h"
#include "base/ports.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::agent {

/// Whether the pod is in a network of its job, and not in the machine's.
bool has_own_network(const NetworkPolicy& policy, const json::Document& pod);

/// Returns what identifies the network of a pod: its owner, or the pod itself.
std::string network_key(const json::Document& pod);
/// The same for pods in the host's network, which share only the rest.
std::string host_network_key(const json::Document& pod);

/// Ends the owners of all networks while no engine runs that could. For `muster down`, after all pods were stopped.
void end_networks(const std::string& directory);

/// A port of a pod that a Service names, and where it leads.
struct ServicePort {
  std::string network;  // of the pod
  int target = 0;
  bool operator==(const ServicePort&) const = default;
};
/// By the address of the pod and the port of the Service.
using ServicePorts = std::map<std::pair<std::string, int>, ServicePort>;

class Networks final : public Isolator {
 public:
  /// Called when a pod of the namespace has got a network.
  using OnJoined = std::function<void(const std::string& ns)>;
  /// Returns how many bytes the pods of a new network share at /dev/shm, by the first of them.
  using SizeOfMemory = std::function<std::int64_t(const json::Document& pod)>;
  Networks(Loop& loop, const Paths& paths, Trash& trash, NetworkPolicy policy, SizeOfMemory size_of_memory,
           OnJoined on_joined)
      : loop_(loop),
        paths_(paths),
        trash_(trash),
        policy_(std::move(policy)),
        size_of_memory_(std::move(size_of_memory)),
        on_joined_(std::move(on_joined)) {}

  /// Installs the program.
  Status start();
  /// Opens a door to the API in every network, now and later.
  void open_doors(int port, NetworkDoors doors);
  /// Ends the networks of an earlier server in which no pod is left. After all pods were recovered.
  void remove_unused();

  /// Whether the pod is in one of these networks now, and not in the machine's.
  bool holds(const std::string& uid) const { return !key_of(uid).empty(); }
  /// Whether the pod is in the machine's network now. Neither holds for a pod that does not run.
  bool is_on_host(const std::string& uid) const { return on_host_.contains(uid); }
  /// Opens a TCP socket in the network of a pod; fails for a pod that is in none of these.
  void open_socket(const std::string& uid, NetworkOwner::OnFd done);

  /// Lets the other networks of the namespace reach these ports, and no others.
  void connect_services(const std::string& ns, const ServicePorts& ports);
  /// The key of a pod's network; "" for the machine's.
  std::string key_of(const std::string& uid) const;

  /// As MeasuredPod has it; null for a pod of the machine's network, and until the network is made.
  std::shared_ptr<const Fd> diagnosis_of(const std::string& uid) const;

  Status prepare(const json::Document& pod, LaunchPlan& plan) override;
  void recover(const std::string& uid) override;
  void release(const std::string& uid) override;
  void clean_up(const std::string&) override {}

 private:
  struct Network {
    std::unique_ptr<NetworkOwner> owner;
    std::set<std::string> pods;           // uids
    ServicePorts reached;                 // of other networks
    std::shared_ptr<const Fd> diagnosis;  // tells what its connections carry
  };

  Result<Network*> find_or_make(const std::string& key, const json::Document& pod);
  void take_over(const std::string& key, std::unique_ptr<NetworkOwner> owner);
  void open_door(const std::string& key, Network& network);
  void reach(const std::string& key, const std::pair<std::string, int>& at, const ServicePort& port);
  void close(const std::string& key);

  Loop& loop_;
  const Paths& paths_;
  Trash& trash_;
  NetworkPolicy policy_;
  SizeOfMemory size_of_memory_;
  OnJoined on_joined_;
  std::string program_;
  std::map<std::string, Network> networks_;    // by key
  std::map<std::string, std::string> key_of_;  // by the uid of a pod
  std::set<std::string> on_host_;              // uids of the pods in the machine's network, whatever else they share
  int api_port_ = 0;
  NetworkDoors doors_;
  Lifetime lifetime_;
};

}  // namespace muster::agent
