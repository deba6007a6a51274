#include "agent/network/network_policy.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/network/resolver.h"
#include "agent/shim/shim_program.h"
#include "base/files.h"
#include "base/run_program.h"
#include "base/strings.h"
#include "linux/addresses.h"

namespace muster::agent {
namespace {

constexpr const char* kTun = "/dev/net/tun";
constexpr Duration kCheckLimit = std::chrono::seconds(5);

/// Only from the system's folders: it runs with the rights of the network's owner.
std::string find_pasta() {
  for (const char* program : {"/usr/local/bin/pasta", "/usr/bin/pasta"}) {
    if (::access(program, X_OK) == 0) return program;
  }
  return "";
}

/// Returns why this program cannot connect networks; "" when it can. Versions print their help to different streams,
/// and older ones exit with 1 then.
std::string problem_of_pasta(const std::string& pasta) {
  const auto end = run_program(
      {.words = {"sh", "-c", "exec \"$0\" --help 2>&1", pasta}, .env = {}, .quiet = true, .limit = kCheckLimit});
  if (!end) return fmt::format("{} does not work: {}", pasta, end.error().message);
  for (const char* option : {"--config-net", "--no-map-gw", "--userns", "--netns", "--dns-forward"}) {
    if (end->output.find(option) != std::string::npos) continue;
    return fmt::format("{} does not work or is too old: it has no option {} (on Debian and Ubuntu: apt install passt)",
                       pasta, option);
  }
  return "";
}

/// Returns why pods cannot have a way to the outside; "" when they can.
std::string missing_for_outside(const std::string& pasta) {
  if (pasta.empty()) return "pasta is not installed (on Debian and Ubuntu: apt install passt)";
  if (std::string problem = problem_of_pasta(pasta); !problem.empty()) return problem;
  const bool can_open = ::access(kTun, F_OK) == 0 && (::geteuid() == 0 || ::access(kTun, R_OK | W_OK) == 0);
  return can_open ? ""
                  : std::string(kTun) +
                        " is missing or closed to this user, and pasta needs it (as root: modprobe tun; "
                        "chmod 666 /dev/net/tun)";
}

/// Returns why this user can make no network on this machine; "" when it can. Also finds out what such networks lack.
std::string missing_for_network(const std::string& directory, std::string& takes_ports) {
  const auto program = install_shim(directory);
  if (!program) return program.error().message;
  const auto end = run_program({.words = {*program, "network-check"}, .env = {}, .quiet = false, .limit = kCheckLimit});
  if (!end) return end.error().message;
  const std::string problem(trim(end->output));
  if (!end->succeeded()) return "this machine makes no networks for this user: " + problem;
  takes_ports = problem;
  return "";
}

}  // namespace

Result<NetworkPolicy> find_network_policy(const std::string& mode, const std::string& directory) {
  NetworkPolicy policy;
  if (mode == "host") return policy;
  policy.missing = missing_for_network(directory, policy.takes_ports);
  if (mode == "job" && !policy.missing.empty()) {
    return Error{.reason = Reason::kBadRequest,
                 .message = "network: job is not possible: " + policy.missing + "; set `network: auto` or `host`"};
  }
  if (!policy.missing.empty()) return policy;
  policy.pasta = find_pasta();
  policy.missing = missing_for_outside(policy.pasta);
  if (!policy.missing.empty()) policy.pasta.clear();
  // Link-local, so that it is nobody's address elsewhere.
  if (needs_forwarder(read_file("/etc/resolv.conf").value_or(""), linux_os::is_own_address))
    policy.resolver = "169.254.1.53";
  policy.own_networks = mode == "job" || policy.missing.empty();
  return policy;
}

}  // namespace muster::agent
