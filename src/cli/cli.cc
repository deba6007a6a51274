#include "cli/cli.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/random.h"
#include "base/visible_text.h"
#include "cli/command_line.h"
#include "cli/command_table.h"
#include "cli/connect.h"
#include "cli/environment.h"
#include "client/remote_transport.h"

extern char** environ;

namespace muster::cli {

namespace {

const Entry* find(const std::string& word) {
  for (const Entry& entry : command_table()) {
    if (entry.name == word) return &entry;
  }
  return nullptr;
}

/// Output that cannot be written ends the command: whoever read it (`| head`) has gone, or the disk is full.
void write_or_exit(std::FILE* to, std::string_view text) {
  if (text.empty()) return;
  if (std::fwrite(text.data(), 1, text.size(), to) == text.size() && std::fflush(to) == 0) return;
  if (errno != EPIPE && to == stdout) std::fputs("error: cannot write to stdout\n", stderr);
  std::_Exit(errno == EPIPE ? 128 + SIGPIPE : kExitFailed);
}

Result<std::string> read_all_of_stdin() {
  std::string out;
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("read stdin", errno);
    if (n == 0) return out;
    out.append(buffer, static_cast<std::size_t>(n));
  }
}

Terminal real_terminal(const Environment& environment) {
  Terminal out;
  out.out = [](std::string_view text) { write_or_exit(stdout, text); };
  out.err = [](std::string_view text) { write_or_exit(stderr, text); };
  out.read_stdin = read_all_of_stdin;
  out.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  out.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  out.color = out.out_is_terminal && !environment.no_color;
  return out;
}

/// Stands in for a server when none was found, for commands that can do without.
class NoServer final : public net::Transport {
 public:
  explicit NoServer(Loop& loop) : loop_(loop) {}
  std::unique_ptr<net::Call> send(net::Request, net::ResponseSink sink) override {
    auto shared = std::make_shared<net::ResponseSink>(std::move(sink));
    loop_.post([shared] { shared->on_end(Error{.reason = Reason::kServiceUnavailable, .message = "no server"}); });
    return std::make_unique<net::Call>();
  }

 private:
  Loop& loop_;
};

struct Connection {
  std::unique_ptr<net::Transport> transport;
  std::string ns = "default";
  std::function<Failure(const Error&)> explain;
};

Connection connect(net::EventLoop& loop, Rng& rng, const std::variant<Choice, Failure>& chosen,
                   const Terminal& terminal) {
  Connection out;
  if (const auto* failure = std::get_if<Failure>(&chosen)) {
    out.transport = std::make_unique<NoServer>(loop);
    out.explain = [failure = *failure](const Error&) { return failure; };
    return out;
  }
  const Choice& choice = std::get<Choice>(chosen);
  terminal.err(visible(choice.note));
  out.transport = std::make_unique<client::RemoteTransport>(
      loop, rng, client::credentials_of(choice.target, loop),
      [&loop, endpoint = choice.target.endpoint](const client::Credential& credential) mutable {
        endpoint.client_certificate_pem = credential.client_certificate_pem;
        endpoint.client_key_pem = credential.client_key_pem;
        return std::make_unique<net::HttpClient>(loop, endpoint);
      });
  out.ns = choice.target.ns;
  out.explain = [choice](const Error& error) { return unreachable(choice, error); };
  return out;
}

/// Runs `muster up` with its output on stderr, where notes go. True when the engine is up.
bool start_engine() {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  std::string name = "muster";
  std::string command = "up";
  char* argv[] = {name.data(), command.data(), nullptr};
  pid_t pid = 0;
  const int failure = ::posix_spawn(&pid, "/proc/self/exe", &files, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  if (failure != 0) return false;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::variant<Choice, Failure> find_server(Server need, const ConnectOptions& options, const Environment& environment,
                                          const Terminal& terminal) {
  if (need == Server::kNone) return usage_failure("this command asks no server");
  auto chosen = choose_server(options, environment, Surroundings::real());
  const auto* failure = std::get_if<Failure>(&chosen);
  if (failure == nullptr || failure->code != kExitUnreachable || need != Server::kStarted) return chosen;
  terminal.err("note: no server was found; starting the engine of this machine\n");
  return start_engine() ? choose_server(options, environment, Surroundings::real()) : chosen;
}

int run_connected(Server need, Command& command, const ConnectOptions& options, const std::vector<std::string>& words,
                  bool errors_as_json = false) {
  const Environment environment = read_environment();
  const Terminal terminal = real_terminal(environment);
  const auto chosen = find_server(need, options, environment, terminal);
  const bool needed = need == Server::kNeeded || need == Server::kStarted;
  if (needed && std::holds_alternative<Failure>(chosen)) {
    const Failure& failure = std::get<Failure>(chosen);
    terminal.err(errors_as_json ? error_json(failure) : error_text(failure));
    return failure.code;
  }

  net::EventLoop loop;
  SystemRng rng;
  Connection connection = connect(loop, rng, chosen, terminal);
  client::ApiClient api(*connection.transport, "");
  Session session(
      loop, api, [&](const std::function<bool()>& done) { loop.run_until(done); }, terminal, connection.ns);
  api.on_warning([&](const std::string& text) { session.err("warning: " + text + "\n"); });
  if (!options.ns.empty()) session.set_ns_is_named();
  if (errors_as_json) session.tell_errors_as_json();
  session.explain_unreachable(connection.explain);
  loop.on_stop_signal([&](int) { session.interrupt(); });
  const int code = command.run(session, words);
  return session.interrupted() ? kExitInterrupted : code;
}

}  // namespace

bool knows(const std::string& word) {
  return find(word) != nullptr;
}

std::vector<std::string> command_names() {
  std::vector<std::string> out;
  for (const Entry& entry : command_table()) out.emplace_back(entry.name);
  return out;
}

std::string command_list() {
  std::string out;
  for (const Entry& entry : command_table()) out += fmt::format("  {:<10} {}\n", entry.name, entry.summary);
  return out;
}

int run(const std::vector<std::string>& args) {
  const Entry* entry = args.empty() ? nullptr : find(args[0]);
  if (entry == nullptr) return print_error(usage_failure("no such command", "muster help lists the commands"));
  const std::vector<std::string> rest(args.begin() + 1, args.end());

  ConnectOptions options;
  const bool connects = entry->server != Server::kNone;
  const auto command = entry->make();
  Flags flags;
  command->add_flags(flags);
  if (Flags::asks_for_help(rest)) {
    Flags common;
    if (connects) options.add_flags(common);
    const Help help{entry->name, entry->summary, entry->usage, entry->examples};
    std::fputs(help_text(help, flags, common).c_str(), stdout);
    return kExitOk;
  }
  options.add_flags(flags);  // `alias m='muster -n team'` must not break the commands that ask no server
  auto words = flags.parse(rest);
  if (!words) {
    return print_error(
        usage_failure(words.error().message, fmt::format("muster {} --help lists the flags", entry->name)));
  }
  return run_connected(entry->server, *command, options, *words, flags.text_of("output") == "json");
}

int complete(std::vector<std::string> words, std::vector<Completable> commands) {
  if (!words.empty() && words[0] == "--") words.erase(words.begin());
  std::ranges::move(completable_commands(), std::back_inserter(commands));
  std::ranges::sort(commands, {}, &Completable::name);
  const Completing at = completing(std::move(words), commands);
  const bool asks = at.ask == Completing::Ask::kNames || at.ask == Completing::Ask::kNamespaces;
  return run_connected(asks ? Server::kOptional : Server::kNone, *make_complete(at), at.connect, {});
}

}  // namespace muster::cli
