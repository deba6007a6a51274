#include <gmock/gmock.h>

#include "testing/command_run.h"

namespace muster::cli {
namespace {

using ::testing::HasSubstr;

class TopCommand : public ::testing::Test {
 protected:
  /// `collection` is the one that the command lists: of a namespace, or of all.
  void add_pod(const std::string& collection, const std::string& name, const std::string& cpu,
               const std::string& memory) {
    const json::Document usage = json::Object{{"cpu", cpu}, {"memory", memory}};
    run_.server.put("/apis/metrics.k8s.io/v1beta1/" + collection + "/" + name,
                    json::Object{{"metadata", json::Object{{"name", name}, {"namespace", "default"}}},
                                 {"containers", json::Array{json::Object{{"name", "a"}, {"usage", usage}},
                                                            json::Object{{"name", "b"}, {"usage", usage}}}}});
  }
  int top(const std::vector<std::string>& args) { return run_.run(make_top(), args); }

  CommandRun run_;
};

TEST_F(TopCommand, SumsTheContainersOfAPod) {
  add_pod("namespaces/default/pods", "x", "125000000n", "1536Ki");
  EXPECT_EQ(top({}), kExitOk);
  EXPECT_EQ(run_.out,
            "NAME   CPU(cores)   MEMORY(bytes)\n"
            "x      250m         3Mi\n");
}

TEST_F(TopCommand, ContainersNamespacesAndTheSum) {
  add_pod("pods", "x", "100m", "1Mi");
  EXPECT_EQ(top({"pod", "-A", "--containers", "--sum"}), kExitOk);
  EXPECT_EQ(run_.out,
            "NAMESPACE   POD   NAME   CPU(cores)   MEMORY(bytes)\n"
            "default     x     a      100m         1Mi\n"
            "default     x     b      100m         1Mi\n"
            "                         ________     ________\n"
            "                         200m         2Mi\n");
}

TEST_F(TopCommand, TheHighestComesFirst) {
  add_pod("namespaces/default/pods", "a", "1m", "2Mi");
  add_pod("namespaces/default/pods", "b", "2m", "1Mi");
  EXPECT_EQ(top({"pods", "--sort-by=cpu", "--no-headers"}), kExitOk);
  EXPECT_EQ(run_.out, "b     4m    2Mi\na     2m    4Mi\n");
  run_.out.clear();
  EXPECT_EQ(top({"pods", "--sort-by=memory", "--no-headers"}), kExitOk);
  EXPECT_EQ(run_.out, "a     2m    4Mi\nb     4m    2Mi\n");
}

TEST_F(TopCommand, ANodeIsMeasuredByWhatItOffers) {
  run_.server.put("/apis/metrics.k8s.io/v1beta1/nodes/here",
                  json::Object{{"metadata", json::Object{{"name", "here"}}},
                               {"usage", json::Object{{"cpu", "500m"}, {"memory", "1Gi"}}}});
  run_.server.put(
      "/api/v1/nodes/here",
      json::Object{{"metadata", json::Object{{"name", "here"}}},
                   {"status", json::Object{{"allocatable", json::Object{{"cpu", "2"}, {"memory", "4Gi"}}}}}});
  EXPECT_EQ(top({"nodes"}), kExitOk);
  EXPECT_EQ(run_.out,
            "NAME   CPU(cores)   CPU(%)   MEMORY(bytes)   MEMORY(%)\n"
            "here   500m         25%      1024Mi          25%\n");
}

TEST_F(TopCommand, NothingToShow) {
  EXPECT_EQ(top({}), kExitOk);
  EXPECT_EQ(run_.err, "No resources found in default namespace.\n");
  EXPECT_EQ(top({"pods", "absent"}), kExitNotFound);
  EXPECT_THAT(run_.err, HasSubstr("no job \"absent\" in namespace default"));
}

TEST_F(TopCommand, AJobsNameMeansItsPods) {
  run_.server.put("/apis/kubeflow.org/v1/namespaces/default/pytorchjobs/mnist",
                  make_object("kubeflow.org/v1", "PyTorchJob", "mnist"));
  EXPECT_EQ(top({"mnist"}), kExitOk) << run_.err;
  EXPECT_THAT(run_.server.requests.back(), HasSubstr("labelSelector=training.kubeflow.org%2Fjob-name%3Dmnist"));
  EXPECT_EQ(top({"pods", "pytorchjob/mnist"}), kExitOk) << run_.err;
  EXPECT_THAT(run_.server.requests.back(), HasSubstr("job-name%3Dmnist"));
}

TEST_F(TopCommand, APodsOwnNameWins) {
  run_.server.put("/apis/kubeflow.org/v1/namespaces/default/pytorchjobs/mnist",
                  make_object("kubeflow.org/v1", "PyTorchJob", "mnist"));
  run_.server.put("/api/v1/namespaces/default/pods/mnist", make_object("v1", "Pod", "mnist"));
  add_pod("namespaces/default/pods", "mnist", "1m", "1Mi");
  EXPECT_EQ(top({"mnist", "--no-headers"}), kExitOk) << run_.err;
  EXPECT_EQ(run_.out, "mnist   2m    2Mi\n");
}

TEST_F(TopCommand, WrongWordsAreRefused) {
  EXPECT_EQ(top({"jobs"}), kExitUsage);
  EXPECT_THAT(run_.err, HasSubstr("must be pods or nodes, got \"jobs\""));
  EXPECT_EQ(top({"pods", "--sort-by=name"}), kExitUsage);
  EXPECT_THAT(run_.err, HasSubstr("--sort-by: must be cpu or memory, got \"name\""));
  EXPECT_EQ(top({"pods", "x", "-A"}), kExitUsage);
}

TEST_F(TopCommand, WatchShowsTheNumbersInTheSamePlace) {
  add_pod("namespaces/default/pods", "x", "1m", "1Mi");
  run_.terminal = true;
  const json::Document refusal = json::Object{{"kind", "Status"}, {"reason", "Forbidden"}, {"message", "enough"}};
  const auto refuse = [&] {
    run_.server.refuse("GET", "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods", 403, refusal);
  };
  EXPECT_NE(run_.run(make_top(), {"-w", "--no-headers"}, {refuse}), kExitOk);
  EXPECT_THAT(run_.out, HasSubstr("\033[H\033[Jx     2m    2Mi\n\033[H\033[Jx"));
  EXPECT_THAT(run_.err, HasSubstr("enough"));
}

TEST(Top, OfAJobThatHasEndedShowsWhatItUsed) {
  CommandRun cli;
  json::Document job = make_object("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", "mnist");
  job["status"]["phase"] = "Succeeded";
  cli.server.put("/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs/mnist", job);
  cli.server.put("/apis/muster.dev/v1/namespaces/default/jobs/pytorchtrainingjobs.batch.tensorstack.dev/mnist/pods",
                 *json::parse(R"({"metadata":{"uid":"uid-mnist"},"exists":true,"items":[)"
                              R"({"attempt":0,"pod":{"metadata":{"name":"mnist-worker-0","uid":"a"}}},)"
                              R"({"attempt":0,"pod":{"metadata":{"name":"mnist-worker-1","uid":"b"}}}]})"));
  cli.server.put("/apis/muster.dev/v1/namespaces/default/pods/mnist-worker-0/metrics",
                 *json::parse(R"({"series":[{"name":"cpu","values":[0.5,null,1.5]},)"
                              R"({"name":"memory","values":[1048576,null,3145728]}]})"));
  cli.server.refuse(
      "GET", "/apis/muster.dev/v1/namespaces/default/pods/mnist-worker-1/metrics", 404,
      *json::parse(R"({"kind":"Status","status":"Failure","reason":"NotFound","message":"x","code":404})"));
  EXPECT_EQ(cli.run(make_top(), {"mnist"}), 0) << cli.err;
  EXPECT_EQ(cli.out,
            "NAME       CPU(mean)   CPU(peak)   MEMORY(mean)   MEMORY(peak)\n"
            "worker-0   1000m       1500m       2Mi            3Mi\n");
  EXPECT_THAT(cli.err, ::testing::HasSubstr("pj/mnist has ended: what its replicas used"));
}

}  // namespace
}  // namespace muster::cli
