// Which API server a command talks to. In this order: --kubeconfig or --context, $KUBECONFIG, what `muster use` keeps,
// the local engine when it runs, ~/.kube/config.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "cli/environment.h"
#include "cli/flags.h"
#include "cli/print_error.h"
#include "client/kubeconfig.h"

namespace muster::cli {

/// What `muster use local` keeps; any other word is a context of ~/.kube/config.
inline constexpr const char* kLocal = "local";

struct ConnectOptions {
  std::string kubeconfig;
  std::string context;
  std::string ns;  // "" leaves it to the kubeconfig

  /// The flags of every command that asks a server.
  void add_flags(Flags& flags);
};

struct Choice {
  client::Target target;
  std::string from;  // the kubeconfig or socket it was read from
  bool local_engine = false;
  std::string note;  // one line for stderr when another server could have been meant
};

/// What the choice needs to know about the machine; a test gives its own.
struct Surroundings {
  std::function<bool(const std::string& path)> exists;
  std::function<bool(const std::string& socket)> listening;
  std::function<Result<client::Target>(const std::string& path, const std::string& context)> load;
  /// The content of a small file; NotFound when there is none.
  std::function<Result<std::string>(const std::string& path)> read;
  /// The cluster this process is a pod of; NotFound when it is none.
  std::function<Result<client::Target>()> in_cluster;

  static Surroundings real();
};

/// No server at all and a silent local engine have exit code 6 and the command that helps.
std::variant<Choice, Failure> choose_server(const ConnectOptions& options, const Environment& environment,
                                            const Surroundings& surroundings);

/// What `muster use` keeps: "local", a context, "" for nothing.
Result<std::string> kept_choice(const Environment& environment, const Surroundings& surroundings);

struct Contexts {
  std::vector<std::string> names;
  std::string current;
};
/// The contexts of a kubeconfig; none when there is no such file.
Result<Contexts> contexts_of(const std::string& path, const Surroundings& surroundings);

/// The failure to show when the chosen server does not answer.
Failure unreachable(const Choice& choice, const Error& error);

/// "https://127.0.0.1:8765", or the path of the socket.
std::string url_of(const net::Endpoint& endpoint);

}  // namespace muster::cli
