#include "cli/cli.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/random.h"
#include "base/strings.h"
#include "base/visible_text.h"
#include "cli/commands/command_line.h"
#include "cli/commands/completion.h"
#include "cli/connect/connect.h"
#include "cli/connect/environment.h"
#include "cli/terminal/console.h"
#include "client/remote_transport.h"
#include "net/event_loop.h"

extern char** environ;

namespace muster::cli {

namespace {

/// Returns false with errno. The loop makes a terminal that it reads from non-blocking, and that it writes to is the
/// same one.
bool write_whole(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(to, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd room{.fd = to, .events = POLLOUT, .revents = 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

/// Exits when the output cannot be written: its reader (`| head`) has exited, or the disk is full.
void write_or_exit(std::FILE* to, std::string_view text) {
  if (write_whole(::fileno(to), text)) return;
  const bool reader_is_gone = errno == EPIPE;
  restore_terminal();
  if (!reader_is_gone && to == stdout) std::fputs("error: cannot write to stdout\n", stderr);
  std::_Exit(reader_is_gone ? 128 + SIGPIPE : kExitFailed);
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

Result<std::string> read_line_of_stdin() {
  char buffer[256];
  const bool got = std::fgets(buffer, sizeof buffer, stdin) != nullptr;
  return std::string(got ? buffer : "");
}

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

Terminal real_terminal(const Environment& environment) {
  Terminal out;
  out.out = [](std::string_view text) { write_or_exit(stdout, text); };
  out.err = [](std::string_view text) { write_or_exit(stderr, text); };
  out.read_stdin = read_all_of_stdin;
  out.read_line = read_line_of_stdin;
  out.in_is_terminal = ::isatty(STDIN_FILENO) == 1;
  out.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  out.color = out.out_is_terminal && !environment.no_color;
  if (out.out_is_terminal) out.width = terminal_width();
  return out;
}

/// Replaces the server when none was found, for commands that can work without one.
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

/// Runs `muster up` with its output on stderr. Returns true when the engine is up.
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
  auto chosen = choose_server(options, environment, ConnectPorts::real());
  const auto* failure = std::get_if<Failure>(&chosen);
  const auto* choice = std::get_if<Choice>(&chosen);
  const bool finds_none = failure != nullptr && failure->code == kExitUnreachable;
  const bool only_guesses = choice != nullptr && choice->is_guess && need == Server::kHere;
  if (!only_guesses && (!finds_none || (need != Server::kStarted && need != Server::kHere))) return chosen;
  terminal.err(finds_none ? "note: no server was found; starting the engine of this machine\n"
                          : "note: starting the engine of this machine\n");
  if (start_engine()) return choose_server(options, environment, ConnectPorts::real());
  if (finds_none) return chosen;
  return Failure{.code = kExitUnreachable,
                 .what = "the engine of this machine did not start",
                 .fix = fmt::format("muster doctor   or, for the cluster of {}: muster use CONTEXT", choice->from)};
}

int run_command(const Entry& entry, const std::vector<std::string>& args, const ShowPage& show_page) {
  ConnectOptions options;
  const auto command = entry.make();
  Flags flags;
  command->add_flags(flags);
  options.add_flags(flags);  // `alias m='muster -n team'` must not break commands without a server
  if (flags.asks_for_help(args)) {
    Flags own;
    command->add_flags(own);
    Flags common;
    if (entry.server != Server::kNone) options.add_flags(common);
    std::fputs(help_text(entry, own, common).c_str(), stdout);
    return kExitOk;
  }
  auto rewritten = entry.rewrite == nullptr ? Result(args) : entry.rewrite(args, flags.list());
  auto words = rewritten ? flags.parse(*rewritten) : Result<std::vector<std::string>>(rewritten.error());
  if (!words) {
    return print_error(
        usage_failure(words.error().message, fmt::format("muster {} --help lists the flags", entry.name)));
  }
  if (words->size() > entry.most_words) {
    return print_error(
        usage_failure(fmt::format("{}: unexpected argument {}", entry.name, quote((*words)[entry.most_words])),
                      std::string(entry.usage)));
  }
  const Session::ErrorText report = flags.text_of("output") == "json" ? error_json : error_text;
  if (const auto failure = command->check(*words)) {
    write_or_exit(stderr, report(*failure));
    return failure->code;
  }
  return run_in_session({.need = entry.server, .connect = options, .error_text = report, .show_page = show_page},
                        [&](Session& session) { return command->run(session, *words); });
}

int run_completion(CommandTable table, std::vector<std::string> words) {
  if (!words.empty() && words[0] == "--") words.erase(words.begin());
  const Completing at = completing(std::move(words), completable_commands(table));
  const bool asks = at.ask == Completing::Ask::kNames || at.ask == Completing::Ask::kNamespaces;
  return run_in_session({.need = asks ? Server::kOptional : Server::kNone, .connect = at.connect},
                        [&](Session& session) { return make_complete(at)->run(session, {}); });
}

bool is_help(const std::string& word) {
  return word == "help" || word == "--help" || word == "-h";
}

}  // namespace

int run_in_session(const SessionRun& how, const std::function<int(Session&)>& body) {
  const Environment environment = read_environment();
  const Terminal terminal = real_terminal(environment);
  const auto chosen = find_server(how.need, how.connect, environment, terminal);
  const bool needed = how.need != Server::kOptional && how.need != Server::kNone;
  if (needed && std::holds_alternative<Failure>(chosen)) {
    const Failure& failure = std::get<Failure>(chosen);
    terminal.err(how.error_text(failure));
    return failure.code;
  }
  if (const auto* choice = std::get_if<Choice>(&chosen); choice != nullptr && how.on_chosen) how.on_chosen(*choice);

  net::EventLoop loop;
  SystemRng rng;
  Connection connection = connect(loop, rng, chosen, terminal);
  if (!how.connect.ns.empty()) connection.ns = how.connect.ns;  // also without a server
  client::ApiClient api(*connection.transport, "");
  Session session(
      loop, api, [&](const std::function<bool()>& done) { loop.run_until(done); }, terminal, connection.ns);
  session.set_event_loop(&loop);
  session.set_show_page(how.show_page);
  api.on_warning([&](const std::string& text) { session.err("warning: " + text + "\n"); });
  if (!how.connect.ns.empty()) session.set_ns_is_named();
  if (const auto* choice = std::get_if<Choice>(&chosen)) {
    if (choice->in_pod) session.set_is_in_pod();
    session.set_is_local_engine(choice->local_engine);
  }
  session.report_errors_as(how.error_text);
  // A command without a server never waits for one, so Ctrl-C may end it like any other program.
  if (how.need != Server::kNone) {
    session.explain_unreachable(connection.explain);
    loop.on_stop_signal([&](int) { session.interrupt(); });
  }
  const int code = body(session);
  return session.interrupted() ? kExitInterrupted : code;
}

int run(CommandTable table, const std::vector<std::string>& typed, const ShowPage& show_page) {
  auto args = command_first(typed);
  if (!args) {
    return print_error(
        usage_failure(args.error().message, "muster [-n NAMESPACE] COMMAND …; muster help lists the commands"));
  }
  if (args->empty()) {
    std::fputs(program_help(table).c_str(), stderr);
    return kExitUsage;
  }
  if (is_help(args->front())) {
    const bool about_a_command = args->size() > 1 && !(*args)[1].starts_with('-') && (*args)[1] != "help";
    if (!about_a_command) {
      std::fputs(program_help(table).c_str(), stdout);
      return kExitOk;
    }
    *args = {(*args)[1], "--help"};
  }
  if (args->front() == "--version") *args = {"version", "--client"};
  const std::vector<std::string> rest(args->begin() + 1, args->end());
  if (args->front() == kCompleteCommand) return run_completion(table, rest);
  const Entry* entry = find_command(table, args->front());
  return entry != nullptr ? run_command(*entry, rest, show_page) : print_error(unknown_command(args->front(), table));
}

}  // namespace muster::cli
