#include "main/operator_options.h"

#include <fmt/core.h>

#include "base/strings.h"

namespace muster {

namespace {

Error wrong_flag(std::string message) {
  return {.reason = Reason::kBadRequest, .message = std::move(message)};
}

}  // namespace

void OperatorOptions::add_flags(cli::Flags& flags) {
  flags.add("kinds", &kinds, "run only the kinds A,B, or A=auto|on|off,… (default all=auto)");
  flags.add("namespaces", &namespaces,
            "run the jobs of the namespaces A,B only, with rights in these alone (default: all namespaces)");
  flags.add("listen", &listen, "HOST:PORT of /healthz, /readyz and /metrics; \"\" turns them off");
  flags.add("leader-elect", &leader_elect, "let one of several operators act: true or false; auto means true in a pod");
  flags.set_implied("leader-elect", "true");
  flags.add("lease-namespace", &lease_namespace,
            "namespace of the Lease muster-operator (default: the pod's own, else default)");
  flags.add("lease-duration", &times.lease_duration, "time after which another operator takes a Lease over");
  flags.add("renew-deadline", &times.renew_deadline, "time after which a leader that cannot renew ends");
  flags.add("retry-period", &times.retry_period, "time between two tries to get or renew the Lease");
  flags.add("log-format", &log_format, "text, or json for one object per line");
  flags.set_choices("leader-elect", {"true", "false", "auto"});
  flags.set_choices("log-format", {"text", "json"});
}

Status OperatorOptions::check() const {
  TRY(control::parse_wishes(kinds));
  for (const std::string& ns : namespaces) {
    if (!is_dns_label(ns)) {
      return wrong_flag(fmt::format("--namespaces: {} is not the name of a namespace; write A,B", quote(ns)));
    }
  }
  if (!listen.empty()) {
    if (const auto parsed = parse_address(listen); !parsed) {
      return wrong_flag(fmt::format("--listen: must be HOST:PORT, :PORT or \"\", got {}; write :8080", quote(listen)));
    }
  }
  if (leader_elect != "true" && leader_elect != "false" && leader_elect != "auto") {
    return wrong_flag(fmt::format("--leader-elect: must be true, false or auto, got {}", quote(leader_elect)));
  }
  if (log_format != "text" && log_format != "json") {
    return wrong_flag(fmt::format("--log-format: must be text or json, got {}", quote(log_format)));
  }
  return client::check_election_times(times);
}

std::optional<Address> OperatorOptions::address() const {
  if (listen.empty()) return std::nullopt;
  const auto parsed = parse_address(listen);
  return parsed ? std::optional(*parsed) : std::nullopt;
}

}  // namespace muster
