#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/command_run.h"

namespace muster::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string explained(const std::vector<std::string>& words, int code = 0) {
  CommandRun cli;
  EXPECT_EQ(cli.run(make_explain(), words), code) << cli.err;
  EXPECT_TRUE(cli.server.requests.empty());
  return code == 0 ? cli.out : cli.err;
}

TEST(Explain, ShowsAKindAsKubectlDoes) {
  const std::string text = explained({"pj"});
  EXPECT_THAT(text, StartsWith("GROUP:      batch.tensorstack.dev\nKIND:       PyTorchTrainingJob\n"
                               "VERSION:    v1beta1\n\n\nDESCRIPTION:\n    "));
  EXPECT_THAT(text, HasSubstr("\nFIELDS:\n  apiVersion\t<string>"));
  EXPECT_THAT(text, HasSubstr("\n  metadata\t<ObjectMeta>"));
}

TEST(Explain, FollowsAPathThroughLists) {
  const std::string text = explained({"pytorchtrainingjobs.spec.replicaSpecs"});
  EXPECT_THAT(text, HasSubstr("FIELD: replicaSpecs <[]"));
  EXPECT_THAT(text, HasSubstr("\n  replicas\t<integer>"));
  EXPECT_THAT(explained({"pods.spec"}), HasSubstr("\n  containers\t<[]Container> -required-\n"));
}

TEST(Explain, SaysOnceWhatFieldAndTypeSayAlike) {
  EXPECT_THAT(explained({"pj.spec"}), HasSubstr("DESCRIPTION:\n    What the job runs, and how.\n\nFIELDS:"));
  const std::string text = explained({"pj.spec.torchrunConfig"});
  EXPECT_THAT(text, HasSubstr("DESCRIPTION:\n    Launches the program through torchrun.\n\nFIELDS:\n  enabled\t"));
  EXPECT_THAT(text, HasSubstr("\n  enabled\t<boolean>\n  older spelling: enable\n"));
  EXPECT_THAT(text, HasSubstr("\n  deprecated: use spec.elastic.minReplicas\n"));
  EXPECT_THAT(explained({"pj.spec.torchrunConfig.enable"}), HasSubstr("FIELD: enabled <boolean>\n"));
}

TEST(Explain, TakesTheGroupAsPartOfTheName) {
  EXPECT_THAT(explained({"pytorchjobs.kubeflow.org.spec"}),
              StartsWith("GROUP:      kubeflow.org\nKIND:       PyTorchJob\nVERSION:    v1\n\nFIELD: spec <"));
}

TEST(Explain, ListsEverythingBelow) {
  const std::string text = explained({"pods", "--recursive"});
  EXPECT_THAT(text, StartsWith("KIND:       Pod\nVERSION:    v1\n"));
  EXPECT_THAT(text, HasSubstr("\n    containers\t<[]Container> -required-\n"));
  EXPECT_THAT(text, HasSubstr("\n      command\t<[]string>\n"));
}

TEST(Explain, ALeafHasNoFields) {
  const std::string text = explained({"pods.metadata.name"});
  EXPECT_THAT(text, HasSubstr("FIELD: name <string>\n"));
  EXPECT_THAT(text, Not(HasSubstr("FIELDS:")));
}

TEST(Explain, SuggestsWhatWasMeant) {
  EXPECT_EQ(explained({"pods.spek"}, 3),
            "error: pods.spek: field \"spek\" does not exist; did you mean \"spec\"?\n  fix: muster explain pods\n");
  EXPECT_THAT(explained({"pj.spec.repl"}, 3),
              HasSubstr("pj.spec.repl: field \"repl\" does not exist; did you mean \"replicaSpecs\"?"));
  EXPECT_EQ(explained({"posd"}, 3), "error: there is no resource type \"posd\"; did you mean \"pods\"?\n");
  EXPECT_EQ(explained({"pods.metadata.name.first"}, 3),
            "error: pods.metadata.name.first: field \"first\" does not exist\n"
            "  why: pods.metadata.name has no fields\n"
            "  fix: muster explain pods.metadata.name\n");
  EXPECT_EQ(explained({"pods", "--api-version", "v2"}, 3), "error: there is no Pod in v2\n");
}

}  // namespace
}  // namespace muster::cli
