// Which API server a command talks to. In this order: --kubeconfig or --context, $KUBECONFIG, the choice saved by
// `muster use`, the local engine when it runs, ~/.kube/config, the service account of the pod it runs in.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "cli/connect/environment.h"
#include "cli/flags/flags.h"
#include "cli/terminal/print_error.h"
#include "client/kubeconfig.h"

namespace muster::cli {

/// Saved by `muster use local`; any other word is a context of ~/.kube/config.
inline constexpr const char* kLocal = "local";

struct ConnectOptions {
  std::string kubeconfig;
  std::string context;
  std::string ns;  // "": the kubeconfig's

  /// Adds the flags of every command that talks to a server.
  void add_flags(Flags& flags);
};

struct Choice {
  client::Target target;
  std::string from;  // the kubeconfig or socket it was read from
  bool local_engine = false;
  bool in_pod = false;    // by the service account of the pod that this process runs in
  bool is_guess = false;  // nobody named it: it is the only one that is left
  std::string note;       // one line for stderr when the user could have meant another server
};

/// What the choice depends on outside this process; tests provide their own.
struct ConnectPorts {
  std::function<bool(const std::string& path)> exists;
  std::function<bool(const std::string& socket)> listening;
  std::function<Result<client::Target>(const std::string& path, const std::string& context)> load;
  /// Returns the content of a small file, or NotFound.
  std::function<Result<std::string>(const std::string& path)> read;
  /// Returns the cluster that this process runs in as a pod, or NotFound when it does not.
  std::function<Result<client::Target>()> in_cluster;

  static ConnectPorts real();
};

/// Fails with exit code 6 and the command to run when there is no server, or when the local engine does not respond.
std::variant<Choice, Failure> choose_server(const ConnectOptions& options, const Environment& environment,
                                            const ConnectPorts& ports);

/// Returns the choice saved by `muster use`: "local", a context, or "" when none is saved.
Result<std::string> kept_choice(const Environment& environment, const ConnectPorts& ports);

struct Contexts {
  std::vector<std::string> names;
  std::string current;
};
/// Returns the contexts of a kubeconfig; none when the file does not exist.
Result<Contexts> contexts_of(const std::string& path, const ConnectPorts& ports);

/// Returns the failure to show when the chosen server does not respond.
Failure unreachable(const Choice& choice, const Error& error);

/// Returns "https://127.0.0.1:8765", or the path of the socket.
std::string url_of(const net::Endpoint& endpoint);

}  // namespace muster::cli
