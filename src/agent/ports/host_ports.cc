#include "agent/ports/host_ports.h"

#include <fmt/core.h>

#include <utility>

#include "base/strings.h"

namespace muster::agent {
namespace {

using json::Document;

constexpr Duration kRetryEvery = std::chrono::seconds(5);
constexpr const char* kPublishedAt = "127.0.0.1";

std::string problem_of(const Document& port) {
  const std::string& address = port.string_at("hostIP");
  const std::string& protocol = port.string_at("protocol");
  if (!protocol.empty() && protocol != "TCP") return fmt::format("protocol {}: only TCP is published", protocol);
  if (address.empty() || address == "0.0.0.0" || address == kPublishedAt) return "";
  return fmt::format("hostIP {}: ports are published at {} only", quote(address), kPublishedAt);
}

}  // namespace

std::vector<HostPort> host_ports_of(const Document& pod) {
  std::vector<HostPort> out;
  for (const Document& container : pod.array_at("spec", "containers")) {
    for (const Document& port : container.array_at("ports")) {
      const auto on_host = port.int_at("hostPort");
      if (on_host == 0) continue;
      out.push_back({.on_host = static_cast<int>(on_host),
                     .in_pod = static_cast<int>(port.int_at("containerPort")),
                     .problem = problem_of(port)});
    }
  }
  return out;
}

void HostPorts::on_pod_changed(const Document* before, const Document* now) {
  // A pod of the machine's network listens there by itself.
  const bool is_wanted = now != nullptr && now->string_at("status", "phase") == "Running" &&
                         now->at("metadata", "deletionTimestamp") == nullptr && !now->bool_at("spec", "hostNetwork");
  const std::string& uid = (now != nullptr ? now : before)->string_at("metadata", "uid");
  if (!is_wanted) {
    published_.erase(uid);
    return;
  }
  if (published_.contains(uid)) return;
  std::vector<HostPort> wanted = host_ports_of(*now);
  if (wanted.empty()) return;
  Published& pod = published_[uid];
  pod.pod = *now;
  pod.missing = std::move(wanted);
  publish(pod);
}

void HostPorts::publish(Published& pod) {
  const std::string uid = pod.pod.string_at("metadata", "uid");
  std::vector<HostPort> missing;
  for (const HostPort& port : std::exchange(pod.missing, {})) {
    const auto fail = [&](const std::string& why) {
      report_(pod.pod, {"Warning", "HostPortNotPublished", fmt::format("hostPort {}: {}", port.on_host, why)});
    };
    if (!port.problem.empty()) {
      fail(port.problem);
      continue;
    }
    if (!has_own_network_(uid)) {
      fail("the pods of this engine share the network of the machine; use the address of the pod");
      continue;
    }
    auto connect = [this, to = node::PortRequest{.ns = "",
                                                 .pod = "",
                                                 .pod_uid = uid,
                                                 .address = pod.pod.string_at("status", "podIP"),
                                                 .port = port.in_pod}](node::PortSink sink) {
      return ports_.connect(to, std::move(sink));
    };
    auto listening = client::LocalPort::listen(loop_, kPublishedAt, port.on_host, std::move(connect), {});
    if (listening) {
      pod.ports.push_back(*std::move(listening));
      continue;
    }
    fail(listening.error().message + "; the pod keeps running, and the engine tries again");
    missing.push_back(port);
  }
  pod.missing = std::move(missing);
  if (!pod.missing.empty()) retry_later();
}

void HostPorts::retry_later() {
  if (retry_id_ != 0) return;
  retry_id_ = loop_.after(kRetryEvery, [this] {
    retry_id_ = 0;
    for (auto& [uid, pod] : published_) {
      if (!pod.missing.empty()) publish(pod);
    }
  });
}

}  // namespace muster::agent
