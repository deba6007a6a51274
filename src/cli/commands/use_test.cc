// Tests of use, kubeconfig and crds: the commands that talk to no server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "base/files.h"
#include "json/yaml.h"
#include "testing/command_run.h"

namespace muster::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A home folder whose kubeconfig has two clusters, and an engine that each test can start and stop.
class UseTest : public ::testing::Test {
 protected:
  UseTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "muster-use-XXXXXX";
    home_ = ::mkdtemp(pattern.data());
    EXPECT_TRUE(make_directories(home_ + "/.kube", 0700));
    EXPECT_TRUE(write_file_atomically(home_ + "/.kube/config",
                                      "current-context: lab\ncontexts:\n- name: lab\n- name: production\n", 0600));
  }
  ~UseTest() override { std::filesystem::remove_all(home_); }

  int use(const std::vector<std::string>& words) {
    cli_.out.clear();
    cli_.err.clear();
    ConnectPorts ports = ConnectPorts::real();
    ports.listening = [this](const std::string&) { return running_; };
    return cli_.run(
        make_use({.kubeconfig = variable_, .home = home_, .data_dir = "/data", .config_dir = home_ + "/.config/muster"},
                 ports),
        words);
  }
  std::string kept() const { return read_file(home_ + "/.config/muster/use").value_or(""); }

  std::string home_;
  std::string variable_;
  bool running_ = true;
  CommandRun cli_;
};

TEST_F(UseTest, KeepsTheChoice) {
  EXPECT_EQ(use({"production"}), 0) << cli_.err;
  EXPECT_EQ(cli_.out, "using context production\n");
  EXPECT_EQ(kept(), "production\n");
  EXPECT_EQ(use({"local"}), 0);
  EXPECT_EQ(cli_.out, "using the local engine\n");
  EXPECT_EQ(kept(), "local\n");
}

TEST_F(UseTest, ShowsWhatCountsAndWhatElseIsPossible) {
  EXPECT_EQ(use({}), 0);
  EXPECT_THAT(cli_.out,
              HasSubstr("* local                engine at /data/api.sock (running, and nothing was chosen)\n"));
  EXPECT_THAT(cli_.out, HasSubstr("  lab                  context of " + home_ + "/.kube/config\n"));
  running_ = false;
  EXPECT_EQ(use({}), 0);
  EXPECT_THAT(cli_.out, HasSubstr("  local                engine, not running; muster up starts it\n* lab  "));
  EXPECT_EQ(use({"production"}), 0);
  EXPECT_EQ(use({}), 0);
  EXPECT_THAT(cli_.out,
              HasSubstr("* production           context of " + home_ + "/.kube/config (chosen with muster use)"));
}

TEST_F(UseTest, RefusesAContextThatIsNotThere) {
  EXPECT_EQ(use({"prodution"}), 3);
  EXPECT_EQ(cli_.err, "error: " + home_ + "/.kube/config has no context \"prodution\"; did you mean \"production\"?\n" +
                          "  fix: muster use lab | production | local\n");
  EXPECT_EQ(kept(), "");
}

TEST_F(UseTest, ForgetsTheChoice) {
  EXPECT_EQ(use({"lab"}), 0);
  EXPECT_EQ(use({"--forget"}), 0);
  EXPECT_EQ(kept(), "");
  EXPECT_EQ(use({"--forget"}), 0);
}

TEST_F(UseTest, SaysThatAVariableComesFirst) {
  variable_ = "/env";
  EXPECT_EQ(use({"local"}), 0);
  EXPECT_EQ(cli_.err, "note: $KUBECONFIG (/env) is set and comes first; unset it to use your choice\n");
  EXPECT_EQ(use({}), 0);
  EXPECT_THAT(cli_.out, Not(HasSubstr("*")));
}

TEST_F(UseTest, TakesOneWord) {
  EXPECT_EQ(use({"local", "lab"}), 2);
}

TEST(Crds, AreThoseThatAClusterLacks) {
  CommandRun cli;
  EXPECT_EQ(cli.run(make_crds(), {}), 0);
  const auto documents = json::parse_yaml(cli.out);
  ASSERT_TRUE(documents) << documents.error().message;
  std::vector<std::string> names;
  for (const auto& document : *documents) {
    EXPECT_EQ(document.value.string_at("kind"), "CustomResourceDefinition");
    names.push_back(document.value.string_at("metadata", "name"));
  }
  EXPECT_THAT(names,
              ::testing::IsSupersetOf({"pytorchtrainingjobs.batch.tensorstack.dev", "pytorchjobs.kubeflow.org"}));
  EXPECT_THAT(names, Not(::testing::Contains("pods")));
  EXPECT_TRUE(cli.server.requests.empty());
}

TEST(Kubeconfig, IsTheOneOfTheFolder) {
  std::string pattern = std::filesystem::temp_directory_path() / "muster-kubeconfig-XXXXXX";
  const std::string folder = ::mkdtemp(pattern.data());
  CommandRun cli;
  EXPECT_EQ(cli.run(make_kubeconfig(), {"--data-dir", folder}), 3);
  EXPECT_THAT(cli.err, HasSubstr("no engine has run on this folder yet\n  fix: muster up\n"));
  ASSERT_TRUE(write_file_atomically(folder + "/kubeconfig", "kind: Config\n", 0600));
  EXPECT_EQ(cli.run(make_kubeconfig(), {"--data-dir", folder}), 0);
  EXPECT_EQ(cli.out, "kind: Config\n");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace muster::cli
