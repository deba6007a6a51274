#include "cli/connect.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>

#include "base/strings.h"

namespace muster::cli {

namespace {

// The engine of this machine answers at once or is not there.
constexpr int kProbeTimeoutMs = 500;

bool accepts_connection(const addrinfo& address) {
  const int fd = ::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol);
  if (fd < 0) return false;
  bool connected = ::connect(fd, address.ai_addr, address.ai_addrlen) == 0;
  if (!connected && errno == EINPROGRESS) {
    pollfd wait{.fd = fd, .events = POLLOUT, .revents = 0};
    int problem = 0;
    socklen_t size = sizeof problem;
    connected = ::poll(&wait, 1, kProbeTimeoutMs) == 1 &&
                ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size) == 0 && problem == 0;
  }
  ::close(fd);
  return connected;
}

bool probe(const net::Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found) != 0) return false;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    if (accepts_connection(*address)) return true;
  }
  return false;
}

Failure unusable(const std::string& path, const Error& error) {
  return {.code = error.reason == Reason::kNotFound ? kExitNotFound : kExitFailed,
          .what = fmt::format("cannot use kubeconfig {}", quote(path)),
          .why = error.message};
}

/// $KUBECONFIG may name several files; the first one that is there counts.
std::string first_of(const std::string& paths, const Surroundings& surroundings) {
  const auto all = split(paths, ':');
  for (const std::string& path : all) {
    if (!path.empty() && surroundings.exists(path)) return path;
  }
  return all.front();
}

std::optional<Choice> local_engine(const Environment& environment, const Surroundings& surroundings) {
  const std::string path = environment.data_dir + "/kubeconfig";
  if (!surroundings.exists(path)) return std::nullopt;
  auto target = surroundings.load(path, "");
  if (!target || !surroundings.listening(target->endpoint)) return std::nullopt;
  return Choice{.target = *std::move(target), .from = path, .local_engine = true, .note = {}};
}

}  // namespace

Surroundings Surroundings::real() {
  return {.exists = [](const std::string& path) { return ::access(path.c_str(), F_OK) == 0; },
          .listening = probe,
          .load = client::load_kubeconfig};
}

std::variant<Choice, Failure> choose_server(const ConnectOptions& options, const Environment& environment,
                                            const Surroundings& surroundings) {
  const std::string engine_file = environment.data_dir + "/kubeconfig";
  const std::string user_file = environment.home + "/.kube/config";
  std::string named = options.kubeconfig;
  if (named.empty() && !environment.kubeconfig.empty()) named = first_of(environment.kubeconfig, surroundings);
  if (named.empty() && !options.context.empty()) named = user_file;

  std::optional<Choice> choice;
  if (named.empty()) {
    choice = local_engine(environment, surroundings);
    const bool other = surroundings.exists(user_file);
    if (choice && other) {
      choice->note = fmt::format("note: using the local engine at {}; for the other server: --kubeconfig {}\n",
                                 url_of(choice->target.endpoint), user_file);
    }
    if (!choice && !other) {
      return Failure{.code = kExitUnreachable,
                     .what = "no API server to talk to",
                     .why = fmt::format("no engine is running in {}, $KUBECONFIG is not set, and there is no {}",
                                        environment.data_dir, user_file),
                     .fix = "muster up"};
    }
    if (!choice) named = user_file;
  }
  if (!choice) {
    auto target = surroundings.load(named, options.context);
    if (!target) return unusable(named, target.error());
    choice = Choice{.target = *std::move(target), .from = named, .local_engine = named == engine_file, .note = {}};
  }
  if (!options.ns.empty()) choice->target.ns = options.ns;
  if (choice->target.ns.empty()) choice->target.ns = "default";
  return *std::move(choice);
}

Failure unreachable(const Choice& choice, const Error& error) {
  return {
      .code = kExitUnreachable,
      .what = fmt::format("cannot reach the API server at {}", url_of(choice.target.endpoint)),
      .why = error.message,
      .fix = choice.local_engine ? "muster up" : fmt::format("check that it runs and that {} is current", choice.from)};
}

std::string url_of(const net::Endpoint& endpoint) {
  if (!endpoint.unix_path.empty()) return endpoint.unix_path;
  const bool v6 = endpoint.host.find(':') != std::string::npos;
  return fmt::format("{}://{}:{}", endpoint.tls ? "https" : "http", v6 ? "[" + endpoint.host + "]" : endpoint.host,
                     endpoint.port);
}

}  // namespace muster::cli
