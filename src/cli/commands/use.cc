// use: saves which server the other commands talk to.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/files.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/connect/connect.h"

namespace muster::cli {

namespace {

class Use final : public Command {
 public:
  Use(Environment environment, ConnectPorts ports) : environment_(std::move(environment)), ports_(std::move(ports)) {}

  void add_flags(Flags& flags) override {
    flags.add("forget", &forget_, "forget the choice: use the local engine if it runs, else ~/.kube/config");
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (words.size() > 1 || (forget_ && !words.empty())) {
      return session.fail(usage_failure(fmt::format("unexpected argument {}", quote(words.back())),
                                        "muster use local   or: muster use CONTEXT"));
    }
    auto contexts = contexts_of(environment_.user_kubeconfig(), ports_);
    if (!contexts) return session.fail(contexts.error());
    if (forget_) return forget(session);
    if (words.empty()) return show(session, *contexts);
    if (words[0] != kLocal && std::ranges::find(contexts->names, words[0]) == contexts->names.end()) {
      return session.fail(unknown(words[0], *contexts));
    }
    if (auto made = make_directories(environment_.config_dir, 0700); !made) return session.fail(made.error());
    if (auto kept = write_file_atomically(environment_.kept_choice(), words[0] + "\n", 0600); !kept) {
      return session.fail(kept.error());
    }
    session.out(fmt::format("using {}\n", named(words[0])));
    warn_of_variable(session);
    return kExitOk;
  }

 private:
  static std::string named(const std::string& choice) {
    return choice == kLocal ? "the local engine" : "context " + choice;
  }

  void warn_of_variable(Session& session) const {
    if (environment_.kubeconfig.empty()) return;
    session.err(fmt::format("note: $KUBECONFIG ({}) is set and comes first; unset it to use your choice\n",
                            environment_.kubeconfig));
  }

  int forget(Session& session) const {
    if (::unlink(environment_.kept_choice().c_str()) != 0 && errno != ENOENT) {
      return session.fail(errno_error("remove " + quote(environment_.kept_choice()), errno));
    }
    session.out("nothing is chosen now\n");
    return kExitOk;
  }

  Failure unknown(const std::string& word, const Contexts& contexts) const {
    std::vector<std::string> possible = contexts.names;
    possible.emplace_back(kLocal);
    std::string what = fmt::format("{} has no context {}", environment_.user_kubeconfig(), quote(word));
    if (const auto meant = did_you_mean(word, possible)) what += fmt::format("; did you mean {}?", quote(*meant));
    return {.code = kExitNotFound, .what = std::move(what), .fix = "muster use " + join(possible, " | ")};
  }

  /// Lists the possible servers, with a star before the one in use.
  int show(Session& session, const Contexts& contexts) const {
    auto kept = kept_choice(environment_, ports_);
    if (!kept) return session.fail(kept.error());
    const bool running = ports_.listening(environment_.engine_socket());
    std::string now = *kept;
    std::string why = "chosen with muster use";
    if (now.empty() && running) {
      now = kLocal;
      why = "running, and nothing was chosen";
    } else if (now.empty()) {
      now = contexts.current;
      why = "current-context, and no local engine is running";
    }
    if (!environment_.kubeconfig.empty()) now.clear();
    const auto line = [&](const std::string& name, const std::string& what) {
      const std::string reason = name == now ? fmt::format(" ({})", why) : "";
      session.out(fmt::format("{} {:<20} {}{}\n", name == now ? '*' : ' ', name, what, reason));
    };
    line(kLocal, running ? "engine at " + environment_.engine_socket() : "engine, not running; muster up starts it");
    for (const std::string& name : contexts.names) line(name, "context of " + environment_.user_kubeconfig());
    if (!kept->empty() && *kept != kLocal && std::ranges::find(contexts.names, *kept) == contexts.names.end()) {
      return session.fail(unknown(*kept, contexts));
    }
    warn_of_variable(session);
    return kExitOk;
  }

  Environment environment_;
  ConnectPorts ports_;
  bool forget_ = false;
};

}  // namespace

std::unique_ptr<Command> make_use(Environment environment, ConnectPorts ports) {
  return std::make_unique<Use>(std::move(environment), std::move(ports));
}

std::unique_ptr<Command> make_use() {
  return make_use(read_environment(), ConnectPorts::real());
}

}  // namespace muster::cli
