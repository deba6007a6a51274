// Credentials from a program that kubeconfig names in users[].user.exec: it runs with $KUBERNETES_EXEC_INFO set, and
// prints an ExecCredential of client.authentication.k8s.io/v1 or v1beta1.
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
  std::string command;  // looked up in PATH, or a path
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
  std::string install_hint;       // shown when the program does not exist
  std::string interactive_mode;   // Never, IfAvailable, Always
  std::string cluster_info_json;  // spec.cluster of its exec info; "" unless it asks for that
};

struct ExecCredential {
  Credential shown;
  std::optional<Time> expires;  // nullopt: valid for the life of the process
};

/// Returns what the program prints, or NotFound when the program does not exist.
using RunPlugin = std::function<Result<std::string>(const ExecPlugin& plugin, const std::string& exec_info)>;
/// Runs it as a child for at most a minute. Standard input and error are ours, so that it can prompt and report.
Result<std::string> run_plugin(const ExecPlugin& plugin, const std::string& exec_info);

/// The value of $KUBERNETES_EXEC_INFO.
std::string exec_info(const ExecPlugin& plugin, bool interactive);
/// Every error names the command.
Result<ExecCredential> parse_exec_credential(const ExecPlugin& plugin, std::string_view text);

/// Runs the program and parses its output.
Result<ExecCredential> ask_plugin(const ExecPlugin& plugin, const RunPlugin& run);

/// The credential of one plugin, kept until it expires or the server rejects it.
class ExecSource final : public CredentialSource {
 public:
  ExecSource(ExecPlugin plugin, RunPlugin run, std::optional<ExecCredential> known = std::nullopt)
      : plugin_(std::move(plugin)), run_(std::move(run)), known_(std::move(known)) {}
  /// Runs the program unless the last credential is valid for another ten seconds.
  Result<Credential> get(const Clock& clock) override;
  /// Runs the program again, unless another request has already caused that.
  Result<bool> renew(const Credential& refused, const Clock& clock) override;

 private:
  ExecPlugin plugin_;
  RunPlugin run_;
  std::optional<ExecCredential> known_;
};

}  // namespace muster::client
