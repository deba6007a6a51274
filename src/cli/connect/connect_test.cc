#include "cli/connect/connect.h"

#include <gtest/gtest.h>

#include <set>

namespace muster::cli {
namespace {

/// A fake machine: which files exist, and whether an engine listens.
struct Machine {
  std::set<std::string> files;
  bool engine_listens = true;
  std::string kept = "";
  bool is_pod = false;

  std::variant<Choice, Failure> choose(const ConnectOptions& options, const std::string& kubeconfig = "") const {
    const Environment environment{
        .kubeconfig = kubeconfig, .home = "/home/u", .data_dir = "/data", .config_dir = "/home/u/.config/muster"};
    return choose_server(
        options, environment,
        {.exists = [this](const std::string& path) { return files.contains(path); },
         .listening = [this](const std::string& path) { return engine_listens && path == "/data/api.sock"; },
         .load = [this](const std::string& path, const std::string& context) -> Result<client::Target> {
           if (!files.contains(path)) return Error{.reason = Reason::kNotFound, .message = "no such file"};
           client::Target target;
           target.endpoint.host = "127.0.0.1";
           target.endpoint.port = 8765;
           target.token = "secret";
           target.ns = "team";
           target.context = context;
           return target;
         },
         .read = [this](const std::string& path) -> Result<std::string> {
           if (path == "/home/u/.config/muster/use" && !kept.empty()) return kept + "\n";
           return Error{.reason = Reason::kNotFound, .message = "no such file"};
         },
         .in_cluster = [this]() -> Result<client::Target> {
           if (!is_pod) return Error{.reason = Reason::kNotFound, .message = "no pod"};
           client::Target target;
           target.ns = "team";
           return target;
         }});
  }
  std::string from(const ConnectOptions& options, const std::string& kubeconfig = "") const {
    const auto chosen = choose(options, kubeconfig);
    const auto* choice = std::get_if<Choice>(&chosen);
    return choice == nullptr ? "failure" : choice->from;
  }
  std::string note(const std::string& kubeconfig = "") const { return std::get<Choice>(choose({}, kubeconfig)).note; }
};

const std::set<std::string> kAll = {"/data/kubeconfig", "/home/u/.kube/config", "/env", "/flag"};

TEST(ChooseServer, PrefersWhatWasNamed) {
  Machine machine{kAll};
  machine.kept = "local";
  EXPECT_EQ(machine.from({.kubeconfig = "/flag"}, "/env"), "/flag");
  EXPECT_EQ(machine.from({}, "/env"), "/env");
  EXPECT_EQ(machine.from({}, "/missing:/env"), "/env");
  EXPECT_EQ(machine.from({.context = "prod"}), "/home/u/.kube/config");
}

TEST(ChooseServer, TakesARunningEngineBeforeTheUsersKubeconfig) {
  Machine machine{kAll};
  EXPECT_EQ(machine.from({}), "/data/api.sock");
  machine.engine_listens = false;
  EXPECT_EQ(machine.from({}), "/home/u/.kube/config");
}

TEST(ChooseServer, ReachesTheEngineThroughItsSocketWithoutAToken) {
  const auto chosen = Machine{kAll}.choose({});
  const client::Target& target = std::get<Choice>(chosen).target;
  EXPECT_EQ(target.endpoint.unix_path, "/data/api.sock");
  EXPECT_FALSE(target.endpoint.tls);
  EXPECT_EQ(target.token, "");
  EXPECT_TRUE(std::get<Choice>(chosen).local_engine);
}

TEST(ChooseServer, TakesWhatMusterUseKept) {
  Machine machine{kAll};
  machine.kept = "prod";
  const auto chosen = machine.choose({});
  EXPECT_EQ(std::get<Choice>(chosen).from, "/home/u/.kube/config");
  EXPECT_EQ(std::get<Choice>(chosen).target.context, "prod");
  machine.kept = "local";
  EXPECT_EQ(machine.from({}), "/data/api.sock");
}

TEST(ChooseServer, DoesNotGoElsewhereWhenTheChosenEngineIsSilent) {
  Machine machine{kAll, false};
  machine.kept = "local";
  const auto chosen = machine.choose({});
  EXPECT_EQ(error_text(std::get<Failure>(chosen)),
            "error: the local engine is not running\n"
            "  why: muster use local chose it, and nothing listens on /data/api.sock\n"
            "  fix: muster up\n");
  EXPECT_EQ(std::get<Failure>(chosen).code, kExitUnreachable);
}

TEST(ChooseServer, SaysSoWhenThereWereTwo) {
  Machine machine{kAll};
  EXPECT_EQ(machine.note(),
            "note: using the local engine; for the cluster of /home/u/.kube/config: muster use CONTEXT\n");
  EXPECT_EQ(machine.note("/env"), "note: using $KUBECONFIG, /env; for the local engine: unset KUBECONFIG\n");
  EXPECT_EQ(machine.note("/data/kubeconfig"), "");
  machine.kept = "prod";
  EXPECT_EQ(machine.note(), "note: using context prod (muster use); for the local engine: muster use local\n");
  machine.kept = "local";
  EXPECT_EQ(machine.note(), "") << "the user has chosen it";
}

TEST(ChooseServer, IsSilentWhenThereWasOne) {
  Machine machine{kAll};
  machine.files.erase("/home/u/.kube/config");
  EXPECT_EQ(machine.note(), "");
  Machine no_engine{kAll, false};
  EXPECT_EQ(no_engine.note("/env"), "");
  no_engine.files.erase("/data/kubeconfig");
  EXPECT_EQ(no_engine.note(), "");
}

TEST(ChooseServer, SaysSoWhenTheEngineDoesNotRunThatWasUsedBefore) {
  const Machine machine{kAll, false};
  EXPECT_EQ(machine.note(),
            "note: no engine runs on this machine; using the cluster of /home/u/.kube/config; for this machine: muster "
            "up\n");
  EXPECT_TRUE(std::get<Choice>(machine.choose({})).is_guess);
  EXPECT_FALSE(std::get<Choice>(Machine{kAll}.choose({})).is_guess);
}

TEST(ChooseServer, InAPodTheClusterIsTheLastResort) {
  Machine machine{kAll, false};
  machine.is_pod = true;
  EXPECT_EQ(machine.from({}), "/home/u/.kube/config");
  machine.files.clear();
  EXPECT_EQ(machine.from({}), "the service account of this pod");
  EXPECT_EQ(std::get<Choice>(machine.choose({})).target.ns, "team");
}

TEST(ChooseServer, TellsHowToStartAnEngine) {
  const Machine machine{{"/data/kubeconfig"}, false};
  const auto chosen = machine.choose({});
  EXPECT_EQ(error_text(std::get<Failure>(chosen)),
            "error: no API server to talk to\n"
            "  why: no engine is running in /data, $KUBECONFIG is not set, and there is no /home/u/.kube/config\n"
            "  fix: muster up\n");
  EXPECT_EQ(std::get<Failure>(chosen).code, kExitUnreachable);
}

TEST(ChooseServer, NamesAKubeconfigThatCannotBeUsed) {
  const auto chosen = Machine{kAll}.choose({.kubeconfig = "/nowhere"});
  EXPECT_EQ(error_text(std::get<Failure>(chosen)), "error: cannot use kubeconfig \"/nowhere\"\n  why: no such file\n");
}

TEST(ChooseServer, TakesTheNamespaceOfTheFlag) {
  const Machine machine{kAll};
  EXPECT_EQ(std::get<Choice>(machine.choose({})).target.ns, "team");
  EXPECT_EQ(std::get<Choice>(machine.choose({.ns = "mine"})).target.ns, "mine");
}

TEST(Unreachable, OffersTheEngineOnlyForTheEngine) {
  const Machine machine{kAll};
  const Error refused{.reason = Reason::kServiceUnavailable, .message = "connection refused"};
  EXPECT_EQ(unreachable(std::get<Choice>(machine.choose({})), refused).fix, "muster up");
  EXPECT_EQ(error_text(unreachable(std::get<Choice>(machine.choose({.kubeconfig = "/flag"})), refused)),
            "error: cannot reach the API server at https://127.0.0.1:8765\n"
            "  why: connection refused\n"
            "  fix: check that it runs and that /flag is current\n");
}

}  // namespace
}  // namespace muster::cli
