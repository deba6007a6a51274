// operator: the controllers of all job kinds, in the foreground, against a Kubernetes cluster.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "api/resource.h"
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

/// Returns the names of the kinds that the cluster lacks: "mpijobs.kubeflow.org".
Result<std::vector<std::string>> missing_kinds(cli::Session& session) {
  client::ListOptions options;
  TRY_ASSIGN(const json::Document crds,
             session.list({"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, "", options));
  std::vector<std::string> served;
  for (const json::Document& crd : crds.array_at("items")) served.push_back(crd.string_at("metadata", "name"));
  std::vector<std::string> missing;
  for (const api::Resource& resource : api::resources()) {
    if (!resource.has_own_crd()) continue;
    if (std::ranges::find(served, resource.qualified_name()) == served.end())
      missing.push_back(resource.qualified_name());
  }
  return missing;
}

class Operator final : public cli::Command {
 public:
  void add_flags(cli::Flags&) override {}

  int run(cli::Session& session, const std::vector<std::string>&) override {
    if (const auto failure = check_is_cluster(session)) return session.fail(*failure);
    const auto missing = missing_kinds(session);
    if (!missing) return session.fail(missing.error());
    if (!missing->empty()) {
      return session.fail({.code = cli::kExitFailed,
                           .what = "the cluster lacks these kinds: " + join(*missing, ", "),
                           .why = "",
                           .fix = "muster crds | kubectl apply --server-side -f -"});
    }
    return control_jobs(session);
  }

 private:
  static int control_jobs(cli::Session& session) {
    SystemRng rng;
    const auto no_ports = [](int) { return true; };  // pods of a cluster have addresses of their own
    control::Controllers controllers(session.loop(), rng, session.api(), control::Where::kCluster, no_ports,
                                     control::TensorBoardOptions{});
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
};

}  // namespace

std::unique_ptr<cli::Command> make_operator() {
  return std::make_unique<Operator>();
}

}  // namespace muster
