#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "testing/command_run.h"

namespace muster::cli {
namespace {

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
  EXPECT_EQ(cli.run(make_describe(), {"mnist"}), kExitNotFound);
  EXPECT_THAT(cli.err, HasSubstr("\"mnist\" is not a resource type; for the job of this name: job/mnist"));
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
            "NAME    KIND                 PHASE     REPLICAS   RESTARTS   AGE   REASON\n"
            "mnist   PyTorchTrainingJob   Pending   2          0          -\n"
            "other   PyTorchJob           Pending   0          0          -\n"
            "mnist   PyTorchTrainingJob   Running   2          0          -\n"
            "other   PyTorchJob           Running   0          1          -\n"
            "mnist   PyTorchTrainingJob   Deleted   2          0          -\n");
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
            "mnist   PyTorchTrainingJob   Pending   2     0     -\n"
            "mnist   PyTorchTrainingJob   Running   2     0     -\n");
}

class RunScript : public ::testing::Test {
 protected:
  RunScript() {
    std::string pattern = ::testing::TempDir() + "run-XXXXXX";
    folder = ::mkdtemp(pattern.data());
  }
  ~RunScript() override { std::filesystem::remove_all(folder); }

  RunFrom here() const { return {.working_dir = folder, .home = "/home/me", .python_environment = ""}; }

  std::string folder;
  CommandRun cli;
};

TEST_F(RunScript, MakesAJobOfIt) {
  std::ofstream(folder + "/Train_v2.py") << "";
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "--ranks", "2", "--gpus=1", "-e", "A=b=c", "Train_v2.py", "--ranks", "9"}),
            0)
      << cli.err;
  const auto claim = *json::parse(cli.server.bodies.at(1));
  EXPECT_EQ(claim.string_at("metadata", "annotations", "muster.dev/path"), folder);
  const auto job = *json::parse(cli.server.bodies.back());
  EXPECT_EQ(job.string_at("metadata", "generateName"), "train-v2-");
  const json::Document& role = job.array_at("spec", "replicaSpecs").front();
  EXPECT_EQ(role.int_at("replicas"), 2);
  const json::Document& container = role.array_at("template", "spec", "containers").front();
  EXPECT_EQ(json::serialize(*container.find("command")), R"(["python","Train_v2.py","--ranks","9"])");
  EXPECT_EQ(container.string_at("workingDir"), folder);
  EXPECT_EQ(container.string_at("resources", "limits", "nvidia.com/gpu"), "1");
  EXPECT_EQ(container.array_at("env").back().string_at("value"), "b=c");
  EXPECT_EQ(container.array_at("volumeMounts").front().string_at("mountPath"), folder);
}

TEST_F(RunScript, BringsTheActiveVirtualEnvironment) {
  std::ofstream(folder + "/train.py") << "";
  RunFrom from = here();
  const std::string venv = folder + "-venv";
  from.python_environment = venv;
  EXPECT_EQ(cli.run(make_run(from), {"-d", "train.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("the active virtual environment " + venv + " has no bin/python"));
  std::filesystem::create_directories(venv + "/bin");
  std::filesystem::create_symlink("/bin/sh", venv + "/bin/python");
  EXPECT_EQ(cli.run(make_run(from), {"-d", "train.py"}), 0) << cli.err;
  std::filesystem::remove_all(venv);
  EXPECT_THAT(cli.err, HasSubstr("python: " + venv + "/bin/python (active virtual environment)\n"));
  const auto job = *json::parse(cli.server.bodies.back());
  const json::Document& role = job.array_at("spec", "replicaSpecs").front();
  const json::Document& container = role.array_at("template", "spec", "containers").front();
  EXPECT_EQ(json::serialize(*container.find("command")), "[\"" + venv + "/bin/python\",\"train.py\"]");
  EXPECT_EQ(container.array_at("volumeMounts").back().string_at("mountPath"), venv);
}

TEST_F(RunScript, SaysWhichPythonItTakes) {
  std::ofstream(folder + "/train.py") << "";
  std::ofstream(folder + "/train.sh") << "";
  RunFrom from = here();
  from.machine_python = "/usr/bin/python3";
  const auto said = [&](const std::vector<std::string>& args) {
    cli.err.clear();
    EXPECT_EQ(cli.run(make_run(from), args), 0);
    return cli.err;
  };
  EXPECT_EQ(said({"-d", "train.py"}),
            "python: /usr/bin/python3 (the machine's own; no virtual environment is active)\n");
  EXPECT_EQ(said({"-d", "--image=pytorch", "train.py"}), "python: that of image \"pytorch\"\n");
  EXPECT_EQ(said({"-d", "train.sh"}), "");
}

TEST_F(RunScript, RefusesWhatCannotBeMeant) {
  EXPECT_EQ(cli.run(make_run(here()), {}), 2);
  EXPECT_EQ(cli.run(make_run(here()), {"missing.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("missing.py: no such file in " + folder));
  EXPECT_EQ(cli.run(make_run(here()), {"--ranks=0", "x.py"}), 2);
  EXPECT_EQ(cli.run(make_run(here()), {"--env", "A", "x.py"}), 2);
  RunFrom home = here();
  home.working_dir = home.home;
  EXPECT_EQ(cli.run(make_run(home), {"x.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("/home/me is your home folder"));
  EXPECT_TRUE(cli.server.requests.empty());
}

TEST_F(RunScript, AVolumesFolderIsMadeAbsolute) {
  const auto path_of = [&](const std::string& typed) {
    EXPECT_EQ(cli.run(make_volume(here()), {"create", "v", "--path=" + typed}), 0) << cli.err;
    const auto claim = *json::parse(cli.server.bodies.back());
    cli.server.remove("/api/v1/namespaces/default/persistentvolumeclaims/v");
    return claim.string_at("metadata", "annotations", "muster.dev/path");
  };
  EXPECT_EQ(path_of("/srv/data/"), "/srv/data");
  EXPECT_EQ(path_of("."), folder);
  EXPECT_EQ(path_of("sets/../data"), folder + "/data");
  EXPECT_EQ(path_of("~/data"), "/home/me/data");
}

TEST_F(RunScript, AVolumesFolderThatTheServerRefusesIsReportedAsTheFlag) {
  cli.server.refuse("POST", "/api/v1/namespaces/default/persistentvolumeclaims", 422,
                    *json::parse(R"({"kind":"Status","reason":"Invalid","code":422,"message":"is invalid",
    "details":{"causes":[{"field":"metadata.annotations.muster.dev/path","message":"Invalid value: \"/x\": must be a folder that exists"}]}})"));
  EXPECT_EQ(cli.run(make_volume(here()), {"create", "v", "--path=/x"}), 1);
  EXPECT_EQ(cli.err, "error: --path: \"/x\": must be a folder that exists\n");
}

}  // namespace
}  // namespace muster::cli
