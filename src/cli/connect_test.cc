#include "cli/connect.h"

#include <gtest/gtest.h>

#include <set>

namespace muster::cli {
namespace {

/// A machine of files and listening ports.
struct Machine {
  std::set<std::string> files;
  bool engine_listens = true;

  std::variant<Choice, Failure> choose(const ConnectOptions& options, const std::string& kubeconfig = "") const {
    const Environment environment{.kubeconfig = kubeconfig, .home = "/home/u", .data_dir = "/data"};
    return choose_server(
        options, environment,
        {.exists = [this](const std::string& path) { return files.contains(path); },
         .listening = [this](const net::Endpoint&) { return engine_listens; },
         .load = [this](const std::string& path, const std::string& context) -> Result<client::Target> {
           if (!files.contains(path)) return Error{.reason = Reason::kNotFound, .message = "no such file"};
           client::Target target;
           target.endpoint.host = "127.0.0.1";
           target.endpoint.port = 8765;
           target.ns = "team";
           target.context = context;
           return target;
         }});
  }
  std::string from(const ConnectOptions& options, const std::string& kubeconfig = "") const {
    const auto chosen = choose(options, kubeconfig);
    const auto* choice = std::get_if<Choice>(&chosen);
    return choice == nullptr ? "failure" : choice->from;
  }
};

const std::set<std::string> kAll = {"/data/kubeconfig", "/home/u/.kube/config", "/env", "/flag"};

TEST(ChooseServer, PrefersWhatWasNamed) {
  const Machine machine{kAll};
  EXPECT_EQ(machine.from({.kubeconfig = "/flag"}, "/env"), "/flag");
  EXPECT_EQ(machine.from({}, "/env"), "/env");
  EXPECT_EQ(machine.from({}, "/missing:/env"), "/env");
  EXPECT_EQ(machine.from({.context = "prod"}), "/home/u/.kube/config");
}

TEST(ChooseServer, TakesARunningEngineBeforeTheUsersKubeconfig) {
  Machine machine{kAll};
  EXPECT_EQ(machine.from({}), "/data/kubeconfig");
  machine.engine_listens = false;
  EXPECT_EQ(machine.from({}), "/home/u/.kube/config");
}

TEST(ChooseServer, SaysSoWhenThereWereTwo) {
  Machine machine{kAll};
  EXPECT_EQ(std::get<Choice>(machine.choose({})).note,
            "note: using the local engine at https://127.0.0.1:8765; for the other server: --kubeconfig "
            "/home/u/.kube/config\n");
  machine.files.erase("/home/u/.kube/config");
  EXPECT_EQ(std::get<Choice>(machine.choose({})).note, "");
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
