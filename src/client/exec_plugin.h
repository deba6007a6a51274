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
#include "client/credentials.h"

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
  Credential shown;
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

/// Runs the program and reads what it prints.
Result<ExecCredential> ask_plugin(const ExecPlugin& plugin, const RunPlugin& run);

/// The credential of one plugin, kept until it expires or the server refuses it.
class ExecSource final : public CredentialSource {
 public:
  ExecSource(ExecPlugin plugin, RunPlugin run, std::optional<ExecCredential> known = std::nullopt)
      : plugin_(std::move(plugin)), run_(std::move(run)), known_(std::move(known)) {}
  /// Runs the program when there is none that is good for another ten seconds.
  Result<Credential> get(const Clock& clock) override;
  /// Runs it again, unless that was done already for another request.
  Result<bool> renew(const Credential& refused, const Clock& clock) override;

 private:
  ExecPlugin plugin_;
  RunPlugin run_;
  std::optional<ExecCredential> known_;
};

}  // namespace muster::client
