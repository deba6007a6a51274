#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/find_program.h"
#include "python/python_layouts_for_tests.h"
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

class RunScript : public python::PythonLayouts {
 protected:
  RunScript() : folder(root + "/work"), python(install(root + "/python")) {
    std::filesystem::create_directories(folder);
  }

  RunFrom here() const { return {.working_dir = folder, .home = home, .path = root + "/python/bin"}; }
  json::Document container_made() {
    const auto job = *json::parse(cli.server.bodies.back());
    return job.array_at("spec", "replicaSpecs").front().array_at("template", "spec", "containers").front();
  }
  static std::string value_of(const json::Document& container, std::string_view variable) {
    for (const json::Document& entry : container.array_at("env")) {
      if (entry.string_at("name") == variable) return entry.string_at("value");
    }
    return "(not set)";
  }
  static std::vector<std::string> mounts_of(const json::Document& container) {
    std::vector<std::string> out;
    for (const json::Document& mount : container.array_at("volumeMounts")) {
      out.push_back(mount.string_at("mountPath") + (mount.bool_at("readOnly") ? " ro" : ""));
    }
    return out;
  }

  std::string folder;
  std::string python;
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
  EXPECT_EQ(json::serialize(*container.find("command")), "[\"" + python + "\",\"Train_v2.py\",\"--ranks\",\"9\"]");
  EXPECT_EQ(container.string_at("workingDir"), folder);
  EXPECT_EQ(container.string_at("resources", "limits", "nvidia.com/gpu"), "1");
  EXPECT_EQ(container.array_at("env").back().string_at("value"), "b=c");
  EXPECT_EQ(value_of(container, "LOCAL_RANK") + value_of(container, "NODE_RANK"), "0$(RANK)")
      << "each rank sees only its own GPU, which is number 0 to it";
  EXPECT_EQ(container.array_at("volumeMounts").front().string_at("mountPath"), folder);
}

TEST_F(RunScript, BringsTheActiveVirtualEnvironment) {
  std::ofstream(folder + "/train.py") << "";
  RunFrom from = here();
  const std::string venv = root + "/venv";
  from.python_environment = venv;
  EXPECT_EQ(cli.run(make_run(from), {"-d", "train.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr(venv + "/bin/python does not exist (active virtual environment); create"));
  environment(venv, python);
  EXPECT_EQ(cli.run(make_run(from), {"-d", "train.py"}), 0) << cli.err;
  EXPECT_THAT(cli.err, HasSubstr("python: " + venv + "/bin/python (active virtual environment)\n"));
  const json::Document container = container_made();
  EXPECT_EQ(json::serialize(*container.find("command")), "[\"" + venv + "/bin/python\",\"train.py\"]");
  EXPECT_THAT(mounts_of(container), ElementsAre(folder, root + "/python ro", venv + " ro"));
  EXPECT_EQ(value_of(container, "VIRTUAL_ENV"), venv);
  EXPECT_EQ(value_of(container, "PATH"), venv + "/bin:/run/muster/launchers:" + kUsualPath + ":/run/muster/bin");
}

TEST_F(RunScript, EnvironmentOfTheProjectNeedsNoMountOfItsOwn) {
  std::ofstream(folder + "/train.py") << "";
  environment(folder + "/.venv", python);
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "train.py"}), 0) << cli.err;
  EXPECT_THAT(mounts_of(container_made()), ElementsAre(folder, root + "/python ro"));
}

TEST_F(RunScript, SaysWhichPythonItTakes) {
  std::ofstream(folder + "/train.py") << "";
  std::ofstream(folder + "/train.sh") << "";
  const auto said = [&](const std::vector<std::string>& args) {
    cli.err.clear();
    EXPECT_EQ(cli.run(make_run(here()), args), 0);
    return cli.err;
  };
  EXPECT_EQ(said({"-d", "train.py"}), "python: " + python + " (first in PATH)\n");
  EXPECT_EQ(said({"-d", "--image=pytorch", "train.py"}), "python: that of image \"pytorch\"\n");
  EXPECT_EQ(said({"-d", "train.sh"}), "");
  EXPECT_EQ(value_of(container_made(), "PATH"),
            root + "/python/bin:/run/muster/launchers:" + kUsualPath + ":/run/muster/bin")
      << "a shell script may start Python";
}

TEST_F(RunScript, RunsModulesAndPrograms) {
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "-m", "pkg.train", "--name", "x"}), 0) << cli.err;
  EXPECT_EQ(json::serialize(*container_made().find("command")),
            "[\"" + python + "\",\"-m\",\"pkg.train\",\"--name\",\"x\"]");
  EXPECT_THAT(cli.server.bodies.back(), HasSubstr("\"generateName\":\"train-\""));
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "--", "python3", "-c", "1"}), 0) << cli.err;
  EXPECT_EQ(json::serialize(*container_made().find("command")), "[\"" + python + "\",\"-c\",\"1\"]");
  // A program that only the user's PATH has.
  std::filesystem::create_directories(root + "/tools");
  std::filesystem::copy_file("/bin/true", root + "/tools/mytool");
  RunFrom from = here();
  from.path += ":" + root + "/tools";
  EXPECT_EQ(cli.run(make_run(from), {"-d", "mytool", "--x"}), 0) << cli.err;
  EXPECT_THAT(mounts_of(container_made()), ElementsAre(folder, root + "/python ro", root + "/tools ro"));
  EXPECT_EQ(value_of(container_made(), "PATH"),
            root + "/python/bin:" + root + "/tools:/run/muster/launchers:" + kUsualPath + ":/run/muster/bin");
}

TEST_F(RunScript, RanksAreLocalRanksOfOneMachine) {
  std::ofstream(folder + "/train.py") << "";
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "--ranks=2", "train.py"}), 0) << cli.err;
  json::Document container = container_made();
  EXPECT_EQ(value_of(container, "LOCAL_RANK"), "$(RANK)");
  EXPECT_EQ(value_of(container, "LOCAL_WORLD_SIZE"), "$(WORLD_SIZE)");
  EXPECT_EQ(value_of(container, "GROUP_RANK") + value_of(container, "NODE_RANK"), "00");
  EXPECT_EQ(value_of(container, "OMP_NUM_THREADS"), "1");
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "--ranks=2", "-e", "OMP_NUM_THREADS=4", "train.py"}), 0) << cli.err;
  container = container_made();
  EXPECT_EQ(value_of(container, "OMP_NUM_THREADS"), "4");
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "train.py"}), 0) << cli.err;
  container = container_made();
  EXPECT_EQ(value_of(container, "OMP_NUM_THREADS"), "(not set)");
}

TEST_F(RunScript, PackagesOfTheUserAreFound) {
  std::ofstream(folder + "/train.py") << "";
  std::filesystem::create_directories(home + "/.local/lib/python3.12/site-packages");
  std::filesystem::create_directories(home + "/.local/bin");
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "train.py"}), 0) << cli.err;
  const json::Document container = container_made();
  EXPECT_EQ(value_of(container, "PYTHONUSERBASE"), home + "/.local");
  EXPECT_THAT(mounts_of(container), ElementsAre(folder, home + "/.local/bin ro",
                                                home + "/.local/lib/python3.12/site-packages ro", root + "/python ro"));
}

TEST_F(RunScript, RefusesWhatCannotBeMeant) {
  EXPECT_EQ(cli.run(make_run(here()), {}), 2);
  EXPECT_EQ(cli.run(make_run(here()), {"missing.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("missing.py: no such file in " + folder));
  EXPECT_EQ(cli.run(make_run(here()), {"--ranks=0", "x.py"}), 2);
  EXPECT_EQ(cli.run(make_run(here()), {"--env", "A", "x.py"}), 2);
  EXPECT_EQ(cli.run(make_run(here()), {"no-such-program", "x"}), 2);
  EXPECT_THAT(cli.err,
              HasSubstr("no-such-program: there is no such file in " + folder + " and no such program in PATH"));
  std::filesystem::create_directories(folder + "/pkg");
  EXPECT_EQ(cli.run(make_run(here()), {"pkg"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("pkg is a folder"));
  std::ofstream(folder + "/data.csv") << "1";
  EXPECT_EQ(cli.run(make_run(here()), {"data.csv"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("data.csv is not a program"));
  EXPECT_EQ(cli.run(make_run(here()), {"--ranks=2", "torchrun", "x.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("--ranks: torchrun starts its processes itself, got 2"));
  EXPECT_EQ(cli.run(make_run(here()), {"--python=/x", "--image=y", "x.py"}), 2);
  RunFrom at_home = here();
  at_home.working_dir = home;
  EXPECT_EQ(cli.run(make_run(at_home), {"x.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr(home + " is your home folder"));
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
  EXPECT_EQ(path_of("~/data"), home + "/data");
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
