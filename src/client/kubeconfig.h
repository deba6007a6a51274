// kubeconfig files: which server, which credentials, which namespace; and how to write our own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/exec_plugin.h"
#include "net/http_client.h"

namespace muster::client {

struct Target {
  net::Endpoint endpoint;
  std::string token;
  std::string token_file;  // where the token was read, "" when in no file of its own
  std::string ns = "default";
  std::string context;
  std::optional<ExecPlugin> exec;        // where token or certificate come from a program
  std::optional<ExecCredential> issued;  // what it printed when the file was read
};

/// `context` "" is current-context. Certificates inline (…-data) or by file, bearer token or token file, or what a
/// credential plugin prints: it is run, once.
Result<Target> load_kubeconfig(const std::string& path, const std::string& context);

/// The same of a text that is at hand; `path` is for messages and for finding files named beside it.
Result<Target> parse_kubeconfig(std::string_view text, const std::string& path, const std::string& context,
                                const ReadFile& read_file);

/// Of a pod in a cluster: $KUBERNETES_SERVICE_HOST and _PORT, and the files of its service account. NotFound when this
/// is no such pod.
using ReadVariable = std::function<std::string(const char* name)>;
Result<Target> in_cluster_target(const ReadVariable& variable, const ReadFile& read_file);

/// What requests to this server show, for as long as the process runs.
std::unique_ptr<CredentialSource> credentials_of(const Target& target, const Clock& clock);

/// One cluster, one user, one context, all named "muster".
std::string make_kubeconfig(const std::string& server, const std::string& ca_pem, const std::string& token,
                            const std::string& ns = "default");

}  // namespace muster::client
