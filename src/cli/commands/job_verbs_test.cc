#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/command_run.h"

namespace muster::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kTensorStackJobs = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs";
const std::string kKubeflowJobs = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs";

json::Document training_job(const std::string& phase) {
  json::Document out = make_object("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", "mnist");
  out["metadata"]["annotations"] = json::Object{{"kubectl.kubernetes.io/last-applied-configuration", "x"}, {"a", "b"}};
  out["spec"]["replicaSpecs"] = json::Array{json::Object{{"type", "worker"}, {"replicas", 2}}};
  out["status"]["phase"] = phase;
  return out;
}

json::Document kubeflow_job() {
  json::Document out = make_object("kubeflow.org/v1", "PyTorchJob", "mnist");
  out["spec"]["runPolicy"]["suspend"] = true;
  return out;
}

TEST(JobVerbs, PauseAndResumeAJobByItsName) {
  CommandRun cli;
  cli.server.put(kTensorStackJobs + "/mnist", training_job("Running"));
  EXPECT_EQ(cli.run(make_pause(), {"mnist"}), 0) << cli.err;
  const json::Document* job = cli.server.find(kTensorStackJobs + "/mnist");
  EXPECT_TRUE(job->bool_at("spec", "runMode", "pause", "enabled"));
  EXPECT_EQ(cli.run(make_pause(), {"pj/mnist"}), 0);
  EXPECT_EQ(cli.run(make_resume(), {"pj", "mnist"}), 0);
  EXPECT_FALSE(cli.server.find(kTensorStackJobs + "/mnist")->bool_at("spec", "runMode", "pause", "enabled"));
  EXPECT_EQ(cli.out,
            "pytorchtrainingjob.batch.tensorstack.dev/mnist paused\n"
            "pytorchtrainingjob.batch.tensorstack.dev/mnist is already paused\n"
            "pytorchtrainingjob.batch.tensorstack.dev/mnist resumed\n");
}

TEST(JobVerbs, ResumeAJobOfKubeflowByItsOwnField) {
  CommandRun cli;
  cli.server.put(kKubeflowJobs + "/mnist", kubeflow_job());
  EXPECT_EQ(cli.run(make_resume(), {"mnist"}), 0) << cli.err;
  EXPECT_FALSE(cli.server.find(kKubeflowJobs + "/mnist")->bool_at("spec", "runPolicy", "suspend"));
}

TEST(JobVerbs, AskWhichJobWhenTwoHaveTheName) {
  CommandRun cli;
  cli.server.put(kTensorStackJobs + "/mnist", training_job("Running"));
  cli.server.put(kKubeflowJobs + "/mnist", kubeflow_job());
  EXPECT_EQ(cli.run(make_pause(), {"mnist"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("several jobs are named \"mnist\""));
  EXPECT_THAT(cli.err, HasSubstr("pj/mnist, pytorchjob/mnist"));
}

TEST(JobVerbs, SuggestTheJobThatWasMeant) {
  CommandRun cli;
  cli.server.put(kTensorStackJobs + "/mnist", training_job("Running"));
  EXPECT_EQ(cli.run(make_stop(), {"mnits"}), 3);
  EXPECT_THAT(cli.err, HasSubstr("no job \"mnits\" in namespace default; did you mean \"mnist\"?"));
}

TEST(JobVerbs, DoNothingToAJobThatHasEnded) {
  CommandRun cli;
  cli.server.put(kTensorStackJobs + "/mnist", training_job("Succeeded"));
  EXPECT_EQ(cli.run(make_pause(), {"mnist"}), 1);
  EXPECT_THAT(cli.err, HasSubstr("cannot pause mnist: the job has ended (Succeeded)"));
  EXPECT_EQ(cli.run(make_stop(), {"mnist"}), 0);
}

TEST(JobVerbs, StopMarksTheJob) {
  CommandRun cli;
  cli.server.put(kTensorStackJobs + "/mnist", training_job("Running"));
  EXPECT_EQ(cli.run(make_stop(), {"mnist"}), 0);
  const json::Document* job = cli.server.find(kTensorStackJobs + "/mnist");
  EXPECT_EQ(job->string_at("metadata", "annotations", "muster.dev/stop"), "true");
}

TEST(JobVerbs, TakeSeveralJobs) {
  CommandRun cli;
  cli.server.put(kTensorStackJobs + "/mnist", training_job("Running"));
  cli.server.put(kKubeflowJobs + "/other", make_object("kubeflow.org/v1", "PyTorchJob", "other"));
  EXPECT_EQ(cli.run(make_stop(), {"mnist", "other"}), 0) << cli.err;
  EXPECT_EQ(cli.out,
            "pytorchtrainingjob.batch.tensorstack.dev/mnist is being stopped\n"
            "pytorchjob.kubeflow.org/other is being stopped\n");
  EXPECT_EQ(cli.run(make_pause(), {"jobs", "mnist", "other"}), 0) << cli.err;
  EXPECT_EQ(cli.run(make_pause(), {"mnist", "nope"}), kExitNotFound);
  EXPECT_EQ(cli.run(make_pause(), {}), kExitUsage);
}

TEST(JobVerbs, DeleteAndDescribeTakeNamesOfJobs) {
  CommandRun cli;
  cli.server.put(kTensorStackJobs + "/mnist", training_job("Running"));
  cli.server.put(kKubeflowJobs + "/other", make_object("kubeflow.org/v1", "PyTorchJob", "other"));
  EXPECT_EQ(cli.run(make_describe(), {"mnist", "other"}), 0) << cli.err;
  EXPECT_THAT(cli.out, HasSubstr("PyTorchTrainingJob"));
  EXPECT_THAT(cli.out, HasSubstr("PyTorchJob (kubeflow.org/v1)"));
  EXPECT_EQ(cli.run(make_delete(), {"mnits"}), kExitNotFound);
  EXPECT_THAT(cli.err, HasSubstr("did you mean \"mnist\"?"));
  EXPECT_EQ(cli.run(make_delete(), {"mnist", "nope"}), kExitNotFound);
  EXPECT_EQ(cli.server.find(kTensorStackJobs + "/mnist")->at("metadata", "deletionTimestamp"), nullptr)
      << "all names are looked up before anything goes";
  EXPECT_EQ(cli.run(make_delete(), {"mnist", "other", "--wait=false"}), 0) << cli.err;
  EXPECT_NE(cli.server.find(kTensorStackJobs + "/mnist")->at("metadata", "deletionTimestamp"), nullptr);
  EXPECT_NE(cli.server.find(kKubeflowJobs + "/other")->at("metadata", "deletionTimestamp"), nullptr);
}

TEST(JobVerbs, DeleteAsksWhichJobWhenTwoHaveTheName) {
  CommandRun cli;
  cli.server.put(kTensorStackJobs + "/mnist", training_job("Running"));
  cli.server.put(kKubeflowJobs + "/mnist", kubeflow_job());
  EXPECT_EQ(cli.run(make_delete(), {"mnist"}), kExitUsage);
  EXPECT_THAT(cli.err, HasSubstr("several jobs are named \"mnist\"; name one of them: pj/mnist, pytorchjob/mnist"));
  EXPECT_EQ(cli.server.find(kTensorStackJobs + "/mnist")->at("metadata", "deletionTimestamp"), nullptr);
}

TEST(JobVerbs, RerunReplacesTheArgumentsOfTheScript) {
  CommandRun cli;
  json::Document job = training_job("Succeeded");
  job["spec"]["replicaSpecs"].as_array()[0]["template"] =
      *json::parse(R"({"spec":{"containers":[{"name":"pytorch","command":["python","train.py","--lr","0.1"]}]}})");
  cli.server.put(kTensorStackJobs + "/mnist", job);
  EXPECT_EQ(cli.run(make_rerun(), {"mnist", "--", "--lr", "0.2", "--name", "x"}), 0) << cli.err;
  const auto body = *json::parse(cli.server.bodies.back());
  EXPECT_EQ(
      json::serialize(body.array_at("spec", "replicaSpecs")[0].at("template", "spec", "containers")->as_array()[0]),
      R"({"name":"pytorch","command":["python","train.py","--lr","0.2","--name","x"]})");
  EXPECT_EQ(cli.run(make_rerun(), {"mnist", "--name=bare", "--"}), 0) << "no arguments";
  const auto bare = *json::parse(cli.server.bodies.back());
  EXPECT_THAT(json::serialize(bare), HasSubstr(R"("command":["python","train.py"])"));
}

TEST(JobVerbs, CompareShowsInWhatJobsDiffer) {
  CommandRun cli;
  for (const char* lr : {"0.1", "0.2"}) {
    json::Document job = training_job("Succeeded");
    const std::string name = std::string("mnist-") + lr[2];
    job["metadata"]["name"] = name;
    job["spec"]["replicaSpecs"].as_array()[0]["template"] = *json::parse(
        std::string(
            R"({"spec":{"containers":[{"name":"pytorch","image":"host","command":["python","train.py","--lr",")") +
        lr + R"("]}]}})");
    cli.server.put(kTensorStackJobs + "/" + name, job);
    cli.server.put(
        "/apis/muster.dev/v1/namespaces/default/jobs/pytorchtrainingjobs.batch.tensorstack.dev/" + name + "/scalars",
        *json::parse(std::string(R"({"runs":[{"name":".","series":[{"tag":"loss","points":[[1,0,)") + lr + "]]}]}]}"));
  }
  EXPECT_EQ(cli.run(make_compare(), {"mnist-1", "mnist-2"}), 0) << cli.err;
  EXPECT_EQ(cli.out,
            "               mnist-1   mnist-2\n"
            "--lr           0.1       0.2\n"
            "loss, last     0.1       0.2\n"
            "loss, lowest   0.1       0.2\n");
  EXPECT_EQ(cli.run(make_compare(), {"mnist-1", "mnist-2", "--all"}), 0);
  EXPECT_THAT(cli.out, HasSubstr("python train.py"));
  cli.out.clear();
  cli.server.put(
      "/apis/muster.dev/v1/namespaces/default/jobs/pytorchtrainingjobs.batch.tensorstack.dev/mnist-2/scalars",
      *json::parse(R"({"runs":[],"problems":["runs/\u001b[31m: is damaged from byte 7"]})"));
  EXPECT_EQ(cli.run(make_compare(), {"mnist-1", "mnist-2", "-o", "json"}), 0);
  EXPECT_THAT(cli.err, HasSubstr("warning: curves of mnist-2: runs/\\x1b[31m: is damaged from byte 7\n"));
  EXPECT_EQ(json::parse(cli.out)->array_at("items").front().string_at("name"), "--lr");
  EXPECT_EQ(cli.run(make_compare(), {"mnist-1"}), kExitUsage);
  EXPECT_EQ(cli.run(make_compare(), {"mnist-1", "mnist-1"}), 0);
  EXPECT_THAT(cli.err, HasSubstr("the jobs do not differ"));
}

TEST(JobVerbs, RerunMakesACopyOfWhatItsAuthorWrote) {
  CommandRun cli;
  json::Document job = training_job("Failed");
  job["spec"]["runMode"]["pause"]["enabled"] = true;
  cli.server.put(kTensorStackJobs + "/mnist", job);
  EXPECT_EQ(cli.run(make_rerun(), {"mnist"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "pytorchtrainingjob.batch.tensorstack.dev/mnist-2 created\n");
  const auto body = *json::parse(cli.server.bodies.back());
  EXPECT_EQ(json::serialize(*body.find("metadata")), R"({"name":"mnist-2","annotations":{"a":"b"}})");
  EXPECT_EQ(body.at("spec", "runMode", "pause"), nullptr);
  EXPECT_EQ(body.find("status"), nullptr);
}

TEST(JobVerbs, RerunKeepsTheSecretsOfTheOldJob) {
  CommandRun cli;
  json::Document job = training_job("Failed");
  job["metadata"]["uid"] = "u-1";
  job["metadata"]["annotations"]["muster.dev/notify"] = "team, secret/notify-x";
  cli.server.put(kTensorStackJobs + "/mnist", job);
  const std::string secrets = "/api/v1/namespaces/default/secrets/";
  json::Document secret = make_object("v1", "Secret", "notify-x");
  secret["metadata"]["ownerReferences"] = *json::parse(R"([{"kind":"PyTorchTrainingJob","name":"mnist","uid":"u-1"}])");
  cli.server.put(secrets + "notify-x", secret);
  EXPECT_EQ(cli.run(make_rerun(), {"mnist"}), 0) << cli.err;
  const auto& owners = cli.server.find(secrets + "notify-x")->array_at("metadata", "ownerReferences");
  ASSERT_EQ(owners.size(), 2U);
  EXPECT_EQ(owners[1].string_at("name"), "mnist-2");
  cli.server.refuse("GET", secrets + "notify-x", 500, *json::parse(R"({"kind":"Status","message":"broken"})"));
  EXPECT_EQ(cli.run(make_rerun(), {"mnist"}), 0) << "the job exists";
  EXPECT_THAT(cli.err, HasSubstr("warning: mnist-3 uses Secrets that are deleted with mnist: broken"));
}

TEST(JobVerbs, ScaleChangesElasticJobsOnly) {
  CommandRun cli;
  json::Document job = training_job("Running");
  cli.server.put(kTensorStackJobs + "/mnist", job);
  EXPECT_EQ(cli.run(make_scale(), {"mnist", "4"}), 1);
  EXPECT_THAT(cli.err, HasSubstr("cannot scale mnist: the job is not elastic"));
  job["spec"]["elastic"]["enabled"] = true;
  cli.server.put(kTensorStackJobs + "/mnist", job);
  EXPECT_EQ(cli.run(make_scale(), {"mnist", "4"}), 0) << cli.err;
  EXPECT_EQ(cli.server.find(kTensorStackJobs + "/mnist")->int_at("spec", "elastic", "expectedReplicas"), 4);
  EXPECT_EQ(cli.run(make_scale(), {"mnist", "many"}), 2);
}

TEST(GetJobs, ShowsAllKindsAndWhyTheyFailedOrWait) {
  CommandRun cli;
  json::Document failed = training_job("Failed");
  failed["status"]["conditions"] = *json::parse(R"([{"type":"Failed","status":"True","message":"exit code 1"}])");
  failed["status"]["backoffCount"] = 3;
  cli.server.put(kTensorStackJobs + "/mnist", failed);
  cli.server.put(kKubeflowJobs + "/other", make_object("kubeflow.org/v1", "PyTorchJob", "other"));
  EXPECT_EQ(cli.run(make_get(), {"jobs"}), 0) << cli.err;
  EXPECT_EQ(cli.out,
            "NAME    PHASE     ARGUMENTS   PROGRESS   GPUS   DURATION   REASON\n"
            "mnist   Failed    -           -          -      -          exit code 1\n"
            "other   Pending   -           -          -      -\n");
  cli.out.clear();
  EXPECT_EQ(cli.run(make_get(), {"jobs", "-o", "wide"}), 0) << cli.err;
  EXPECT_THAT(cli.out, HasSubstr("NAME    KIND                 PHASE     REPLICAS   RESTARTS   AGE"));
  EXPECT_THAT(cli.out, HasSubstr("mnist   PyTorchTrainingJob   Failed    2          3"));
  EXPECT_THAT(cli.out, HasSubstr("exit code 1"));
  EXPECT_THAT(cli.out, HasSubstr("other   PyTorchJob           Pending   0"));
}

TEST(GetJobs, SaysTheSameHoweverTheJobsAreNamed) {
  CommandRun cli;
  cli.server.put(kTensorStackJobs + "/mnist", training_job("Running"));
  cli.server.put(kKubeflowJobs + "/other", make_object("kubeflow.org/v1", "PyTorchJob", "other"));
  ASSERT_EQ(cli.run(make_get(), {"jobs"}), 0) << cli.err;
  const std::string all = cli.out;
  using Words = std::vector<std::string>;
  for (const Words& words : {Words{"job"}, {"jobs", "mnist", "other"}, {"job/other", "jobs/mnist"}}) {
    cli.out.clear();
    EXPECT_EQ(cli.run(make_get(), words), 0) << cli.err;
    EXPECT_EQ(cli.out, all) << words.front();
  }
  EXPECT_EQ(cli.run(make_get(), {"jobs", "mnist", "nope"}), kExitNotFound);
  EXPECT_EQ(cli.run(make_get(), {"jobs", "--show-labels"}), kExitUsage) << "they would have no effect";
  cli.out.clear();
  EXPECT_EQ(cli.run(make_get(), {"mnist", "-o", "name"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "pytorchtrainingjob.batch.tensorstack.dev/mnist\n");
  EXPECT_EQ(cli.run(make_get(), {"jobs", "mnist,other"}), kExitUsage);
  EXPECT_THAT(cli.err, HasSubstr("separate several names with spaces: mnist other"));
}

TEST(GetJobs, WatchesAllKindsAndPrintsARowForEachChange) {
  CommandRun cli;
  const json::Document other = make_object("kubeflow.org/v1", "PyTorchJob", "other");
  cli.server.put(kTensorStackJobs + "/mnist", training_job("Pending"));
  cli.server.put(kKubeflowJobs + "/other", other);
  json::Document restarted = other;
  restarted["status"] = *json::parse(R"({"restartCount":1,"conditions":[{"type":"Running","status":"True"}]})");
  const int code =
      cli.run(make_get(), {"jobs", "-w"},
              {[&] { cli.server.put(kTensorStackJobs + "/mnist", training_job("Running")); },
               [&] { cli.server.put(kTensorStackJobs + "/mnist", training_job("Running")); },
               [&] { cli.server.put(kKubeflowJobs + "/other", restarted); }, [&] { cli.server.break_streams(); },
               [&] { cli.server.remove(kTensorStackJobs + "/mnist"); }});
  EXPECT_EQ(code, kExitInterrupted) << cli.err;
  EXPECT_EQ(cli.out,
            "NAME    PHASE     ARGUMENTS   PROGRESS   GPUS   DURATION   REASON\n"
            "mnist   Pending   -           -          -      -\n"
            "other   Pending   -           -          -      -\n"
            "mnist   Running   -           -          -      -\n"
            "other   Running   -           -          -      -\n"
            "mnist   Deleted   -           -          -      -\n");
}

TEST(GetJobs, WatchesOneJobOfAnyKind) {
  CommandRun cli;
  cli.server.put(kTensorStackJobs + "/mnist", training_job("Pending"));
  cli.server.put(kKubeflowJobs + "/other", make_object("kubeflow.org/v1", "PyTorchJob", "other"));
  EXPECT_EQ(cli.run(make_get(), {"jobs", "mnits", "-w"}), kExitNotFound);
  EXPECT_THAT(cli.err, HasSubstr("did you mean \"mnist\"?"));
  EXPECT_EQ(cli.run(make_get(), {"jobs", "mnist", "-w", "--no-headers"},
                    {[&] { cli.server.put(kTensorStackJobs + "/mnist", training_job("Running")); }}),
            kExitInterrupted);
  EXPECT_EQ(cli.out,
            "mnist   Pending   -     -     -     -\n"
            "mnist   Running   -     -     -     -\n");
}

}  // namespace
}  // namespace muster::cli
