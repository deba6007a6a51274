#include "cli/commands/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "cli/commands/command_table.h"
#include "testing/command_run.h"

namespace muster::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Ask = Completing::Ask;

Completing typing(const std::vector<std::string>& words) {
  const Section table[] = {{"Jobs", object_commands()}};
  std::vector<Completable> commands = completable_commands(table);
  commands.push_back({"up", "start the engine", {{.name = "listen", .takes_word = true}}});
  return completing(words, commands);
}

std::vector<std::string> offered(const std::vector<std::string>& words) {
  const Completing at = typing(words);
  std::vector<std::string> out;
  for (const std::string& line : split(candidate_lines(at, at.known), '\n')) {
    if (!line.empty()) out.push_back(line.substr(0, line.find('\t')));
  }
  return out;
}

TEST(Completing, OffersCommandsAndTheirFlags) {
  EXPECT_THAT(offered({"desc"}), ElementsAre("describe"));
  EXPECT_THAT(offered({"-n", "x", "desc"}), ElementsAre("describe"));
  EXPECT_THAT(offered({""}), Contains("up"));
  EXPECT_THAT(offered({"delete", "--grace"}), ElementsAre("--grace-period"));
  EXPECT_THAT(offered({"up", "--"}), ElementsAre("--listen", "--help"));
  for (const Entry& entry : object_commands()) {
    EXPECT_THAT(offered({std::string(entry.name), "--"}), Contains("--help")) << entry.name;
  }
}

TEST(Completing, OffersKindsThenNames) {
  EXPECT_THAT(offered({"get", "pytorcht"}), ElementsAre("pytorchtrainingjobs"));
  EXPECT_EQ(typing({"get", "cm", "a", ""}).kind, "cm");
  EXPECT_EQ(typing({"get", "cm", "a", ""}).ask, Ask::kNames);
  EXPECT_THAT(typing({"get", "cm", "a", ""}).already, ElementsAre("a"));
  const Completing slashed = typing({"describe", "cm/se"});
  EXPECT_EQ(slashed.kind, "cm");
  EXPECT_EQ(candidate_lines(slashed, {{"settings"}, {"other"}}), "cm/settings\n");
  EXPECT_EQ(typing({"logs", ""}).kind, "pods,jobs");
  EXPECT_EQ(typing({"exec", ""}).kind, "pods,jobs");
  EXPECT_EQ(typing({"notebook", ""}).kind, "notebooks");
  EXPECT_THAT(offered({"create", ""}), ElementsAre("namespace"));
}

TEST(Completing, OffersTheNamesOfJobs) {
  for (const char* command :
       {"pause", "resume", "stop", "rerun", "scale", "compare", "tensorboard", "top", "delete", "describe", "wait"}) {
    EXPECT_EQ(typing({command, ""}).kind, "jobs") << command;
    EXPECT_EQ(typing({command, ""}).ask, Ask::kNames) << command;
  }
  EXPECT_THAT(offered({"delete", "pytorcht"}), ElementsAre("pytorchtrainingjobs")) << "kinds as well";
  EXPECT_EQ(typing({"delete", "mnist", ""}).kind, "jobs");
  EXPECT_THAT(typing({"delete", "mnist", ""}).already, ElementsAre("mnist"));
  EXPECT_EQ(typing({"delete", "pj", ""}).kind, "pj");
  EXPECT_THAT(typing({"compare", "mnist", ""}).already, ElementsAre("mnist"));
  EXPECT_EQ(typing({"rerun", "mnist", ""}).ask, Ask::kNothing);
}

TEST(Completing, OffersWhatCanBeDoneWithVolumesThenTheirNames) {
  EXPECT_THAT(offered({"volume", ""}), ElementsAre("create", "ls", "cp", "rm"));
  EXPECT_EQ(typing({"volume", "ls", ""}).kind, "persistentvolumeclaims");
  EXPECT_EQ(typing({"volume", "create", ""}).ask, Ask::kNothing);
}

TEST(Completing, OffersPodsAndJobsAsOneSideOfACopy) {
  EXPECT_EQ(typing({"cp", ""}).kind, "pods,jobs");
  EXPECT_THAT(offered({"cp", ""}), ElementsAre("./"));
  EXPECT_THAT(offered({"cp", "./"}), IsEmpty()) << "the shell offers files";
  EXPECT_EQ(typing({"cp", "model.pt", ""}).ask, Ask::kNames);
  EXPECT_EQ(typing({"cp", "mnist:/out", ""}).ask, Ask::kNothing) << "the other side is a file";
  EXPECT_EQ(typing({"cp", "mnist", ":", "/out", ""}).ask, Ask::kNothing) << "as bash cuts it";
  CommandRun cli;
  cli.server.put("/api/v1/namespaces/default/pods/mnist-worker-0", make_object("v1", "Pod", "mnist-worker-0"));
  cli.server.put("/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs/mnist",
                 make_object("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", "mnist"));
  EXPECT_EQ(cli.run(make_complete(typing({"cp", "mn"})), {}), 0);
  EXPECT_EQ(cli.out, "mnist-worker-0:\nmnist:\n");
}

TEST(Completing, KnowsFlagsFromWords) {
  const Completing after = typing({"get", "-n", "x2", "cm", ""});
  EXPECT_EQ(after.kind, "cm");
  EXPECT_EQ(after.connect.ns, "x2");
  for (const std::vector<std::string>& line :
       std::vector<std::vector<std::string>>{{"get", "cm", "-n", "x2", ""},
                                             {"get", "-nx2", "cm", ""},
                                             {"get", "--namespace=x2", "cm", ""},
                                             {"get", "--namespace", "=", "x2", "cm", ""},
                                             {"-n", "x2", "get", "cm", ""}}) {
    EXPECT_EQ(typing(line).kind, "cm") << join(line, " ");
    EXPECT_EQ(typing(line).connect.ns, "x2") << join(line, " ");
  }
  EXPECT_EQ(typing({"get", "-w", "cm", ""}).kind, "cm") << "a switch takes no word";
}

TEST(Completing, OffersTheValuesOfFlags) {
  EXPECT_EQ(typing({"get", "cm", "-n", ""}).ask, Ask::kNamespaces);
  EXPECT_EQ(typing({"-n", ""}).ask, Ask::kNamespaces);
  EXPECT_EQ(typing({"get", "cm", "--context", ""}).ask, Ask::kContexts);
  EXPECT_THAT(offered({"get", "cm", "-o", "y"}), ElementsAre("yaml"));
  EXPECT_THAT(offered({"get", "cm", "--output=y"}), ElementsAre("--output=yaml"));
  EXPECT_THAT(offered({"get", "cm", "--output", "=", "y"}), ElementsAre("yaml")) << "as bash cuts it";
  EXPECT_THAT(offered({"delete", "cm", "-o", ""}), ElementsAre("name"));
  EXPECT_THAT(offered({"apply", "-o", ""}), Not(Contains("wide")));
  EXPECT_THAT(offered({"apply", "-f", ""}), IsEmpty()) << "the shell offers files";
}

TEST(Completing, AsksTheServerForNames) {
  CommandRun cli;
  cli.server.put("/api/v1/namespaces/default/configmaps/settings", make_object("v1", "ConfigMap", "settings"));
  cli.server.put("/api/v1/namespaces/x2", make_object("v1", "Namespace", "x2"));
  EXPECT_EQ(cli.run(make_complete(typing({"get", "cm", "se"})), {}), 0);
  EXPECT_EQ(cli.run(make_complete(typing({"get", "cm", "-n", ""})), {}), 0);
  EXPECT_EQ(cli.run(make_complete(typing({"get", "nothinglikeit", ""})), {}), 0);
  EXPECT_EQ(cli.out, "settings\nx2\n");
  EXPECT_EQ(cli.err, "");
}

class CompletionTest : public ::testing::TestWithParam<std::string> {};

TEST_P(CompletionTest, AsksTheProgram) {
  const auto script = completion_script(GetParam());
  ASSERT_TRUE(script) << script.error().message;
  EXPECT_THAT(*script, HasSubstr("muster __complete -- "));
}

INSTANTIATE_TEST_SUITE_P(Shells, CompletionTest, ::testing::Values("bash", "zsh", "fish"));

TEST(Completion, RefusesAnotherShell) {
  EXPECT_EQ(completion_script("tcsh").error().message, "completion: must be bash, zsh or fish, got \"tcsh\"");
}

}  // namespace
}  // namespace muster::cli
