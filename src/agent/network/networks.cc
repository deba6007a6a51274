#include "agent/network/networks.h"

#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

#include "agent/network/resolver.h"
#include "agent/shim/shim_program.h"
#include "api/owners.h"
#include "base/files.h"
#include "base/log.h"
#include "linux/files.h"

namespace muster::agent {

namespace {

constexpr std::string_view kHostSuffix = ".host";
constexpr const char* kUidCharacters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";

/// Namespaces and uids have no dots, so the suffix cannot be part of either.
bool is_own_network(const std::string& key) {
  return !key.ends_with(kHostSuffix);
}

}  // namespace

using json::Document;

std::string network_key(const Document& pod) {
  const Document* controller = api::controller_of(pod);
  const std::string owner = controller == nullptr ? "" : controller->string_at("uid");
  // Whoever may write pods may name any owner. Only the namespace limits what they can join, so it is part of the key.
  const bool is_uid = !owner.empty() && owner.find_first_not_of(kUidCharacters) == std::string::npos;
  return pod.string_at("metadata", "namespace") + "." + (is_uid ? owner : pod.string_at("metadata", "uid"));
}

std::string host_network_key(const Document& pod) {
  return network_key(pod) + std::string(kHostSuffix);
}

void end_networks(const std::string& directory) {
  std::error_code none;  // no folder, no networks
  for (const auto& entry : std::filesystem::directory_iterator(Paths(directory).networks(), none))
    end_network(entry.path().string());
}

Status Networks::start() {
  TRY(make_directories(paths_.networks(), 0700));
  TRY_ASSIGN(program_, install_shim(paths_.root()));
  return ok();
}

bool has_own_network(const NetworkPolicy& policy, const Document& pod) {
  return policy.own_networks && !pod.bool_at("spec", "hostNetwork");
}

Result<Networks::Network*> Networks::find_or_make(const std::string& key, const Document& pod) {
  if (const auto found = networks_.find(key); found != networks_.end()) {
    if (found->second.owner->is_alive()) return &found->second;
    const std::string& uid = pod.string_at("metadata", "uid");
    found->second.pods.erase(uid);
    key_of_.erase(uid);
    if (!found->second.pods.empty()) {
      return Error{.reason = Reason::kServiceUnavailable,
                   .message =
                       "the owner of the job's network was killed; pods of the job start again when those that "
                       "are still in that network have ended"};
    }
    close(key);
  }
  const std::string folder = paths_.network(key);
  auto owner = NetworkOwner::find(loop_, folder);
  const bool is_there = owner.has_value();
  if (!is_there) {
    TRY(trash_.take(folder));  // of an owner that has ended
    TRY(make_directories(folder, 0700));
    owner = NetworkOwner::start(loop_, program_, folder, policy_,
                                {.memory = size_of_memory_(pod), .own_network = is_own_network(key)});
  }
  if (!owner) return std::move(owner).error();
  take_over(key, *std::move(owner));
  return &networks_.at(key);
}

void Networks::take_over(const std::string& key, std::unique_ptr<NetworkOwner> owner) {
  Network& network = networks_[key];
  network.owner = std::move(owner);
  if (!is_own_network(key)) return;
  if (api_port_ != 0) open_door(key, network);
  for (const auto& [address, port] : policy_.allowed) {
    network.owner->forward_to_machine(address, port, [address = address, port = port](const Result<Fd>& done) {
      if (!done) LOG_WARN("network.allow", {"address", address}, {"port", port}, {"error", done.error().message});
    });
  }
  network.owner->open_socket(AF_NETLINK, SOCK_DGRAM, NETLINK_SOCK_DIAG, [this, key](Result<Fd> opened) {
    if (opened) networks_.at(key).diagnosis = std::make_shared<const Fd>(*std::move(opened));
  });
}

Status Networks::prepare(const Document& pod, LaunchPlan& plan) {
  const bool is_own = has_own_network(policy_, pod);
  const std::string& uid = pod.string_at("metadata", "uid");
  if (!is_own) on_host_.insert(uid);
  if (!is_own && api::gang_size(pod) <= 1) return ok();  // there is nobody to share with
  const std::string key = is_own ? network_key(pod) : host_network_key(pod);
  TRY_ASSIGN(Network * network, find_or_make(key, pod));
  network->pods.insert(uid);
  key_of_[uid] = key;
  // Not synced: after a power failure there is no network.
  TRY(linux_os::overwrite_file(paths_.pod_network(uid), key, 0600));
  plan.launch.network = paths_.network(key);
  plan.launch.own_network = is_own;
  if (!is_own) return ok();
  on_joined_(pod.string_at("metadata", "namespace"));
  plan.launch.resolver = resolver_text(plan.launch.resolver, policy_.resolver);
  return ok();
}

void Networks::recover(const std::string& uid) {
  const auto key = read_file(paths_.pod_network(uid));
  const bool is_shared = key && !key->empty();
  if (!is_shared || !is_own_network(*key)) on_host_.insert(uid);
  if (!is_shared) return;
  if (!networks_.contains(*key)) {
    auto owner = NetworkOwner::find(loop_, paths_.network(*key));
    if (owner) {
      take_over(*key, *std::move(owner));
    } else {
      LOG_WARN("a pod's network has lost its owner: the pod keeps running, but cannot reach the API", {"uid", uid},
               {"error", owner.error().message});
      // As when the owner ends under this server: nothing takes the pod for one of the machine's network.
      networks_[*key].owner = std::make_unique<NetworkOwner>(loop_, Fd());
    }
  }
  networks_.at(*key).pods.insert(uid);
  key_of_[uid] = *key;
}

void Networks::release(const std::string& uid) {
  ::unlink(paths_.pod_network(uid).c_str());
  on_host_.erase(uid);
  const auto node = key_of_.extract(uid);
  if (node.empty()) return;
  const auto network = networks_.find(node.mapped());
  network->second.pods.erase(uid);
  if (network->second.pods.empty()) close(node.mapped());
}

void Networks::close(const std::string& key) {
  networks_.at(key).owner->end();
  networks_.erase(key);
  if (doors_.on_closed) doors_.on_closed(key);
  if (const auto taken = trash_.take(paths_.network(key)); !taken)
    LOG_WARN("not removed", {"error", taken.error().message});
}

void Networks::remove_unused() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(paths_.networks(), error)) {
    const std::string key = entry.path().filename().string();
    if (networks_.contains(key)) continue;
    end_network(entry.path().string());
    if (const auto taken = trash_.take(entry.path().string()); !taken)
      LOG_WARN("not removed", {"error", taken.error().message});
  }
}

void Networks::open_doors(int port, NetworkDoors doors) {
  api_port_ = port;
  doors_ = std::move(doors);
  for (auto& [key, network] : networks_) {
    if (is_own_network(key)) open_door(key, network);
  }
}

void Networks::open_door(const std::string& key, Network& network) {
  network.owner->listen("127.0.0.1", api_port_, lifetime_.guard([this, key](Result<Fd> listening) {
    if (listening) return doors_.on_open(key, *std::move(listening));
    LOG_WARN("the pods of a job cannot reach the API", {"network", key}, {"error", listening.error().message});
  }));
}

std::string Networks::key_of(const std::string& uid) const {
  const auto key = key_of_.find(uid);
  return key == key_of_.end() || !is_own_network(key->second) ? "" : key->second;
}

void Networks::connect_services(const std::string& ns, const ServicePorts& ports) {
  const std::string prefix = ns + ".";
  for (auto at = networks_.lower_bound(prefix); at != networks_.end() && at->first.starts_with(prefix); ++at) {
    auto& [key, network] = *at;
    if (!is_own_network(key)) continue;
    for (const auto& [address, port] : std::exchange(network.reached, {})) {
      const auto still = ports.find(address);
      if (still != ports.end() && still->second == port) {
        network.reached[address] = port;
      } else {
        network.owner->unforward(address.first, address.second);
      }
    }
    for (const auto& [address, port] : ports) {
      if (port.network != key && network.reached.emplace(address, port).second) reach(key, address, port);
    }
  }
}

void Networks::reach(const std::string& key, const std::pair<std::string, int>& at, const ServicePort& port) {
  const auto target = networks_.find(port.network);
  if (target == networks_.end()) return;
  target->second.owner->open_channel(lifetime_.guard([this, key, at, port](Result<Fd> channel) {
    const auto network = networks_.find(key);
    if (!channel || network == networks_.end()) return;
    network->second.owner->forward(at.first, at.second, port.target, *std::move(channel), [at](const Result<Fd>& done) {
      if (!done) LOG_WARN("a Service cannot be reached", {"address", at.first}, {"error", done.error().message});
    });
  }));
}

std::shared_ptr<const Fd> Networks::diagnosis_of(const std::string& uid) const {
  const auto key = key_of_.find(uid);
  return key == key_of_.end() ? nullptr : networks_.at(key->second).diagnosis;
}

void Networks::open_socket(const std::string& uid, NetworkOwner::OnFd done) {
  if (const std::string key = key_of(uid); !key.empty())
    return networks_.at(key).owner->open_socket(AF_INET, SOCK_STREAM, 0, std::move(done));
  loop_.post([done = std::move(done)]() mutable {
    done(Error{.reason = Reason::kServiceUnavailable, .message = "the pod has ended"});
  });
}

}  // namespace muster::agent
