// Credentials from a program, as kubeconfig's users[].user.exec names it: it is run, told about itself in
// $KUBERNETES_EXEC_INFO, and prints an ExecCredential of client.authentication.k8s.io/v1 or v1beta1.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace muster::client {

struct ExecPlugin {
  std::string api_version;
  std::string command;  // as found on the PATH, or a file
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
  std::string install_hint;       // shown when there is no such program
  std::string interactive_mode;   // Never, IfAvailable, Always
  std::string cluster_info_json;  // spec.cluster of what it is told; "" when it does not ask for that
};

struct ExecCredential {
  std::string token;
  std::string client_certificate_pem;
  std::string client_key_pem;
  std::optional<Time> expires;  // none: as long as the process lives
};

/// What the program prints. NotFound when there is no such program.
using RunPlugin = std::function<Result<std::string>(const ExecPlugin& plugin, const std::string& exec_info)>;
/// Runs it as a child: standard input and error are ours, so it can ask and complain; a minute at most.
Result<std::string> run_plugin(const ExecPlugin& plugin, const std::string& exec_info);

/// What the program is told in $KUBERNETES_EXEC_INFO.
std::string exec_info(const ExecPlugin& plugin, bool interactive);
/// Every error names the command.
Result<ExecCredential> parse_exec_credential(const ExecPlugin& plugin, std::string_view text);

/// The credential of one plugin, kept until it expires. Loop thread only.
class ExecSource {
 public:
  ExecSource(ExecPlugin plugin, RunPlugin run) : plugin_(std::move(plugin)), run_(std::move(run)) {}
  /// Runs the program when there is none that is good for another ten seconds.
  Result<ExecCredential> get(Time now);

 private:
  ExecPlugin plugin_;
  RunPlugin run_;
  std::optional<ExecCredential> known_;
};

}  // namespace muster::client
