// Reads kubeconfig files (server, credentials, namespace), and writes our own.
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
  std::string token_file;  // the file the token was read from, or ""
  std::string ns = "default";
  std::string context;
  std::optional<ExecPlugin> exec;        // set when a program provides the token or certificate
  std::optional<ExecCredential> issued;  // what it printed when the file was loaded
};

/// An empty `context` means current-context. Certificates may be inline (…-data) or in files; the credential may be a
/// bearer token, a token file or the output of a credential plugin, which is run once.
Result<Target> load_kubeconfig(const std::string& path, const std::string& context);

/// Parses a text that was already read; `path` is for messages and for files named relative to it.
Result<Target> parse_kubeconfig(std::string_view text, const std::string& path, const std::string& context,
                                const ReadFile& read_file);

/// Loads the target inside a pod: $KUBERNETES_SERVICE_HOST and _PORT, and the files of its service account. Returns
/// NotFound when this process is not in such a pod.
using ReadVariable = std::function<std::string(const char* name)>;
Result<Target> in_cluster_target(const ReadVariable& variable, const ReadFile& read_file);

/// The source of credentials for requests to this server, for the life of the process.
std::unique_ptr<CredentialSource> credentials_of(const Target& target, const Clock& clock);

/// Writes one cluster, one user and one context, all named "muster".
std::string make_kubeconfig(const std::string& server, const std::string& ca_pem, const std::string& token,
                            const std::string& ns = "default");

}  // namespace muster::client
