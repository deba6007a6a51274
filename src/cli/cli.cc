#include "cli/cli.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/strings.h"
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/environment.h"

namespace muster::cli {

namespace {

struct Entry {
  std::string_view name;
  std::string_view summary;
  std::string_view usage;
  std::string_view examples;
  std::unique_ptr<Command> (*make)();
  bool needs_server = true;  // version has something to say without one
};

constexpr Entry kCommands[] = {
    {"apply", "make objects as files say: create them, or change what differs", "muster apply -f FILE [-n NAMESPACE]",
     "  muster apply -f job.yaml\n"
     "  muster apply -f manifests/             every .yaml, .yml and .json in the folder\n"
     "  cat job.yaml | muster apply -f -\n",
     make_apply},
    {"create", "make new objects from files", "muster create -f FILE [-n NAMESPACE]",
     "  muster create -f job.yaml\n"
     "  muster create -f job.yaml --dry-run=server -o yaml     what it would become\n",
     make_create},
    {"get", "list objects, or print them", "muster get TYPE[,TYPE…] [NAME…] [-o FORMAT] [-w]",
     "  muster get pj                          PyTorchTrainingJobs\n"
     "  muster get pods,pj -A                  in all namespaces\n"
     "  muster get pj mnist -o yaml\n"
     "  muster get pods -l tensorstack.dev/owner-name=mnist -w\n"
     "  muster get pj mnist -o jsonpath='{.status.phase}'\n",
     make_get},
    {"describe", "what an object is doing and why, with its events", "muster describe TYPE NAME",
     "  muster describe pj mnist\n"
     "  muster describe pod/mnist-worker-0\n",
     make_describe},
    {"logs", "print the logs of a pod or of a whole job", "muster logs POD | TYPE/NAME | -l SELECTOR [-f]",
     "  muster logs -f pj/mnist                all replicas until the job ends; exit code 1 if it failed\n"
     "  muster logs mnist-worker-0 --tail=20\n"
     "  muster logs mnist-worker-0 --previous  of the run before the last restart\n",
     make_logs},
    {"delete", "delete objects and what belongs to them", "muster delete TYPE NAME… | -f FILE | TYPE -l SELECTOR",
     "  muster delete pj mnist\n"
     "  muster delete -f job.yaml\n"
     "  muster delete pods --all --wait=false\n",
     make_delete},
    {"wait", "wait until a job has ended, or for a condition", "muster wait TYPE/NAME [--for=…] [--timeout=DURATION]",
     "  muster wait pj/mnist                   exit code 0 when it succeeded, 1 when it failed\n"
     "  muster wait --for=condition=Running pj/mnist --timeout=60s\n"
     "  muster wait --for=jsonpath='{.status.phase}'=Running pj/mnist\n"
     "  muster wait --for=delete pod/mnist-worker-0\n",
     make_wait},
    {"version", "of this program and of the server", "muster version", "  muster version -o json\n", make_version,
     false},
};

const Entry* find(const std::string& word) {
  for (const Entry& entry : kCommands) {
    if (entry.name == word) return &entry;
  }
  return nullptr;
}

std::string help_text(const Entry& entry, const Flags& own, const Flags& common) {
  return fmt::format("{}: {}\n\nUsage:\n  {}\n\nExamples:\n{}\nFlags:\n{}\nFlags of every command:\n{}", entry.name,
                     entry.summary, entry.usage, entry.examples, own.help(), common.help());
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
  std::string token;
  std::string ns = "default";
  std::function<Failure(const Error&)> explain;
};

Connection connect(net::EventLoop& loop, const std::variant<Choice, Failure>& chosen, const Terminal& terminal) {
  Connection out;
  if (const auto* failure = std::get_if<Failure>(&chosen)) {
    out.transport = std::make_unique<NoServer>(loop);
    out.explain = [failure = *failure](const Error&) { return failure; };
    return out;
  }
  const Choice& choice = std::get<Choice>(chosen);
  terminal.err(choice.note);
  out.transport = std::make_unique<net::HttpClient>(loop, choice.target.endpoint);
  out.token = choice.target.token;
  out.ns = choice.target.ns;
  out.explain = [choice](const Error& error) { return unreachable(choice, error); };
  return out;
}

int run_connected(const Entry& entry, Command& command, const ConnectOptions& options,
                  const std::vector<std::string>& words) {
  const Environment environment = read_environment();
  const Terminal terminal = real_terminal(environment);
  const auto chosen = choose_server(options, environment, Surroundings::real());
  if (entry.needs_server && std::holds_alternative<Failure>(chosen)) return print_error(std::get<Failure>(chosen));

  net::EventLoop loop;
  Connection connection = connect(loop, chosen, terminal);
  client::ApiClient api(*connection.transport, connection.token);
  api.on_warning([&](const std::string& text) { terminal.err("warning: " + text + "\n"); });
  Session session(
      loop, api, [&](const std::function<bool()>& done) { loop.run_until(done); }, terminal, connection.ns);
  if (!options.ns.empty()) session.set_ns_is_named();
  session.explain_unreachable(connection.explain);
  loop.on_stop_signal([&](int) { session.interrupt(); });
  const int code = command.run(session, words);
  return session.interrupted() ? kExitInterrupted : code;
}

}  // namespace

bool knows(const std::string& word) {
  return find(word) != nullptr;
}

std::string command_list() {
  std::string out;
  for (const Entry& entry : kCommands) out += fmt::format("  {:<10} {}\n", entry.name, entry.summary);
  return out;
}

int run(const std::vector<std::string>& args) {
  const Entry* entry = args.empty() ? nullptr : find(args[0]);
  if (entry == nullptr) return print_error(usage_failure("no such command", "muster help lists the commands"));
  const std::vector<std::string> rest(args.begin() + 1, args.end());

  ConnectOptions options;
  const auto add_common = [&](Flags& flags) {
    flags.add_string("namespace", &options.ns, "which namespace", 'n');
    flags.add_string("kubeconfig", &options.kubeconfig, "which kubeconfig file names the server");
    flags.add_string("context", &options.context, "which context of the kubeconfig");
  };
  const auto command = entry->make();
  if (Flags::asks_for_help(rest)) {
    Flags own;
    Flags common;
    command->add_flags(own);
    add_common(common);
    std::fputs(help_text(*entry, own, common).c_str(), stdout);
    return kExitOk;
  }
  Flags flags;
  command->add_flags(flags);
  add_common(flags);
  auto words = flags.parse(rest);
  if (!words) {
    return print_error(
        usage_failure(words.error().message, fmt::format("muster {} --help lists the flags", entry->name)));
  }
  return run_connected(*entry, *command, options, *words);
}

}  // namespace muster::cli
