#include "cli/connect/connect.h"

#include <fmt/core.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "base/files.h"
#include "base/strings.h"
#include "json/yaml.h"

namespace muster::cli {

namespace {

/// connect() on a Unix socket never waits for the peer: it either succeeds at once or fails.
bool accepts_connection(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return connected;
}

/// $KUBECONFIG may name several files; the first one that exists is used.
std::string first_of(const std::string& paths, const ConnectPorts& ports) {
  const auto all = split(paths, ':');
  for (const std::string& path : all) {
    if (!path.empty() && ports.exists(path)) return path;
  }
  return all.front();
}

/// One evaluation of the rules in connect.h. It knows every possible server, so it can name those that were not chosen.
class Chooser {
 public:
  Chooser(const ConnectOptions& options, const Environment& environment, const ConnectPorts& ports)
      : options_(options), environment_(environment), ports_(ports) {}

  std::variant<Choice, Failure> choose() const {
    if (!options_.kubeconfig.empty()) return from_file(options_.kubeconfig, options_.context, "");
    const std::string user_file = environment_.user_kubeconfig();
    if (!environment_.kubeconfig.empty()) {
      const std::string file = first_of(environment_.kubeconfig, ports_);
      const bool could_be_local = options_.context.empty() && file != environment_.engine_kubeconfig();
      return from_file(file, options_.context, could_be_local ? other_than_file("$KUBECONFIG, " + file) : "");
    }
    if (!options_.context.empty()) return from_file(user_file, options_.context, "");
    auto kept = kept_choice(environment_, ports_);
    if (!kept) return failure_of(kept.error());
    if (*kept == kLocal && !engine_running()) return silent_engine();
    if (*kept == kLocal) return engine("");
    if (!kept->empty()) {
      return from_file(user_file, *kept, other_than_file(fmt::format("context {} (muster use)", *kept)));
    }
    if (engine_running()) return engine(other_than_engine());
    if (ports_.exists(user_file)) return guess(user_file);
    if (ports_.in_cluster) {
      if (auto target = ports_.in_cluster()) {
        return with_namespace(
            {.target = *std::move(target), .from = "the service account of this pod", .in_pod = true});
      } else if (target.error().reason != Reason::kNotFound) {
        return Failure{
            .code = kExitFailed, .what = "cannot use the service account of this pod", .why = target.error().message};
      }
    }
    return Failure{.code = kExitUnreachable,
                   .what = "no API server to talk to",
                   .why = fmt::format("no engine is running in {}, $KUBECONFIG is not set, and there is no {}",
                                      environment_.data_dir, user_file),
                   .fix = "muster up"};
  }

 private:
  bool engine_running() const { return ports_.listening(environment_.engine_socket()); }

  std::string other_than_engine() const {
    if (!ports_.exists(environment_.user_kubeconfig())) return "";
    return fmt::format("note: using the local engine; for the cluster of {}: muster use CONTEXT\n",
                       environment_.user_kubeconfig());
  }
  std::string other_than_file(const std::string& taken) const {
    if (!engine_running()) return "";
    const char* way = environment_.kubeconfig.empty() ? "muster use local" : "unset KUBECONFIG";
    return fmt::format("note: using {}; for the local engine: {}\n", taken, way);
  }

  /// After a reboot, for example, the engine that the user had in mind does not run.
  std::variant<Choice, Failure> guess(const std::string& user_file) const {
    const bool was_here = ports_.exists(environment_.engine_kubeconfig());
    auto chosen = from_file(user_file, "",
                            was_here ? fmt::format("note: no engine runs on this machine; using the cluster of {}; for "
                                                   "this machine: muster up\n",
                                                   user_file)
                                     : "");
    if (auto* choice = std::get_if<Choice>(&chosen)) choice->is_guess = true;
    return chosen;
  }

  Choice engine(std::string note) const {
    Choice out;
    out.target.endpoint.unix_path = environment_.engine_socket();
    out.target.endpoint.host = "localhost";
    out.target.endpoint.tls = false;  // only this user can open the socket, and the server checks the peer's uid
    // A namespace set by `kubectl config set-context --namespace` in the engine's kubeconfig applies here too.
    if (auto named = ports_.load(environment_.engine_kubeconfig(), "")) out.target.ns = named->ns;
    out.from = environment_.engine_socket();
    out.local_engine = true;
    out.note = std::move(note);
    return with_namespace(std::move(out));
  }

  std::variant<Choice, Failure> from_file(const std::string& path, const std::string& context, std::string note) const {
    auto target = ports_.load(path, context);
    if (!target) {
      return Failure{.code = target.error().reason == Reason::kNotFound ? kExitNotFound : kExitFailed,
                     .what = fmt::format("cannot use kubeconfig {}", quote(path)),
                     .why = target.error().message};
    }
    return with_namespace({.target = *std::move(target),
                           .from = path,
                           .local_engine = path == environment_.engine_kubeconfig(),
                           .note = std::move(note)});
  }

  Choice with_namespace(Choice choice) const {
    if (!options_.ns.empty()) choice.target.ns = options_.ns;
    if (choice.target.ns.empty()) choice.target.ns = "default";
    return choice;
  }

  Failure silent_engine() const {
    return {.code = kExitUnreachable,
            .what = "the local engine is not running",
            .why = fmt::format("muster use local chose it, and nothing listens on {}", environment_.engine_socket()),
            .fix = "muster up"};
  }

  const ConnectOptions& options_;
  const Environment& environment_;
  const ConnectPorts& ports_;
};

}  // namespace

void ConnectOptions::add_flags(Flags& flags) {
  flags.add("namespace", &ns, "namespace to use", 'n');
  flags.add("kubeconfig", &kubeconfig, "kubeconfig file that names the server");
  flags.add("context", &context, "context of the kubeconfig");
}

ConnectPorts ConnectPorts::real() {
  return {.exists = [](const std::string& path) { return ::access(path.c_str(), F_OK) == 0; },
          .listening = accepts_connection,
          .load = client::load_kubeconfig,
          .read = [](const std::string& path) { return read_file(path); },
          .in_cluster =
              [] {
                return client::in_cluster_target(
                    [](const char* name) {
                      const char* value = ::getenv(name);
                      return std::string(value == nullptr ? "" : value);
                    },
                    read_file);
              }};
}

std::variant<Choice, Failure> choose_server(const ConnectOptions& options, const Environment& environment,
                                            const ConnectPorts& ports) {
  return Chooser(options, environment, ports).choose();
}

Result<std::string> kept_choice(const Environment& environment, const ConnectPorts& ports) {
  auto text = ports.read(environment.kept_choice());
  if (!text && text.error().reason == Reason::kNotFound) return std::string();
  if (!text) return std::move(text).error();
  return std::string(trim(*text));
}

Result<Contexts> contexts_of(const std::string& path, const ConnectPorts& ports) {
  Contexts out;
  auto text = ports.read(path);
  if (!text && text.error().reason == Reason::kNotFound) return out;
  if (!text) return std::move(text).error();
  auto documents = json::parse_yaml(*text);
  if (!documents) return in_context(path, std::move(documents).error());
  if (documents->empty()) return out;
  const json::Document& file = documents->front().value;
  out.current = file.string_at("current-context");
  for (const json::Document& context : file.array_at("contexts")) out.names.push_back(context.string_at("name"));
  return out;
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
