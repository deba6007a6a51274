// completion: prints the scripts. __complete: the command they call; it offers nothing when the server is unreachable.
#include "cli/commands/commands.h"
#include "cli/commands/completion.h"
#include "cli/connect/kinds.h"

namespace muster::cli {

namespace {

class Completion final : public Command {
 public:
  void add_flags(Flags&) override {}

  int run(Session& session, const std::vector<std::string>& words) override {
    if (words.empty()) {
      return session.fail(usage_failure("completion takes one shell", "muster completion bash | zsh | fish"));
    }
    const auto script = completion_script(words[0]);
    if (!script) return session.fail(script.error());
    session.out_exact(*script);
    return kExitOk;
  }
};

class Complete final : public Command {
 public:
  explicit Complete(Completing at) : at_(std::move(at)) {}

  void add_flags(Flags&) override {}

  int run(Session& session, const std::vector<std::string>&) override {
    std::vector<Candidate> candidates = at_.known;
    switch (at_.ask) {
      case Completing::Ask::kNothing:
        break;
      case Completing::Ask::kNames:
        add_names(session, at_.kind, candidates);
        break;
      case Completing::Ask::kNamespaces:
        add_names(session, "namespaces", candidates);
        break;
      case Completing::Ask::kContexts:
        add_contexts(candidates);
        break;
    }
    session.out(candidate_lines(at_, candidates));
    return kExitOk;
  }

 private:
  void add_names(Session& session, const std::string& kind, std::vector<Candidate>& candidates) const {
    const auto wanted = Kinds(session).wanted({kind});
    if (!wanted) return;
    for (const Wanted& one : *wanted) {
      const auto list = session.list(one.kind.resource, one.kind.namespaced ? session.ns() : "", {});
      if (!list) continue;
      for (const json::Document& item : list->array_at("items"))
        candidates.push_back({item.string_at("metadata", "name") + at_.suffix});
    }
  }

  void add_contexts(std::vector<Candidate>& candidates) const {
    const std::string& named = at_.connect.kubeconfig;
    const auto contexts =
        contexts_of(named.empty() ? read_environment().user_kubeconfig() : named, ConnectPorts::real());
    if (!contexts) return;
    for (const std::string& name : contexts->names) candidates.push_back({name});
  }

  Completing at_;
};

}  // namespace

std::unique_ptr<Command> make_completion() {
  return std::make_unique<Completion>();
}

std::unique_ptr<Command> make_complete(Completing at) {
  return std::make_unique<Complete>(std::move(at));
}

}  // namespace muster::cli
