#include "agent/probes/checks.h"

#include <algorithm>

namespace muster::agent {
namespace {

using json::Document;
using std::chrono::seconds;

/// A port is a number or the name of one of the container's ports.
int port_of(const Document& action, const Document& container) {
  const Document* port = action.find("port");
  if (port == nullptr) return 0;
  if (port->is_int()) return static_cast<int>(port->as_int());
  for (const Document& named : container.array_at("ports")) {
    if (port->is_string() && named.string_at("name") == port->as_string())
      return static_cast<int>(named.int_at("containerPort"));
  }
  return 0;
}

HttpAction http_of(const Document& get, const Document& container) {
  HttpAction to{.tls = get.string_at("scheme") == "HTTPS",
                .port = port_of(get, container),
                .path = get.string_at("path"),
                .headers = {},
                .takes_any_status = false};
  if (!to.path.starts_with("/")) to.path.insert(0, "/");
  for (const Document& header : get.array_at("httpHeaders")) {
    to.headers.emplace_back(header.string_at("name"), header.string_at("value"));
  }
  return to;
}

std::optional<Action> action_of(const Document* handler, const Document& container) {
  if (handler == nullptr) return std::nullopt;
  if (const Document* exec = handler->find("exec")) {
    ExecAction to;
    for (const Document& word : exec->array_at("command"))
      to.command.push_back(word.is_string() ? word.as_string() : "");
    return to;
  }
  if (const Document* get = handler->find("httpGet")) return http_of(*get, container);
  if (const Document* open = handler->find("tcpSocket")) return TcpAction{port_of(*open, container)};
  if (const Document* call = handler->find("grpc"))
    return GrpcAction{port_of(*call, container), call->string_at("service")};
  if (const Document* sleep = handler->find("sleep")) return SleepAction{seconds(sleep->int_at("seconds"))};
  return std::nullopt;
}

std::optional<Action> hook_of(const Document* handler, const Document& container) {
  auto action = action_of(handler, container);
  if (!action) return std::nullopt;
  if (auto* get = std::get_if<HttpAction>(&*action)) get->takes_any_status = true;
  return action;
}

/// The API sets the defaults; objects that were stored before it did are read the same way.
std::int64_t positive_or(const Document& probe, const char* key, std::int64_t otherwise) {
  const std::int64_t given = probe.int_at(key);
  return given > 0 ? given : otherwise;
}

std::optional<Probe> probe_of(const Document* from, const Document& container) {
  auto action = action_of(from, container);
  if (!action) return std::nullopt;
  Probe to;
  to.action = *std::move(action);
  to.initial_delay = seconds(std::max<std::int64_t>(from->int_at("initialDelaySeconds"), 0));
  to.period = seconds(positive_or(*from, "periodSeconds", 10));
  to.timeout = seconds(positive_or(*from, "timeoutSeconds", 1));
  to.success_threshold = static_cast<int>(positive_or(*from, "successThreshold", 1));
  to.failure_threshold = static_cast<int>(positive_or(*from, "failureThreshold", 3));
  if (const std::int64_t grace = from->int_at("terminationGracePeriodSeconds"); grace > 0) to.grace_seconds = grace;
  return to;
}

}  // namespace

std::map<std::string, ContainerChecks> checks_of(const Document& pod) {
  std::map<std::string, ContainerChecks> all;
  for (const Document& container : pod.array_at("spec", "containers")) {
    ContainerChecks checks;
    for (const auto& [kind, key] :
         {std::pair(ProbeKind::kStartup, "startupProbe"), std::pair(ProbeKind::kLiveness, "livenessProbe"),
          std::pair(ProbeKind::kReadiness, "readinessProbe")}) {
      if (auto probe = probe_of(container.find(key), container)) checks.probes.emplace(kind, *std::move(probe));
    }
    checks.post_start = hook_of(container.at("lifecycle", "postStart"), container);
    checks.pre_stop = hook_of(container.at("lifecycle", "preStop"), container);
    if (checks.probes.empty() && !checks.post_start && !checks.pre_stop) continue;
    all.emplace(container.string_at("name"), std::move(checks));
  }
  return all;
}

}  // namespace muster::agent
