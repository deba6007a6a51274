#include "agent/plan/plan_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "agent/document_for_tests.h"
#include "agent/volumes/volumes.h"

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string variable(const LaunchContainer& container, const std::string& name) {
  const auto found = std::ranges::find(container.env, name, &std::pair<std::string, std::string>::first);
  return found == container.env.end() ? "(none)" : found->second;
}

class LaunchPlanning : public ::testing::Test {
 protected:
  LaunchPlanning() {
    char name[] = "/tmp/muster-launch-XXXXXX";
    folder_ = ::mkdtemp(name);
    options_.directory = "/var/lib/engine";
    options_.node_name = "laptop";
  }
  ~LaunchPlanning() override { std::filesystem::remove_all(folder_); }

  Result<LaunchPlan> plan(const std::string& spec) {
    pod_ = doc(R"({"metadata":{"name":"job-0","namespace":"ml","uid":"u1","labels":)" + labels_ +
               R"(,"ownerReferences":)" + owners_ + R"(},"spec":)" + spec + "}");
    const Paths paths(options_.directory);
    return plan_launch(
        {.pod = &pod_,
         .facts = facts_,
         .references = {
             .config_map = [this](const std::string& n) { return n == "cm" ? borrowed(config_map_) : nullptr; },
             .secret = [this](const std::string& n) { return n == "s" ? borrowed(secret_) : nullptr; },
             .claim = [this](const std::string& n) { return n == "data" ? borrowed(claim_) : nullptr; }}},
        options_, paths);
  }
  PodFacts facts_ = {.address = "127.1.2.3", .host_address = "127.0.0.1", .node_cpus = 1, .node_memory = 1};
  std::string make_venv(const std::string& home) {
    const std::string venv = folder_ + "/venv";
    std::filesystem::create_directories(venv + "/bin");
    std::ofstream(venv + "/bin/python") << "#!/bin/sh\n";
    std::filesystem::permissions(venv + "/bin/python", std::filesystem::perms(0755));
    std::ofstream(venv + "/pyvenv.cfg") << "home = " << home << "\n";
    return venv;
  }

  static std::string minor_of_python() {
    const std::string name = std::filesystem::canonical("/usr/bin/python3").filename();  // python3.11
    return name.substr(std::string_view("python3.").size());
  }

  std::string folder_;
  std::string owners_ = "[]";
  std::string labels_ = "{}";
  Options options_;
  json::Document pod_;
  json::Document config_map_ = doc(R"({"data":{"a.txt":"A","b.txt":"B"}})");
  json::Document secret_ = doc(R"({"data":{"key":"c2VjcmV0"}})");
  json::Document claim_ = doc(R"({"metadata":{"name":"data","namespace":"ml"}})");
};

TEST_F(LaunchPlanning, CommandAndArgsAreExpanded) {
  const auto got =
      plan(R"json({"containers":[{"name":"c","image":"x","command":["sh","-c"],"args":["echo $(WHO) $$(WHO)"],
                   "env":[{"name":"WHO","value":"me"}]}]})json");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_THAT(got->launch.containers[0].args, ElementsAre("sh", "-c", "echo me $(WHO)"));
  EXPECT_EQ(got->launch.containers[0].cwd, "/root");
  EXPECT_EQ(variable(got->launch.containers[0], "HOSTNAME"), "job-0");
  EXPECT_EQ(got->launch.hostname, "job-0");
  EXPECT_THAT(got->launch.hidden, ElementsAre("/var/lib/engine"));
}

TEST_F(LaunchPlanning, APythonFileWithoutACommandIsRunWithPython) {
  const auto got = plan(R"({"containers":[{"name":"c","image":"x","args":["train.py","--epochs=1"]}]})");
  ASSERT_TRUE(got);
  EXPECT_THAT(got->launch.containers[0].args, ElementsAre("python", "train.py", "--epochs=1"));
  EXPECT_EQ(got->events[2].message,
            "container \"c\" has no command: running train.py with python, as an image's entry point would");
}

TEST_F(LaunchPlanning, ArgsAloneAreTheCommandOfAnImageWithoutAnEntryPoint) {
  const auto got = plan(R"({"containers":[{"name":"c","image":"x","args":["echo","hi"]}]})");
  ASSERT_TRUE(got);
  EXPECT_THAT(got->launch.containers[0].args, ElementsAre("echo", "hi"));
}

TEST_F(LaunchPlanning, PodsOfAJobAreOneHostToNcclUnlessTheManifestSaysOtherwise) {
  const std::string spec = R"({"containers":[{"name":"c","image":"x","command":["true"]},
                               {"name":"d","image":"x","command":["true"],"env":[{"name":"NCCL_HOSTID","value":"own"}]}]})";
  const auto alone = plan(spec);
  ASSERT_TRUE(alone);
  EXPECT_EQ(variable(alone->launch.containers[0], "NCCL_HOSTID"), "(none)");
  owners_ = R"([{"kind":"PyTorchJob","uid":"job","controller":true}])";
  const auto of_job = plan(spec);
  ASSERT_TRUE(of_job);
  EXPECT_EQ(variable(of_job->launch.containers[0], "NCCL_HOSTID"), "ml.job");
  EXPECT_EQ(variable(of_job->launch.containers[1], "NCCL_HOSTID"), "own");
}

TEST_F(LaunchPlanning, NoCommandAtAllIsAnError) {
  const auto got = plan(R"({"containers":[{"name":"c","image":"nginx:1"}]})");
  ASSERT_FALSE(got);
  EXPECT_EQ(
      got.error().message,
      "container \"c\": command is missing, and image \"nginx:1\" has no default command on this engine; set command");
}

TEST_F(LaunchPlanning, AnUnmappedImageIsTheHostsEnvironmentAndSaysSo) {
  const auto got = plan(R"({"containers":[{"name":"c","image":"pytorch/pytorch:2.0","command":["true"]}]})");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->events[0].reason, "Environment");
  EXPECT_THAT(got->events[0].message, StartsWith("image \"pytorch/pytorch:2.0\": the host's environment ("));
  EXPECT_THAT(variable(got->launch.containers[0], "PATH"), HasSubstr(":/usr/bin:"));
}

TEST_F(LaunchPlanning, AnUnmappedImageIsRefusedWhenSoConfigured) {
  options_.refuse_unmapped = true;
  const auto got = plan(R"({"containers":[{"name":"c","image":"x:1","command":["true"]}]})");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message,
            "container \"c\": image \"x:1\": no environment is configured for it; add one to `environments`, or set "
            "`unmapped: host` to use the host's");
}

TEST_F(LaunchPlanning, AnUnmappedImageOfAPageGetsTheEnvironmentThatCanServeIt) {
  const std::string venv = make_venv("/usr/bin");
  std::filesystem::remove(venv + "/bin/python");
  std::filesystem::create_symlink("/usr/bin/python3", venv + "/bin/python");
  const std::string packages = venv + "/lib/python3." + minor_of_python() + "/site-packages";
  std::filesystem::create_directories(packages + "/jupyterlab");
  std::ofstream(packages + "/jupyterlab/__init__.py") << "";
  options_.refuse_unmapped = true;  // so that a JupyterLab of this machine does not matter
  options_.environments = {{.image = "*pytorch*", .venv = venv, .env = {}}};
  labels_ = R"({"muster.dev/notebook-uid":"n"})";
  const std::string spec = R"({"containers":[{"name":"c","image":"t9kpublic/lab:1","command":["true"]}]})";
  const auto got = plan(spec);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_THAT(variable(got->launch.containers[0], "PATH"), StartsWith(venv + "/bin:/run/muster/launchers:"));
  EXPECT_THAT(got->events[0].message,
              HasSubstr("because no environment is configured for the image and this one has jupyterlab"));
  labels_ = "{}";
  EXPECT_FALSE(plan(spec)) << "the image of a job is nobody's guess";
}

TEST_F(LaunchPlanning, AVirtualenvComesFirstOnThePath) {
  const std::string venv = make_venv("/usr/bin");
  options_.environments = {{.image = "tensorstack/*", .venv = venv, .env = {{"PET_TEE", "1"}}}};
  const auto got = plan(R"({"containers":[{"name":"c","image":"tensorstack/torch:1","command":["python"],
                            "env":[{"name":"PET_TEE","value":"3"}]}]})");
  ASSERT_TRUE(got) << got.error().message;
  const LaunchContainer& container = got->launch.containers[0];
  EXPECT_THAT(variable(container, "PATH"), StartsWith(venv + "/bin:/run/muster/launchers:/usr/local/sbin:"));
  EXPECT_EQ(variable(container, "VIRTUAL_ENV"), venv);
  EXPECT_EQ(variable(container, "PET_TEE"), "3") << "the container's own value wins";
  EXPECT_THAT(got->launch.through, ::testing::Contains(venv)) << "it lies under /tmp, which the pod has its own of";
}

TEST_F(LaunchPlanning, EveryContainerHasTheEnginesOwnProgram) {
  options_.program = {.path = "/opt/muster", .names = {"muster-rsh"}};
  const auto got = plan(R"({"volumes":[{"name":"v","emptyDir":{}}],
                            "containers":[{"name":"c","image":"x","command":["true"]},
                                          {"name":"d","image":"x","command":["true"],
                                           "volumeMounts":[{"name":"v","mountPath":"/run"}]}]})");
  ASSERT_TRUE(got) << got.error().message;
  const LaunchMount program{
      .volume = "musterProgram", .sub_path = "", .target = "/run/muster/bin/muster", .read_only = true};
  EXPECT_THAT(got->launch.containers[0].mounts, ::testing::Contains(program));
  EXPECT_THAT(got->launch.containers[1].mounts, ::testing::Not(::testing::Contains(program)))
      << "its own volume is there, and nothing is written into it";
  const auto volume = std::ranges::find(got->launch.volumes, "musterProgram", &LaunchVolume::name);
  ASSERT_NE(volume, got->launch.volumes.end());
  EXPECT_EQ(std::get<HostFolder>(volume->source).origin, FolderOrigin::kNamed)
      << "so that fsGroup does not change the engine's program";
  EXPECT_THAT(got->launch.links,
              ::testing::Contains(std::pair<std::string, std::string>("/run/muster/bin/muster-rsh", "muster")));
}

TEST_F(LaunchPlanning, TheInterpreterOfAVirtualenvIsShownToo) {
  const std::string installation = folder_ + "/pyenv";
  std::filesystem::create_directories(installation + "/bin");
  std::filesystem::create_directories(installation + "/lib/python3.12");
  std::ofstream(installation + "/lib/python3.12/os.py") << "";
  std::filesystem::copy_file("/bin/true", installation + "/bin/python3.12");  // some program of this machine
  const std::string venv = make_venv(installation + "/bin");
  std::filesystem::remove(venv + "/bin/python");
  std::filesystem::create_symlink(installation + "/bin/python3.12", venv + "/bin/python");
  options_.environments = {{.image = "*", .venv = venv, .env = {}}};
  const auto got = plan(R"({"containers":[{"name":"c","image":"x","command":["python"]}]})");
  ASSERT_TRUE(got);
  EXPECT_THAT(got->launch.through, ::testing::IsSupersetOf({venv, installation}));
}

TEST_F(LaunchPlanning, AVirtualenvThatIsNotThereIsNamed) {
  options_.environments = {{.image = "*", .venv = "/nowhere", .env = {}}};
  const auto got = plan(R"({"containers":[{"name":"c","image":"x","command":["python"]}]})");
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().message, HasSubstr("venv \"/nowhere\" of image \"*\" has no bin/python"));
}

TEST_F(LaunchPlanning, SecurityContextChoosesTheUserOfEachContainer) {
  facts_.may_change_user = true;
  const auto got = plan(R"({"securityContext":{"runAsUser":1000,"runAsGroup":100,"fsGroup":7,"supplementalGroups":[5]},
      "containers":[{"name":"c","image":"x","command":["true"]},
                    {"name":"d","image":"x","command":["true"],"securityContext":{"runAsUser":2000}}]})");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->launch.containers[0].user, (LaunchUser{1000, 100, {5, 7}}));
  EXPECT_EQ(got->launch.containers[1].user, (LaunchUser{2000, 100, {5, 7}}));
  EXPECT_EQ(got->launch.group, 7u);
}

TEST_F(LaunchPlanning, CapabilitiesAreDroppedAsTheContainerAsks) {
  const auto got = plan(R"({"containers":[
      {"name":"c","image":"x","command":["true"],"securityContext":{"capabilities":{"drop":["ALL"],"add":["KILL"]}}},
      {"name":"d","image":"x","command":["true"]}]})");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->launch.containers[0].capabilities, 0x20U);
  EXPECT_EQ(got->launch.containers[1].capabilities, std::nullopt);
}

TEST_F(LaunchPlanning, TheUserIsAppliedToPodsWithClaimsToo) {
  facts_.may_change_user = true;
  const auto got = plan(R"({"securityContext":{"runAsUser":1000},"volumes":[
      {"name":"v","persistentVolumeClaim":{"claimName":"data"}},{"name":"h","hostPath":{"path":"/data"}}],
      "containers":[{"name":"c","image":"x","command":["true"]}]})");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->launch.containers[0].user, (LaunchUser{1000, 0}));
  EXPECT_EQ(std::get<HostFolder>(got->launch.volumes[0].source).origin, FolderOrigin::kEngine);
  EXPECT_EQ(std::get<HostFolder>(got->launch.volumes[1].source).origin, FolderOrigin::kHostPath);
}

TEST_F(LaunchPlanning, ConfiguredFoldersAreVisible) {
  options_.visible = {"/data/sets"};
  const auto got = plan(R"({"containers":[{"name":"c","image":"x","command":["true"]}]})");
  ASSERT_TRUE(got);
  EXPECT_THAT(got->launch.through, ::testing::Contains("/data/sets"));
}

TEST_F(LaunchPlanning, AnOrdinaryUsersEngineAppliesTheUserAndSaysThatItHasNoGroups) {
  const auto got = plan(R"({"securityContext":{"runAsUser":1000,"fsGroup":7},"containers":[
      {"name":"c","image":"x","command":["true"]}]})");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->launch.containers[0].user, (LaunchUser{1000, 0}));
  EXPECT_THAT(got->events[2].message, HasSubstr("supplementalGroups and fsGroup are not applied"));
}

TEST_F(LaunchPlanning, StandardStreamsAndRestartPolicyReachTheShim) {
  const auto got = plan(R"({"restartPolicy":"OnFailure","containers":[{"name":"c","image":"x","command":["sh"],
      "stdin":true,"stdinOnce":true,"tty":true,"terminationMessagePath":"/dev/termination-log"}]})");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->launch.restart, RestartPolicy::kOnFailure);
  const LaunchContainer& container = got->launch.containers[0];
  EXPECT_EQ(container.standard_input, StandardInput::kOnce);
  EXPECT_TRUE(container.tty);
  EXPECT_EQ(container.termination_path, "/dev/termination-log");
}

TEST_F(LaunchPlanning, EveryKindOfVolume) {
  const auto got = plan(R"({"volumes":[
      {"name":"pvc","persistentVolumeClaim":{"claimName":"data"}},{"name":"disk","emptyDir":{}},
      {"name":"mem","emptyDir":{"medium":"Memory","sizeLimit":"1Gi"}},{"name":"host","hostPath":{"path":"/srv"}},
      {"name":"cm","configMap":{"name":"cm"}},{"name":"s","secret":{"secretName":"s","items":[{"key":"key","path":"d/k"}]}}],
    "containers":[{"name":"c","image":"x","command":["true"],"volumeMounts":[
      {"name":"pvc","mountPath":"/t9k/mnt/","subPath":"a/b"},{"name":"disk","mountPath":"/scratch"},
      {"name":"s","mountPath":"/keys"},{"name":"host","mountPath":"/scratch/host","readOnly":true}]}]})");
  ASSERT_TRUE(got) << got.error().message;
  const auto& volumes = got->launch.volumes;
  EXPECT_EQ(std::get<HostFolder>(volumes[0].source).path, "/var/lib/engine/volumes/ml/data");
  EXPECT_EQ(std::get<HostFolder>(volumes[1].source).path, "/var/lib/engine/pods/u1/volumes/disk");
  EXPECT_EQ(std::get<MemoryFolder>(volumes[2].source).size_limit, 1 << 30);
  EXPECT_EQ(std::get<HostFolder>(volumes[3].source).path, "/srv");
  EXPECT_THAT(std::get<FileFolder>(volumes[4].source),
              ElementsAre(VolumeFile{"a.txt", 0644, "A"}, VolumeFile{"b.txt", 0644, "B"}));
  EXPECT_THAT(std::get<FileFolder>(volumes[5].source), ElementsAre(VolumeFile{"d/k", 0400, "secret"}));
  EXPECT_THAT(got->folders, ElementsAre(LaunchFolder{"/var/lib/engine/volumes/ml/data", false},
                                        LaunchFolder{"/var/lib/engine/pods/u1/volumes/disk", true}));
  EXPECT_THAT(
      got->launch.containers[0].mounts,
      ElementsAre(LaunchMount{"s", "", "/keys", true}, LaunchMount{"disk", "", "/scratch", false},
                  LaunchMount{"host", "", "/scratch/host", true}, LaunchMount{"pvc", "a/b", "/t9k/mnt", false}));
}

TEST_F(LaunchPlanning, AClaimMayBeAFolderOfItsOwn) {
  claim_ = doc(R"({"metadata":{"name":"data","namespace":"ml","annotations":{"muster.dev/path":"/srv/data"}}})");
  const auto got = plan(R"({"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}],
                            "containers":[{"name":"c","image":"x","command":["true"]}]})");
  ASSERT_TRUE(got);
  EXPECT_EQ(std::get<HostFolder>(got->launch.volumes[0].source).path, "/srv/data");
  EXPECT_THAT(got->folders, ::testing::IsEmpty()) << "its owner makes it";
}

TEST_F(LaunchPlanning, AMissingClaimCanBeWaitedFor) {
  const auto got = plan(R"({"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"tutorial"}}],
                            "containers":[{"name":"c","image":"x","command":["true"]}]})");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().reason, Reason::kNotFound);
  EXPECT_EQ(got.error().message, "persistentvolumeclaim \"tutorial\" not found");
}

TEST_F(LaunchPlanning, AVolumeThatCannotBeHadHereIsFinal) {
  const auto got = plan(
      R"({"volumes":[{"name":"v","nfs":{"server":"x"}}],"containers":[{"name":"c","image":"x","command":["true"]}]})");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message,
            "volume \"v\": type nfs is not supported on this engine; use persistentVolumeClaim, emptyDir, hostPath, "
            "configMap, secret, projected or downwardAPI");
}

TEST_F(LaunchPlanning, PathsThatLeaveTheirPlaceAreRefused) {
  const auto mounted = [this](const std::string& mount) {
    const auto got =
        plan(R"({"volumes":[{"name":"v","emptyDir":{}}],"containers":[{"name":"c","image":"x","command":["true"],
                              "volumeMounts":[)" +
             mount + "]}]}");
    return got ? std::string("accepted") : got.error().message;
  };
  EXPECT_THAT(mounted(R"({"name":"v","mountPath":"/a","subPath":"../x"})"),
              HasSubstr("subPath must be relative and without \"..\""));
  EXPECT_THAT(mounted(R"({"name":"v","mountPath":"/a","subPath":"/etc"})"), HasSubstr("got \"/etc\""));
  EXPECT_THAT(mounted(R"({"name":"v","mountPath":"/a/../b"})"), HasSubstr("mountPath must be absolute"));
  EXPECT_THAT(mounted(R"({"name":"v","mountPath":"/"})"), HasSubstr("mountPath must be absolute, not \"/\""));
}

TEST_F(LaunchPlanning, ASubPathMayHaveVariablesOfTheContainer) {
  const auto mounted = [this](const std::string& expression) -> std::string {
    const auto got = plan(
        R"({"volumes":[{"name":"v","emptyDir":{}}],"containers":[{"name":"c","image":"x","command":["true"],
            "env":[{"name":"POD","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},{"name":"UP","value":".."}],
            "volumeMounts":[{"name":"v","mountPath":"/a","subPathExpr":")" +
        expression + R"("}]}]})");
    return got ? got->launch.containers[0].mounts[0].sub_path : got.error().message;
  };
  EXPECT_EQ(mounted("logs/$(POD)"), "logs/job-0");
  EXPECT_THAT(mounted("logs/$(NONE)"), HasSubstr("subPathExpr: variable \"NONE\" must be in the container's env"));
  EXPECT_THAT(mounted("logs/$(UP)/$(UP)"), HasSubstr("subPath must be relative and without \"..\""));
}

TEST_F(LaunchPlanning, FieldsOfThePodAndAmountsOfItsContainersAreFiles) {
  const auto got = plan(R"({"volumes":[{"name":"v","downwardAPI":{"items":[
      {"path":"name","fieldRef":{"fieldPath":"metadata.name"}},
      {"path":"cpu","resourceFieldRef":{"containerName":"c","resource":"limits.cpu","divisor":"1m"}},
      {"path":"memory","resourceFieldRef":{"containerName":"c","resource":"requests.memory"}}]}}],
    "containers":[{"name":"c","image":"x","command":["true"],"resources":{"limits":{"cpu":"1500m","memory":"1Ki"},
      "requests":{"memory":"1Ki"}}}]})");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_THAT(std::get<FileFolder>(got->launch.volumes[0].source),
              ElementsAre(VolumeFile{"name", 0644, "job-0"}, VolumeFile{"cpu", 0644, "1500"},
                          VolumeFile{"memory", 0644, "1024"}));
  const auto wrong = plan(R"({"volumes":[{"name":"v","downwardAPI":{"items":[
      {"path":"cpu","resourceFieldRef":{"containerName":"other","resource":"limits.cpu"}}]}}],
    "containers":[{"name":"c","image":"x","command":["true"]}]})");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "resourceFieldRef: containerName must be a container of the pod, got \"other\"");
}

TEST_F(LaunchPlanning, AnEventTellsHowMuchMemoryCanBeLocked) {
  const auto locked = [this](const std::string& security) {
    const auto got =
        plan(R"({"containers":[{"name":"c","image":"x","command":["true"],"securityContext":)" + security + "}]}");
    EXPECT_TRUE(got);
    const auto found = std::ranges::find(got->events, "SecurityContext", &PodEvent::reason);
    return found == got->events.end() ? "" : found->message;
  };
  const std::string wish = R"({"capabilities":{"add":["IPC_LOCK"]}})";
  EXPECT_EQ(locked(wish), "") << "the engine can raise the limit";
  facts_.most_locked = 65536;
  EXPECT_THAT(locked(wish), StartsWith("securityContext: with IPC_LOCK the pod can lock 64 KiB of memory"));
  EXPECT_EQ(locked("{}"), "");
}

TEST_F(LaunchPlanning, InitContainersComeFirst) {
  const auto got = plan(R"({"initContainers":[{"name":"i","image":"x","command":["true"]}],
                            "containers":[{"name":"c","image":"x","command":["true"]}]})");
  ASSERT_TRUE(got);
  ASSERT_EQ(got->launch.containers.size(), 2U);
  EXPECT_TRUE(got->launch.containers[0].is_init);
  EXPECT_EQ(std::ranges::count(got->events, "Environment", &PodEvent::reason), 1) << "said once for the same image";
}

constexpr const char* kOneContainer = R"("containers":[{"name":"c","image":"x","command":["true"]}])";

FileFolder files_in(const LaunchPlan& plan, const std::string& volume) {
  const auto found = std::ranges::find(plan.launch.volumes, volume, &LaunchVolume::name);
  return found == plan.launch.volumes.end() ? FileFolder{} : std::get<FileFolder>(found->source);
}

class ApiAccessPlanning : public LaunchPlanning {
 protected:
  ApiAccessPlanning() {
    options_.api_access = [this](const json::Document&) -> Result<ApiAccess> {
      if (!has_account_) return Error{.reason = Reason::kNotFound, .message = "serviceaccounts \"x\" not found"};
      return ApiAccess{.host = "127.0.0.1", .port = 8765, .ca_pem = "CA", .token = "TOKEN", .automount = automount_};
    };
  }
  bool has_account_ = true;
  bool automount_ = true;
};

TEST_F(ApiAccessPlanning, EveryContainerGetsTheFilesAndVariablesOfItsAccount) {
  const auto got =
      plan(R"({"initContainers":[{"name":"i","image":"x","command":["true"]}],)" + std::string(kOneContainer) + "}");
  ASSERT_TRUE(got) << got.error().message;
  for (const LaunchContainer& container : got->launch.containers) {
    ASSERT_EQ(container.mounts.size(), 1u) << container.name;
    EXPECT_EQ(container.mounts[0].target, "/var/run/secrets/kubernetes.io/serviceaccount");
    EXPECT_TRUE(container.mounts[0].read_only);
    EXPECT_THAT(files_in(*got, container.mounts[0].volume),
                ElementsAre(VolumeFile{"token", 0644, "TOKEN"}, VolumeFile{"ca.crt", 0644, "CA"},
                            VolumeFile{"namespace", 0644, "ml"}));
    EXPECT_EQ(variable(container, "KUBERNETES_SERVICE_HOST"), "127.0.0.1");
    EXPECT_EQ(variable(container, "KUBERNETES_SERVICE_PORT"), "8765");
    EXPECT_EQ(variable(container, "KUBERNETES_SERVICE_PORT_HTTPS"), "8765");
  }
}

TEST_F(ApiAccessPlanning, APodOrItsAccountMayDeclineTheToken) {
  const auto mounts = [this](const std::string& more) {
    const auto got = plan("{" + more + kOneContainer + "}");
    EXPECT_TRUE(got);
    EXPECT_EQ(variable(got->launch.containers[0], "KUBERNETES_SERVICE_PORT"), "8765");
    EXPECT_EQ(got->launch.volumes.size(), got->launch.containers[0].mounts.size());
    return got->launch.containers[0].mounts.size();
  };
  EXPECT_EQ(mounts(""), 1u);
  EXPECT_EQ(mounts(R"("automountServiceAccountToken":false,)"), 0u);
  automount_ = false;
  EXPECT_EQ(mounts(""), 0u);
  EXPECT_EQ(mounts(R"("automountServiceAccountToken":true,)"), 1u);
}

TEST_F(ApiAccessPlanning, APodWithoutAnAccountRunsWithoutATokenAndSaysSo) {
  has_account_ = false;
  const auto got = plan("{" + std::string(kOneContainer) + "}");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_TRUE(got->launch.volumes.empty());
  EXPECT_EQ(variable(got->launch.containers[0], "KUBERNETES_SERVICE_HOST"), "(none)");
  EXPECT_EQ(got->events[0].message,
            "serviceaccounts \"x\" not found: the pod runs without a token for the API; create the account first");
}

TEST_F(ApiAccessPlanning, AProjectedVolumeOfThatShapeIsTheSame) {
  const std::string spec = R"({"serviceAccountName":"x","automountServiceAccountToken":false,
    "volumes":[{"name":"kube-api-access","projected":{"defaultMode":420,"sources":[
      {"serviceAccountToken":{"path":"token","expirationSeconds":3607}},
      {"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},
      {"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"fieldPath":"metadata.namespace"}}]}},
      {"secret":{"name":"s"}}]}}],
    "containers":[{"name":"c","image":"x","command":["true"],"volumeMounts":[
      {"name":"kube-api-access","mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}]}]})";
  const auto got = plan(spec);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_THAT(files_in(*got, "kube-api-access"),
              ElementsAre(VolumeFile{"token", 0644, "TOKEN"}, VolumeFile{"ca.crt", 0644, "CA"},
                          VolumeFile{"namespace", 0644, "ml"}, VolumeFile{"key", 0644, "secret"}));
  ASSERT_EQ(got->launch.containers[0].mounts.size(), 1u);
  EXPECT_TRUE(got->launch.containers[0].mounts[0].read_only);
  has_account_ = false;
  const auto waits = plan(spec);
  EXPECT_EQ(waits.error().reason, Reason::kNotFound);
  EXPECT_EQ(waits.error().message, "serviceaccount \"x\" not found");
}

TEST_F(ApiAccessPlanning, AVolumeThatThePodMountsThereStays) {
  const auto got = plan(R"({"volumes":[{"name":"mine","emptyDir":{}}],"containers":[{"name":"c","image":"x",
    "command":["true"],"volumeMounts":[
      {"name":"mine","mountPath":"/var/run/secrets/kubernetes.io/serviceaccount/"}]}]})");
  ASSERT_TRUE(got) << got.error().message;
  ASSERT_EQ(got->launch.containers[0].mounts.size(), 1u);
  EXPECT_EQ(got->launch.containers[0].mounts[0].volume, "mine");
}

}  // namespace
}  // namespace muster::agent
