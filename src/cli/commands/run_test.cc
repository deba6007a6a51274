#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/find_program.h"
#include "python/python_layouts_for_tests.h"
#include "testing/command_run.h"

namespace muster::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kTrainingJobs = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs";
const std::string kCore = "/api/v1/namespaces/default/";

class RunScript : public python::PythonLayouts {
 protected:
  RunScript() : folder(root + "/work"), python(install(root + "/python")) {
    std::filesystem::create_directories(folder);
  }

  RunFrom here() const { return {.working_dir = folder, .home = home, .path = root + "/python/bin"}; }
  /// The last object that was created below a path of the API.
  json::Document made(std::string_view plural) {
    for (std::size_t i = cli.server.requests.size(); i-- > 0;) {
      const std::string& request = cli.server.requests[i];
      if (request.starts_with("POST ") && request.find(plural) != std::string::npos) {
        return *json::parse(cli.server.bodies[i]);
      }
    }
    return {};
  }
  json::Document job_made() { return made("/pytorchtrainingjobs"); }
  json::Document container_made() {
    return job_made().array_at("spec", "replicaSpecs").front().array_at("template", "spec", "containers").front();
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
      if (mount.string_at("mountPath") == "/root") continue;  // the home that the engine keeps
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
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "--ranks", "2", "--gpus=4", "-e", "A=b=c", "Train_v2.py", "--ranks", "9"}),
            0)
      << cli.err;
  const auto claim = *json::parse(cli.server.bodies.at(1));
  EXPECT_EQ(made("/persistentvolumeclaims").string_at("metadata", "name"), "home") << "caches outlive the job";
  EXPECT_EQ(claim.string_at("metadata", "annotations", "muster.dev/path"), folder);
  const json::Document job = job_made();
  EXPECT_EQ(job.string_at("metadata", "generateName"), "train-v2-");
  const json::Document& role = job.array_at("spec", "replicaSpecs").front();
  EXPECT_EQ(role.int_at("replicas"), 2);
  const json::Document& container = role.array_at("template", "spec", "containers").front();
  EXPECT_EQ(json::serialize(*container.find("command")), "[\"" + python + "\",\"Train_v2.py\",\"--ranks\",\"9\"]");
  EXPECT_EQ(container.string_at("workingDir"), folder);
  EXPECT_EQ(container.string_at("resources", "limits", "nvidia.com/gpu"), "2") << "of the four of the job";
  EXPECT_EQ(container.array_at("env").back().string_at("value"), "b=c");
  EXPECT_EQ(value_of(container, "TORCHELASTIC_RUN_ID"), "muster") << "Lightning starts ranks of its own otherwise";
  EXPECT_EQ(value_of(container, "LOCAL_RANK") + value_of(container, "NODE_RANK"), "$(RANK)0")
      << "each rank sees all GPUs of the job";
  EXPECT_EQ(role.string_at("template", "metadata", "annotations", "muster.dev/local-ranks"), "true");
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
  EXPECT_EQ(said({"-d", "--image=pytorch", "train.sh"}), "python: that of image \"pytorch\"\n");
  EXPECT_EQ(said({"-d", "train.sh"}), "python: " + python + " (first in PATH)\n") << "a shell script may start it";
  EXPECT_EQ(value_of(container_made(), "PATH"),
            root + "/python/bin:/run/muster/launchers:" + kUsualPath + ":/run/muster/bin");
}

TEST_F(RunScript, SaysThatGpusStayUnused) {
  std::ofstream(folder + "/train.py") << "";
  std::ofstream(folder + "/train.sh") << "";
  std::filesystem::create_directories(root + "/tools");
  std::filesystem::copy_file("/bin/true", root + "/tools/torchrun");
  auto node = make_object("v1", "Node", "here");
  node["status"]["allocatable"]["nvidia.com/gpu"] = "2";
  cli.server.put("/api/v1/nodes/here", std::move(node));
  RunFrom from = here();
  from.path += ":" + root + "/tools";
  const auto said = [&](const std::vector<std::string>& args) {
    cli.err.clear();
    EXPECT_EQ(cli.run(make_run(from), args), 0) << cli.err;
    return cli.err;
  };
  const std::string unused = ", no GPU (this machine has 2: muster run --gpus N)\n";
  for (const char* program : {"train.py", "train.sh", "torchrun"}) {
    EXPECT_EQ(said({"-d", program}), "python: " + python + " (first in PATH)" + unused);
  }
  EXPECT_EQ(said({"-d", "--gpus=2", "torchrun", "train.py"}), "python: " + python + " (first in PATH), 2 GPUs\n");
  EXPECT_EQ(said({"-d", "--image=pytorch", "train.sh"}), "python: that of image \"pytorch\"" + unused);
}

TEST_F(RunScript, ChecksWhatItCanBeforeItAsksAServer) {
  std::ofstream(folder + "/train.py") << "";
  const auto problem = [&](const std::vector<std::string>& args) {
    const auto command = make_run(here());
    Flags flags;
    command->add_flags(flags);
    const auto failure = command->check(*flags.parse(args));
    return failure ? failure->what : "";
  };
  EXPECT_EQ(problem({"train.py"}), "");
  EXPECT_THAT(problem({"trian.py"}), HasSubstr("did you mean \"train.py\"?"));
  EXPECT_THAT(problem({"--mount=/no/such", "train.py"}), HasSubstr("/no/such"));
  EXPECT_THAT(problem({"--python=/no/such", "train.py"}), HasSubstr("/no/such"));
}

TEST_F(RunScript, RunsModulesAndPrograms) {
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "-m", "pkg.train", "--name", "x"}), 0) << cli.err;
  EXPECT_EQ(json::serialize(*container_made().find("command")),
            "[\"" + python + "\",\"-m\",\"pkg.train\",\"--name\",\"x\"]");
  EXPECT_EQ(job_made().string_at("metadata", "generateName"), "train-");
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
  EXPECT_EQ(cli.run(make_run(here()), {"--ranks=100000", "x.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("--ranks: must be 1 to 10000, got 100000"));
  EXPECT_EQ(cli.run(make_run(here()), {"--nproc-per-node=auto", "x.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("got \"auto\"; muster run --gpus N starts one rank on each of N GPUs"));
  EXPECT_EQ(cli.run(make_run(here()), {"--notify=ftp://user:word@x", "y.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("a URL of http or https, got one of \"ftp\""));
  EXPECT_THAT(cli.err, Not(HasSubstr("word")));
  EXPECT_EQ(cli.run(make_run(here()), {"--ranks=3", "--gpus=8", "--", "python", "-c", "1"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("8 GPUs cannot be divided among 3 ranks, because 8 = 3 * 2 + 2"));
  EXPECT_THAT(cli.err, HasSubstr("--gpus 9, or --ranks 1, 2, 4 or 8"));
  EXPECT_EQ(cli.run(make_run(here()), {"--ranks=7", "--gpus=9000000000000000000", "--", "python", "-c", "1"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("--gpus: must be 0 to 4096, got 9000000000000000000"));
  EXPECT_EQ(cli.run(make_run(here()), {"--memory=4", "--", "python", "-c", "1"}), 2);
  EXPECT_THAT(cli.err, HasSubstr(R"(--memory: must be 1Mi or more, got "4"; did you mean 4Gi?)"));
  EXPECT_EQ(cli.run(make_run(here()), {"no-such-program", "x"}), 2);
  EXPECT_THAT(cli.err,
              HasSubstr("no-such-program: there is no such file in " + folder + " and no such program in PATH"));
  std::filesystem::create_directories(folder + "/pkg");
  EXPECT_EQ(cli.run(make_run(here()), {"pkg"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("pkg is a folder"));
  std::ofstream(folder + "/data.csv") << "1";
  EXPECT_EQ(cli.run(make_run(here()), {"data.csv"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("data.csv is not a program"));
  EXPECT_EQ(cli.run(make_run(here()), {"torchrun", "x.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("x.py: no such file in " + folder));
  std::ofstream(folder + "/y.py") << "";
  EXPECT_EQ(cli.run(make_run(here()), {"--ranks=2", "torchrun", "y.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("--ranks: torchrun starts its processes itself, got 2"));
  EXPECT_EQ(cli.run(make_run(here()), {"--python=/x", "--image=y", "x.py"}), 2);
  RunFrom at_home = here();
  at_home.working_dir = home;
  EXPECT_EQ(cli.run(make_run(at_home), {"x.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr(home + ": it is your home folder"));
  EXPECT_TRUE(cli.server.requests.empty());
}

TEST_F(RunScript, TakesARankForEachGpuUnlessALauncherStartsThem) {
  std::ofstream(folder + "/train.py") << "";
  const auto replicas_and_gpus = [&](const std::vector<std::string>& args) {
    EXPECT_EQ(cli.run(make_run(here()), args), 0) << cli.err;
    const json::Document job = job_made();
    return fmt::format("{} ranks of {}", job.array_at("spec", "replicaSpecs").front().int_at("replicas"),
                       container_made().string_at("resources", "limits", "nvidia.com/gpu"));
  };
  EXPECT_EQ(replicas_and_gpus({"-d", "--gpus=4", "train.py"}), "4 ranks of 1");
  EXPECT_EQ(replicas_and_gpus({"-d", "--gpus=4", "--ranks=1", "train.py"}), "1 ranks of 4");
  EXPECT_EQ(replicas_and_gpus({"-d", "--gpus=4", "-m", "torch.distributed.run", "train.py"}), "1 ranks of 4");
  EXPECT_EQ(value_of(container_made(), "LOCAL_RANK"), "(not set)") << "the launcher sets it";
  EXPECT_EQ(cli.run(make_run(here()), {"--gpus=4", "--ranks=2", "-m", "torch.distributed.run", "train.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("torch.distributed.run starts its processes itself, got 2"));
}

TEST_F(RunScript, FlagsBecomeLimitsAndPolicies) {
  std::ofstream(folder + "/train.py") << "";
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "--cpu=2", "--memory=4Gi", "--restarts=3", "--time=2h", "--queue=night",
                                       "--priority=7", "--label=team=vision", "train.py"}),
            0)
      << cli.err;
  const json::Document job = job_made();
  EXPECT_EQ(json::serialize(*container_made().find("resources")),
            R"({"limits":{"cpu":"2","memory":"4Gi"},"requests":{"cpu":"2","memory":"4Gi"}})");
  EXPECT_EQ(json::serialize(*job.at("spec", "runPolicy")), R"({"backoffLimit":3,"activeDeadlineSeconds":7200})");
  EXPECT_EQ(json::serialize(*job.at("spec", "scheduler", "t9kScheduler")), R"({"queue":"night","priority":7})");
  EXPECT_EQ(job.string_at("metadata", "labels", "team"), "vision");
  EXPECT_EQ(job.array_at("spec", "replicaSpecs").front().string_at("restartPolicy"), "OnFailure")
      << "what the machine ends starts again";
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "train.py"}), 0);
  EXPECT_EQ(json::serialize(*job_made().at("spec", "runPolicy")), R"({"backoffLimit":0})");
}

TEST_F(RunScript, AJobThatExistsIsReplacedOnlyWhenAsked) {
  std::ofstream(folder + "/train.py") << "";
  cli.server.put(kTrainingJobs + "/x", make_object("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", "x"));
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "--name=x", "--secret=KEY=v", "train.py"}), 4);
  EXPECT_THAT(cli.err, HasSubstr("--name: there is a job \"x\" already"));
  EXPECT_THAT(cli.err, HasSubstr("--replace deletes it first, or: muster run --name x-2"));
  const auto count = [&](std::string_view method) {
    return std::ranges::count_if(cli.server.requests, [&](const auto& request) { return request.starts_with(method); });
  };
  EXPECT_EQ(count("POST "), 5) << "three claims, a Secret, and the job that was refused";
  EXPECT_EQ(count("DELETE "), 4) << "nothing is left behind";
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "--name=x", "--replace", "train.py"},
                    {[&] { cli.server.remove(kTrainingJobs + "/x"); }}),
            0)
      << cli.err;
  EXPECT_THAT(cli.server.requests, ::testing::Contains("DELETE " + kTrainingJobs + "/x"));
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "--replace", "train.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("--replace: requires --name"));
}

TEST_F(RunScript, SecretsStayOutOfTheJob) {
  std::ofstream(folder + "/train.py") << "";
  RunFrom from = here();
  from.variables["WANDB_API_KEY"] = "5ecret";
  EXPECT_EQ(cli.run(make_run(from), {"-d", "--secret=WANDB_API_KEY", "-e", "WANDB_API_KEY=shown", "train.py"}), 0)
      << cli.err;
  const json::Document secret = made("/secrets");
  EXPECT_EQ(secret.string_at("stringData", "WANDB_API_KEY"), "5ecret");
  EXPECT_THAT(json::serialize(job_made()), Not(HasSubstr("5ecret")));
  const json::Document container = container_made();
  const json::Document& entry = container.array_at("env").back();
  EXPECT_EQ(entry.string_at("valueFrom", "secretKeyRef", "key"), "WANDB_API_KEY");
  const std::string name = entry.string_at("valueFrom", "secretKeyRef", "name");
  const json::Document* kept = cli.server.find(kCore + "secrets/" + name);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->array_at("metadata", "ownerReferences").front().string_at("kind"), "PyTorchTrainingJob");
  EXPECT_EQ(cli.run(make_run(from), {"-d", "--secret=OTHER", "train.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("--secret: OTHER is not set in your shell"));
}

TEST_F(RunScript, TakesSomeVariablesOfTheShellAlong) {
  std::ofstream(folder + "/train.py") << "";
  RunFrom from = here();
  std::filesystem::create_directories(root + "/lib");
  from.variables = {{"https_proxy", "http://proxy:3128"},
                    {"PIP_INDEX_URL", "http://index/$(x)"},
                    {"PYTHONPATH", root + "/lib"},
                    {"OMP_NUM_THREADS", "4"},
                    {"SEED", "7"},
                    {"OTHER", "no"}};
  EXPECT_EQ(cli.run(make_run(from), {"-d", "--ranks=2", "-e", "SEED", "train.py"}), 0) << cli.err;
  const json::Document container = container_made();
  EXPECT_EQ(value_of(container, "https_proxy"), "http://proxy:3128");
  EXPECT_EQ(value_of(container, "PIP_INDEX_URL"), "http://index/$$(x)") << "Kubernetes would replace it";
  EXPECT_EQ(value_of(container, "PYTHONPATH"), root + "/lib");
  EXPECT_EQ(value_of(container, "OMP_NUM_THREADS"), "4") << "the user's own number";
  EXPECT_EQ(value_of(container, "SEED"), "7");
  EXPECT_EQ(value_of(container, "OTHER"), "(not set)");
  EXPECT_THAT(mounts_of(container), ElementsAre(folder, root + "/lib ro", root + "/python ro"));
  EXPECT_EQ(cli.run(make_run(from), {"-d", "-e", "MISSING", "train.py"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("--env: MISSING is not set in your shell"));
}

TEST_F(RunScript, ShowsTheFoldersThatArgumentsName) {
  std::ofstream(folder + "/train.py") << "";
  std::filesystem::create_directories(root + "/data/images");
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "train.py", "--data", root + "/data/images", "--out=../data/results"}), 0)
      << cli.err;
  EXPECT_THAT(cli.err, HasSubstr("mount: " + root + "/data/images (writable)\n"));
  EXPECT_THAT(cli.err, HasSubstr("mount: " + root + "/data (writable), because of --out\n"));
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "--no-auto-mount", "train.py", root + "/data/images"}), 0) << cli.err;
  EXPECT_THAT(mounts_of(container_made()), ElementsAre(folder, root + "/python ro"));
  EXPECT_EQ(cli.run(make_run(here()), {"-d", "--mount", root + "/data:/in:ro", "train.py"}), 0) << cli.err;
  EXPECT_THAT(mounts_of(container_made()), ElementsAre(folder, "/in ro", root + "/python ro"));
}

TEST_F(RunScript, TheProjectIsTheGitRepository) {
  std::filesystem::create_directories(folder + "/.git");
  std::filesystem::create_directories(folder + "/src");
  std::ofstream(folder + "/tool.py") << "";
  RunFrom from = here();
  from.working_dir = folder + "/src";
  EXPECT_EQ(cli.run(make_run(from), {"-d", "../tool.py"}), 0) << cli.err;
  const json::Document container = container_made();
  EXPECT_THAT(mounts_of(container), ElementsAre(folder, root + "/python ro"));
  EXPECT_EQ(container.string_at("workingDir"), folder + "/src");
  EXPECT_EQ(json::serialize(*container.find("command")), "[\"" + python + "\",\"../tool.py\"]");
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
