#include "cli/commands/sweep.h"

#include <gmock/gmock.h>

#include "cli/sweep/sweep_table.h"
#include "testing/command_run.h"

namespace muster::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kSweptJobs = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs";

json::Document swept_job(int number, const std::string& phase) {
  const std::string name = "s-" + std::to_string(number);
  json::Document out = make_object("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", name);
  out["metadata"]["labels"] = json::Object{{"muster.dev/sweep", "s"}};
  out["metadata"]["annotations"] = annotations_of_run(number, 2, {{"lr", "0." + std::to_string(number)}});
  const json::Object pod{{"metadata", json::Object{{"labels", json::Object{{"muster.dev/sweep", "s"}}}}}};
  out["spec"]["replicaSpecs"] = json::Array{json::Object{{"type", "worker"}, {"replicas", 1}, {"template", pod}}};
  out["status"]["phase"] = phase;
  return out;
}

void put_job(CommandRun& cli, int number, const std::string& phase) {
  cli.server.put(kSweptJobs + "/s-" + std::to_string(number), swept_job(number, phase));
}

/// What the route about curves answers.
void put_curve(CommandRun& cli, int number, const std::string& points) {
  cli.server.put("/apis/muster.dev/v1/namespaces/default/jobs/pytorchtrainingjobs.batch.tensorstack.dev/s-" +
                     std::to_string(number) + "/scalars",
                 *json::parse(R"({"kind":"Scalars","metadata":{},"runs":[{"series":[{"tag":"train/loss","points":)" +
                              points + "}]}]}"));
}

TEST(Sweep, ShowPrintsValuesMetricsAndTheBest) {
  CommandRun cli;
  put_job(cli, 1, "Succeeded");
  put_job(cli, 2, "Running");
  put_curve(cli, 1, "[[1,0,0.5],[2,0,0.25]]");
  put_curve(cli, 2, "[[1,0,0.125],[2,0,0.75]]");
  EXPECT_EQ(cli.run(make_sweep({.working_dir = "/p", .home = "/h"}), {"show", "s"}), 0) << cli.err;
  EXPECT_THAT(cli.out, HasSubstr("2 runs: 1 running, 1 succeeded\nbest: s-2 (lr=0.2), train/loss 0.125\n"));
  EXPECT_THAT(cli.out, HasSubstr("0.25"));
}

TEST(Sweep, ShowSaysWhatOfTheCurvesCouldNotBeRead) {
  CommandRun cli;
  put_job(cli, 1, "Succeeded");
  cli.server.put("/apis/muster.dev/v1/namespaces/default/jobs/pytorchtrainingjobs.batch.tensorstack.dev/s-1/scalars",
                 *json::parse(R"({"runs":[],"problems":["runs/a: is damaged from byte 7"]})"));
  EXPECT_EQ(cli.run(make_sweep({.working_dir = "/p", .home = "/h"}), {"show", "s"}), 0) << cli.err;
  EXPECT_THAT(cli.err, HasSubstr("warning: curves of s-1: runs/a: is damaged from byte 7\n"));
}

TEST(Sweep, TheGoalMayBeTheLargestValueAndRunsWithoutCurvesHaveNone) {
  CommandRun cli;
  put_job(cli, 1, "Succeeded");
  put_job(cli, 2, "Succeeded");
  put_curve(cli, 2, "[[1,0,0.125],[2,0,0.75]]");
  EXPECT_EQ(cli.run(make_sweep({.working_dir = "/p", .home = "/h"}), {"show", "s", "--goal", "max"}), 0);
  EXPECT_THAT(cli.out, HasSubstr("best: s-2 (lr=0.2), train/loss 0.75\n"));
}

TEST(Sweep, StopEndsWhatHasNotEnded) {
  CommandRun cli;
  put_job(cli, 1, "Succeeded");
  put_job(cli, 2, "Running");
  EXPECT_EQ(cli.run(make_sweep({.working_dir = "/p", .home = "/h"}), {"stop", "s"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "sweep s: 1 of 2 runs stopped, 1 had ended\n");
  EXPECT_EQ(cli.server.find(kSweptJobs + "/s-2")->string_at("metadata", "annotations", "muster.dev/stop"), "true");
  EXPECT_EQ(cli.server.find(kSweptJobs + "/s-1")->string_at("metadata", "annotations", "muster.dev/stop"), "");
}

TEST(Sweep, RerunGivesJobsAndPodsTheNewName) {
  CommandRun cli;
  put_job(cli, 1, "Failed");
  put_job(cli, 2, "Succeeded");
  EXPECT_EQ(cli.run(make_sweep({.working_dir = "/p", .home = "/h"}), {"rerun", "s"}), 0) << cli.err;
  const json::Document* copy = cli.server.find(kSweptJobs + "/s-2-1");
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->string_at("metadata", "labels", "muster.dev/sweep"), "s-2");
  EXPECT_EQ(copy->string_at("metadata", "annotations", "muster.dev/sweep-run"), "1/2");
  EXPECT_THAT(json::serialize(*copy->find("spec")), AllOf(HasSubstr("\"s-2\""), Not(HasSubstr("\"s\""))));
}

TEST(Sweep, ANameThatNoSweepHasIsCorrected) {
  CommandRun cli;
  put_job(cli, 1, "Running");
  cli.server.put(kSweptJobs + "/other", make_object("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", "other"));
  EXPECT_EQ(cli.run(make_sweep({.working_dir = "/p", .home = "/h"}), {"show", "nothing"}), 3);
  EXPECT_THAT(cli.err, HasSubstr("no sweep \"nothing\" in namespace default"));
  EXPECT_EQ(cli.run(make_sweep({.working_dir = "/p", .home = "/h"}), {"show"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("name one sweep"));
}

TEST(Sweep, AMillionRunsAreRefusedBeforeAnythingIsAsked) {
  CommandRun cli;
  EXPECT_EQ(cli.run(make_sweep({.working_dir = "/p", .home = "/h"}),
                    {"--param", "lr=1..1000", "--param", "seed=1..1000", "train.py"}),
            2);
  EXPECT_THAT(cli.err, HasSubstr("lr 1000 x seed 1000 = 1000000 runs, a sweep may have 1000"));
  EXPECT_TRUE(cli.server.requests.empty());
}

}  // namespace
}  // namespace muster::cli
