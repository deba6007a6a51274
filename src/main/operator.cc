// operator: the controllers of all job kinds, in the foreground, against a Kubernetes cluster.
#include <fmt/core.h>

#include <cstdio>

#include "api/muster/names.h"
#include "base/log.h"
#include "base/random.h"
#include "base/strings.h"
#include "cli/connect/session.h"
#include "control/runtime/controllers.h"
#include "main/commands.h"

namespace muster {
namespace {

/// An engine runs its own controllers; two sets of them would fight over every job.
std::optional<cli::Failure> check_is_cluster(cli::Session& session) {
  const auto text = session.get_text("/version");
  if (!text) return cli::failure_of(text.error());
  const auto version = json::parse(*text);
  if (!version || version->find("musterVersion") == nullptr) return std::nullopt;
  return cli::Failure{.code = cli::kExitUsage,
                      .what = "this server is Muster's own engine, which runs these controllers itself",
                      .why = "",
                      .fix = "name a cluster: muster operator --kubeconfig FILE, or --context NAME"};
}

Result<control::KindChoices> find_kinds(cli::Session& session, const std::vector<std::string>& wished) {
  TRY_ASSIGN(const control::Wishes wishes, control::parse_wishes(wished));
  TRY_ASSIGN(const json::Document crds,
             session.list({"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, "", {}));
  return control::choose_kinds(crds.array_at("items"), wishes);
}

/// Returns what the user should know about the kinds that are not run, in one line each.
std::vector<std::string> notes_on(const control::KindChoices& kinds) {
  std::vector<std::string> notes;
  if (!kinds.absent.empty()) {
    notes.push_back("the cluster lacks " + join(kinds.absent, ", ") +
                    "; to install all of Muster's kinds: muster crds | kubectl apply --server-side -f -");
  }
  notes.insert(notes.end(), kinds.unusable.begin(), kinds.unusable.end());
  for (const control::ChosenKind& one : kinds.chosen) {
    if (!one.refusal.empty()) notes.push_back(one.refusal);
  }
  return notes;
}

class Operator final : public cli::Command {
 public:
  void add_flags(cli::Flags& flags) override {
    flags.add("kinds", &kinds_, "run only the kinds A,B, or A=auto|on|off,… (default all=auto)");
  }

  int run(cli::Session& session, const std::vector<std::string>&) override {
    if (const auto failure = check_is_cluster(session)) return session.fail(*failure);
    const auto kinds = find_kinds(session, kinds_);
    if (!kinds) return session.fail(kinds.error());
    const std::vector<std::string> notes = notes_on(*kinds);
    if (!kinds->runs_any()) {
      return session.fail({.code = cli::kExitFailed,
                           .what = "there is no kind to run on this cluster",
                           .why = join(notes, "; "),
                           .fix = "muster crds | kubectl apply --server-side -f -, or wish for others with --kinds"});
    }
    for (const std::string& note : notes) session.err("note: " + note + "\n");
    return control_jobs(session, *kinds);
  }

 private:
  static int control_jobs(cli::Session& session, const control::KindChoices& kinds) {
    SystemRng rng;
    session.api().act_as(api::kFieldManager);
    control::Controllers controllers(session.loop(), rng, session.api(), kinds);
    controllers.start();
    if (session.wait_until([&] { return controllers.is_synced(); }) == cli::Session::Waited::kInterrupted) {
      return cli::kExitOk;
    }
    fmt::print("ready\n");
    std::fflush(stdout);
    session.wait_until([] { return false; });
    LOG_INFO("stopping; jobs keep running");
    return cli::kExitOk;
  }

  std::vector<std::string> kinds_;
};

}  // namespace

std::unique_ptr<cli::Command> make_operator() {
  return std::make_unique<Operator>();
}

}  // namespace muster
