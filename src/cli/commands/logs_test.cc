#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/command_run.h"

namespace muster::cli {
namespace {

using ::testing::HasSubstr;

const std::string kPods = "/api/v1/namespaces/default/pods";
const std::string kJobs = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs";

json::Document job(const std::string& phase, int replicas = 2) {
  json::Document out = make_object("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", "mnist");
  out["spec"]["replicaSpecs"] = json::Array{json::Object{{"type", "worker"}, {"replicas", replicas}}};
  out["status"]["phase"] = phase;
  return out;
}

/// `state` is waiting, running or terminated.
json::Document pod(const std::string& name, const std::string& state, const std::string& uid = "") {
  json::Document out = make_object("v1", "Pod", name);
  if (!uid.empty()) out["metadata"]["uid"] = uid;
  out["metadata"]["labels"] = json::Object{{"tensorstack.dev/owner-name", "mnist"}};
  out["metadata"]["ownerReferences"] = json::Array{json::Object{{"uid", "uid-mnist"}, {"controller", true}}};
  out["spec"]["containers"] = json::Array{json::Object{{"name", "pytorch"}}};
  out["status"]["phase"] = state == "waiting" ? "Pending" : state == "running" ? "Running" : "Succeeded";
  out["status"]["containerStatuses"] = json::Array{
      json::Object{{"name", "pytorch"}, {"restartCount", 0}, {"state", json::Object{{state, json::Object{}}}}}};
  return out;
}

std::string at(int second, const std::string& text) {
  return "2026-01-01T00:00:0" + std::to_string(second) + "Z " + text + "\n";
}

TEST(Logs, PrintsAPodAsItIs) {
  CommandRun cli;
  cli.server.put(kPods + "/a", pod("a", "terminated"));
  cli.server.log("a", "one\ntwo\n");
  EXPECT_EQ(cli.run(make_logs(), {"a", "--tail=5"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "one\ntwo\n");
  EXPECT_EQ(cli.server.requests.back(), "GET /api/v1/namespaces/default/pods/a/log?container=pytorch&tailLines=5");
}

TEST(Logs, PrefixesTheReplicasOfAJob) {
  CommandRun cli;
  cli.server.put(kJobs + "/mnist", job("Succeeded"));
  cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "terminated"));
  cli.server.put(kPods + "/mnist-worker-1", pod("mnist-worker-1", "terminated"));
  cli.server.put(kPods + "/stranger", make_object("v1", "Pod", "stranger"));
  cli.server.log("mnist-worker-0", at(1, "one") + at(3, "three"));
  cli.server.log("mnist-worker-1", at(2, "two") + "2026-01-01T00:00:04Z four");
  EXPECT_EQ(cli.run(make_logs(), {"pj/mnist"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "[worker-0] one\n[worker-1] two\n[worker-0] three\n[worker-1] four\n") << "in the order of time";
}

TEST(Logs, ColorsPrefixesOnATerminalOnly) {
  CommandRun cli;
  cli.terminal = true;
  cli.server.put(kJobs + "/mnist", job("Succeeded"));
  cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "terminated"));
  cli.server.log("mnist-worker-0", "one\n");
  EXPECT_EQ(cli.run(make_logs(), {"pj/mnist"}), 0);
  EXPECT_EQ(cli.out, "\x1b[36m[worker-0]\x1b[0m one\n");
}

TEST(Logs, OnATerminalObeyNothingUnlessRaw) {
  CommandRun cli;
  cli.server.put(kPods + "/a", pod("a", "terminated"));
  cli.server.log("a", "\x1b]0;title\x07\x1b[31mred\n");
  EXPECT_EQ(cli.run(make_logs(), {"a"}), 0);
  cli.terminal = true;
  EXPECT_EQ(cli.run(make_logs(), {"a"}), 0);
  EXPECT_EQ(cli.run(make_logs(), {"a", "--raw"}), 0);
  EXPECT_EQ(cli.out,
            "\x1b]0;title\x07\x1b[31mred\n"
            "\\x1b]0;title\\x07\x1b[31mred\n"
            "\x1b]0;title\x07\x1b[31mred\n");
}

TEST(Logs, NeedsNoPrefixForOneReplica) {
  CommandRun cli;
  cli.server.put(kJobs + "/mnist", job("Succeeded", 1));
  cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "terminated"));
  cli.server.log("mnist-worker-0", "one\n");
  EXPECT_EQ(cli.run(make_logs(), {"pj/mnist"}), 0);
  EXPECT_EQ(cli.out, "one\n");
}

TEST(Logs, FollowsReplicasAsTheyAppearUntilTheJobEnds) {
  CommandRun cli;
  cli.server.put(kJobs + "/mnist", job("Pending"));
  const int code = cli.run(make_logs(), {"-f", "pj/mnist"},
                           {[&] { cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "waiting")); },
                            [&] { cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "running")); },
                            [&] { cli.server.log("mnist-worker-0", at(1, "hello")); },
                            [&] { cli.server.put(kPods + "/mnist-worker-1", pod("mnist-worker-1", "running")); },
                            [&] { cli.server.log("mnist-worker-1", at(2, "there")); },
                            [&] {
                              cli.server.log("mnist-worker-0", at(3, "done"));
                              cli.server.end_log("mnist-worker-0");
                              cli.server.end_log("mnist-worker-1");
                              cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "terminated"));
                              cli.server.put(kPods + "/mnist-worker-1", pod("mnist-worker-1", "terminated"));
                              cli.server.put(kJobs + "/mnist", job("Succeeded"));
                            }});
  EXPECT_EQ(code, 0) << cli.err;
  EXPECT_EQ(cli.out, "[worker-0] hello\n[worker-1] there\n[worker-0] done\n");
}

TEST(Logs, AFollowerMergesThePastByTimeAndThenHoldsNothingUp) {
  CommandRun cli;
  cli.server.put(kJobs + "/mnist", job("Running"));
  cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "running"));
  cli.server.put(kPods + "/mnist-worker-1", pod("mnist-worker-1", "running"));
  cli.server.log("mnist-worker-0", at(1, "one") + at(3, "three"));
  cli.server.log("mnist-worker-1", at(2, "two") + at(4, "four"));
  std::string before_the_end;
  const int code = cli.run(make_logs(), {"-f", "pj/mnist"},
                           {[&] { cli.server.log("mnist-worker-0", at(6, "six")); },
                            [&] { cli.server.log("mnist-worker-1", at(5, "five, late")); },
                            [&] {
                              before_the_end = cli.out;
                              cli.server.end_log("mnist-worker-0");
                              cli.server.end_log("mnist-worker-1");
                              cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "terminated"));
                              cli.server.put(kPods + "/mnist-worker-1", pod("mnist-worker-1", "terminated"));
                              cli.server.put(kJobs + "/mnist", job("Succeeded"));
                            }});
  EXPECT_EQ(code, 0) << cli.err;
  EXPECT_EQ(before_the_end,
            "[worker-0] one\n[worker-1] two\n[worker-0] three\n[worker-1] four\n[worker-0] six\n"
            "[worker-1] five, late\n");
  EXPECT_EQ(cli.out, before_the_end);
}

TEST(Logs, FollowsAcrossAReplacementOfThePod) {
  CommandRun cli;
  cli.server.put(kJobs + "/mnist", job("Running", 1));
  cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "running", "first"));
  const int code = cli.run(make_logs(), {"-f", "pj/mnist"},
                           {[&] { cli.server.log("mnist-worker-0", at(1, "first try")); },
                            [&] {
                              cli.server.end_log("mnist-worker-0");
                              cli.server.remove(kPods + "/mnist-worker-0");
                            },
                            [&] {
                              cli.server.new_log("mnist-worker-0");
                              cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "running", "second"));
                            },
                            [&] { cli.server.log("mnist-worker-0", at(5, "second try")); },
                            [&] {
                              cli.server.end_log("mnist-worker-0");
                              cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "terminated", "second"));
                              cli.server.put(kJobs + "/mnist", job("Succeeded", 1));
                            }});
  EXPECT_EQ(code, 0) << cli.err;
  EXPECT_EQ(cli.out, "first try\nsecond try\n");
}

TEST(Logs, LosesAndRepeatsNothingWhenTheServerGoesAway) {
  CommandRun cli;
  cli.server.put(kJobs + "/mnist", job("Running", 1));
  cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "running"));
  const int code = cli.run(make_logs(), {"-f", "pj/mnist"},
                           {[&] { cli.server.log("mnist-worker-0", at(1, "one") + at(2, "two")); },
                            [&] {
                              cli.server.break_streams();
                              cli.server.log("mnist-worker-0", at(2, "also two") + at(3, "three"));
                            },
                            [&] { cli.server.log("mnist-worker-0", at(4, "four")); },
                            [&] {
                              cli.server.end_log("mnist-worker-0");
                              cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "terminated"));
                              cli.server.put(kJobs + "/mnist", job("Succeeded", 1));
                            }});
  EXPECT_EQ(code, 0) << cli.err;
  EXPECT_EQ(cli.out, "one\ntwo\nalso two\nthree\nfour\n");
}

TEST(Logs, EndsWithTheFailureOfTheJob) {
  CommandRun cli;
  json::Document failed = job("Failed", 1);
  failed["status"]["conditions"] = *json::parse(R"([{"type":"Failed","status":"True","message":"exit code 1"}])");
  cli.server.put(kJobs + "/mnist", failed);
  cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "terminated"));
  cli.server.log("mnist-worker-0", at(1, "Traceback"));
  cli.server.end_log("mnist-worker-0");
  EXPECT_EQ(cli.run(make_logs(), {"-f", "pj/mnist"}), 1);
  EXPECT_EQ(cli.out, "Traceback\n");
  EXPECT_THAT(cli.err, HasSubstr("error: pytorchtrainingjob.batch.tensorstack.dev/mnist failed\n  why: exit code 1\n"));
}

TEST(Logs, DoesNotWaitForPodsThatOutliveTheJob) {
  CommandRun cli;
  cli.server.put(kJobs + "/mnist", job("Succeeded", 1));
  cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "running"));
  cli.server.log("mnist-worker-0", at(1, "still here"));
  EXPECT_EQ(cli.run(make_logs(), {"-f", "pj/mnist"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "still here\n");
}

TEST(Logs, FollowsBySelectorUntilAllPodsHaveEnded) {
  CommandRun cli;
  cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "running"));
  const int code = cli.run(make_logs(), {"-l", "tensorstack.dev/owner-name=mnist", "-f"},
                           {[&] { cli.server.log("mnist-worker-0", at(1, "x")); },
                            [&] {
                              cli.server.end_log("mnist-worker-0");
                              cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "terminated"));
                            }});
  EXPECT_EQ(code, 0) << cli.err;
  EXPECT_EQ(cli.out, "x\n");
}

TEST(Logs, FindsTheJobOfANameThatNoPodHas) {
  CommandRun cli;
  cli.server.put(kJobs + "/mnist", job("Succeeded", 1));
  cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "terminated"));
  cli.server.log("mnist-worker-0", "one\n");
  EXPECT_EQ(cli.run(make_logs(), {"mnist"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "one\n");
  EXPECT_EQ(cli.run(make_logs(), {"nothing"}), 3);
  EXPECT_THAT(cli.err, HasSubstr("error: no pod and no job \"nothing\" in namespace default\n"));
}

TEST(Logs, RefusesWhatMakesNoSense) {
  CommandRun cli;
  EXPECT_EQ(cli.run(make_logs(), {}), 2);
  EXPECT_EQ(cli.run(make_logs(), {"-f", "--previous", "a"}), 2);
  EXPECT_EQ(cli.run(make_logs(), {"-f", "--attempt=1", "a"}), 2);
  EXPECT_EQ(cli.run(make_logs(), {"--attempt=-1", "a"}), 2);
  EXPECT_EQ(cli.run(make_logs(), {"node/a"}), 2);
}

TEST(Logs, AnAttemptIsReadWithoutItsPod) {
  CommandRun cli;
  EXPECT_EQ(cli.run(make_logs(), {"a", "--attempt=2", "--fold", "--tail=5"}), 0);
  EXPECT_EQ(cli.server.requests.back(),
            "GET /apis/muster.dev/v1/namespaces/default/pods/a/attempts/2/log?container=&tailLines=5&fold=true");
}

const std::string kHistory =
    "/apis/muster.dev/v1/namespaces/default/jobs/pytorchtrainingjobs.batch.tensorstack.dev/mnist/pods";

json::Document remembered(const std::string& name, int attempt, bool exists, bool has_log = true) {
  json::Document of = pod(name, "terminated", name + "/" + std::to_string(attempt));
  return json::Object{{"attempt", attempt}, {"exists", exists}, {"hasLog", has_log}, {"pod", std::move(of)}};
}

json::Document history(bool exists, json::Array items) {
  return json::Object{{"metadata", json::Object{{"name", "mnist"}, {"uid", "uid-mnist"}}},
                      {"exists", exists},
                      {"removed", 2},
                      {"others", json::Array{"older"}},
                      {"items", std::move(items)}};
}

TEST(Logs, OfAJobIncludeThoseOfPodsThatCleanUpTook) {
  CommandRun cli;
  cli.server.put(kJobs + "/mnist", job("Succeeded"));
  cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "terminated"));
  cli.server.put(
      kHistory, history(true, {remembered("mnist-worker-0", 0, true), remembered("mnist-worker-1", 0, false),
                               remembered("mnist-worker-1", 1, false), remembered("mnist-worker-2", 0, false, false)}));
  cli.server.log("mnist-worker-0", at(1, "one"));
  cli.server.log("mnist-worker-1/0", at(2, "failed"));
  cli.server.log("mnist-worker-1/1", at(3, "two"));
  EXPECT_EQ(cli.run(make_logs(), {"mnist"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "[worker-0] one\n[worker-1] two\n");
  EXPECT_THAT(cli.server.requests,
              ::testing::Contains(HasSubstr("attempts/1/log?container=pytorch&uid=mnist-worker-1")));
  EXPECT_THAT(cli.err, HasSubstr("worker-2 has no log"));
  EXPECT_THAT(cli.err, HasSubstr("2 earlier pods of mnist"));
  cli.out.clear();
  EXPECT_EQ(cli.run(make_logs(), {"mnist", "--attempt=0"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "[worker-0] one\n[worker-1] failed\n");
  EXPECT_EQ(cli.run(make_logs(), {"mnist", "--attempt=7"}), kExitNotFound);
  cli.server.put(kHistory,
                 history(true, {remembered("mnist-worker-0", 0, true), remembered("mnist-worker-2", 0, false, false)}));
  cli.out.clear();
  EXPECT_EQ(cli.run(make_logs(), {"mnist"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "[worker-0] one\n") << "one of two has a log";
}

TEST(Logs, OfAnEmptyNameAreNotThoseOfAllPods) {
  CommandRun cli;
  cli.server.put(kPods + "/mnist-worker-0", pod("mnist-worker-0", "terminated"));
  EXPECT_EQ(cli.run(make_logs(), {""}), kExitUsage);
  EXPECT_THAT(cli.err, HasSubstr("the name of the pod or job is empty"));
}

TEST(Logs, OfADeletedJobAreFoundByItsName) {
  CommandRun cli;
  cli.server.put(kHistory, history(false, {remembered("mnist-worker-0", 0, false)}));
  cli.server.log("mnist-worker-0/0", "one\n");
  EXPECT_EQ(cli.run(make_logs(), {"mnist"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "one\n");
  EXPECT_THAT(cli.err, HasSubstr("mnist is deleted; its logs are still kept"));
  EXPECT_THAT(cli.err, HasSubstr("1 earlier job had the name mnist; for the last one: --earlier 1"));
  EXPECT_EQ(cli.run(make_logs(), {"pj/mnist"}), 0) << cli.err;
  EXPECT_EQ(cli.run(make_logs(), {"-f", "mnist"}), kExitNotFound) << "there is nothing to follow";
  cli.out.clear();
  EXPECT_EQ(cli.run(make_logs(), {"--earlier", "1", "mnist"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "one\n");
  EXPECT_THAT(cli.server.requests, ::testing::Contains("GET " + kHistory + "?uid=older"));
  EXPECT_EQ(cli.run(make_logs(), {"--earlier", "2", "mnist"}), kExitNotFound);
  EXPECT_THAT(cli.err, HasSubstr("--earlier 2: logs of 1 earlier job of \"mnist\" are kept"));
  EXPECT_EQ(cli.run(make_describe(), {"mnist"}), 0) << cli.err;
  EXPECT_THAT(cli.out, HasSubstr("Phase:"));
  EXPECT_THAT(cli.out, HasSubstr("mnist-worker-0 (deleted)"));
  EXPECT_EQ(cli.run(make_describe(), {"other"}), kExitNotFound);
}

}  // namespace
}  // namespace muster::cli
