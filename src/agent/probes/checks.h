// What a pod asks to be done to its containers while they run: probes, and hooks after their start and before their
// end. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "json/document.h"

namespace muster::agent {

struct ExecAction {
  std::vector<std::string> command;
};
struct HttpAction {
  bool tls = false;
  int port = 0;  // 0: the container has no port of this name
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers;
  bool takes_any_status = false;  // a hook is done by any response
};
struct TcpAction {
  int port = 0;
};
struct GrpcAction {
  int port = 0;
  std::string service;
};
struct SleepAction {
  Duration time{};
};
using Action = std::variant<ExecAction, HttpAction, TcpAction, GrpcAction, SleepAction>;

enum class ProbeKind { kStartup, kLiveness, kReadiness };

struct Probe {
  Action action;
  Duration initial_delay{};
  Duration period{};
  Duration timeout{};
  int success_threshold = 1;
  int failure_threshold = 3;
  std::optional<std::int64_t> grace_seconds;  // when its failure ends the container; absent: the pod's
};

struct ContainerChecks {
  std::map<ProbeKind, Probe> probes;
  std::optional<Action> post_start;
  std::optional<Action> pre_stop;
};

/// By the container's name; containers that ask for nothing are absent.
std::map<std::string, ContainerChecks> checks_of(const json::Document& pod);

}  // namespace muster::agent
