// Which API server a command talks to. In this order: --kubeconfig or --context, $KUBECONFIG, the local engine when it
// runs, ~/.kube/config.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "cli/environment.h"
#include "cli/print_error.h"
#include "client/kubeconfig.h"

namespace muster::cli {

struct ConnectOptions {
  std::string kubeconfig;
  std::string context;
  std::string ns;  // "" leaves it to the kubeconfig
};

struct Choice {
  client::Target target;
  std::string from;  // the kubeconfig it was read from
  bool local_engine = false;
  std::string note;  // one line for stderr when another server could have been meant
};

/// What the choice needs to know about the machine; a test gives its own.
struct Surroundings {
  std::function<bool(const std::string& path)> exists;
  std::function<bool(const net::Endpoint& endpoint)> listening;
  std::function<Result<client::Target>(const std::string& path, const std::string& context)> load;

  static Surroundings real();
};

/// The failure has exit code 6 and the command that helps.
std::variant<Choice, Failure> choose_server(const ConnectOptions& options, const Environment& environment,
                                            const Surroundings& surroundings);

/// The failure to show when the chosen server does not answer.
Failure unreachable(const Choice& choice, const Error& error);

/// "https://127.0.0.1:8765", or the path of the socket.
std::string url_of(const net::Endpoint& endpoint);

}  // namespace muster::cli
