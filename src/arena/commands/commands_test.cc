// The commands against a server on virtual time.
#include "arena/commands/commands.h"

#include <gmock/gmock.h>

#include "api/muster/names.h"
#include "base/strings.h"
#include "testing/command_run.h"

namespace muster::arena {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kJobs = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs/";
constexpr const char* kPodsPath = "/api/v1/namespaces/default/pods/";

/// Lets CommandRun run a command of Arena, whose flags are parsed here.
class AsCliCommand final : public cli::Command {
 public:
  AsCliCommand(std::unique_ptr<arena::Command> command, std::vector<std::string> args)
      : command_(std::move(command)), args_(std::move(args)) {}

  void add_flags(cli::Flags& /*flags*/) override {}

  int run(cli::Session& session, const std::vector<std::string>& /*words*/) override {
    Log log(
        session.loop(), [&](std::string_view text) { session.err(text); }, LogForm::kTerminal);
    session.report_errors_as([&log](const cli::Failure& failure) { return log.error_text(failure); });
    Flags flags;
    command_->add_flags(flags);
    const auto parsed = flags.parse(args_);
    if (const auto* failure = std::get_if<cli::Failure>(&parsed)) return session.fail(*failure);
    const auto& words = std::get<Flags::Parsed>(parsed).words;
    if (const auto failure = command_->check(words)) return session.fail(*failure);
    const UserConfig config;
    const cli::Environment environment;
    Context context{.session = session, .log = log, .config = config, .environment = environment};
    return command_->run(context, words);
  }

 private:
  std::unique_ptr<arena::Command> command_;
  std::vector<std::string> args_;
};

class ArenaCommands : public ::testing::Test {
 protected:
  int run(std::unique_ptr<Command> command, const std::vector<std::string>& args,
          std::vector<std::function<void()>> steps = {}) {
    run_.out.clear();
    run_.err.clear();
    return run_.run(std::make_unique<AsCliCommand>(std::move(command), args), {}, std::move(steps));
  }

  void put_job(const std::string& name, const std::string& condition) {
    json::Document job = cli::make_object("kubeflow.org/v1", "PyTorchJob", name);
    job["metadata"]["namespace"] = "default";
    job["metadata"]["uid"] = "uid-" + name;
    job["metadata"]["labels"] = json::Object{{"app", "pytorchjob"}, {"release", name}};
    job["status"]["startTime"] = "2020-01-01T00:00:00Z";
    job["status"]["conditions"] = json::Array{
        json::Object{{"type", condition}, {"status", "True"}, {"lastTransitionTime", "2020-01-01T00:01:00Z"}}};
    if (condition != "Running") job["status"]["completionTime"] = "2020-01-01T00:01:00Z";
    run_.server.put(kJobs + name, job);
  }

  void put_pod(const std::string& job, const std::string& role, const std::string& index, const std::string& phase) {
    const std::string name = job + "-" + role + "-" + index;
    json::Document pod = cli::make_object("v1", "Pod", name);
    pod["metadata"]["namespace"] = "default";
    pod["metadata"]["labels"] = json::Object{{api::kKubeflowJobNameLabel, job},
                                             {api::kKubeflowReplicaTypeLabel, role},
                                             {api::kKubeflowReplicaIndexLabel, index}};
    pod["metadata"]["ownerReferences"] =
        json::Array{json::Object{{"kind", "PyTorchJob"}, {"uid", "uid-" + job}, {"controller", true}}};
    pod["spec"] = json::Object{{"containers", json::Array{json::Object{{"name", "pytorch"}}}}};
    pod["status"] = json::Object{{"phase", phase}, {"hostIP", "10.0.0.1"}, {"startTime", "2020-01-01T00:00:00Z"}};
    run_.server.put(kPodsPath + name, pod);
  }

  /// Lets the server refuse the next request of this kind.
  void refuse(const std::string& method, const std::string& path, int status, const char* reason) {
    run_.server.refuse(method, path, status, json::Object{{"kind", "Status"}, {"reason", reason}, {"message", "no"}});
  }

  /// The fake marks an object that was deleted and keeps it.
  bool was_deleted(const std::string& name) {
    return run_.server.find(kJobs + name)->at("metadata", "deletionTimestamp") != nullptr;
  }

  cli::CommandRun run_;
};

TEST_F(ArenaCommands, ListAsksTheServerAtMostSixTimes) {
  put_job("a", "Running");
  put_pod("a", "master", "0", "Running");
  EXPECT_EQ(run(make_list(), {}), 0) << run_.err;
  EXPECT_THAT(run_.out, HasSubstr("a     RUNNING  PYTORCHJOB"));
  EXPECT_THAT(run_.out, HasSubstr("10.0.0.1"));
  EXPECT_LE(run_.server.requests.size(), 6u);
  // A user who may not read definitions would see an empty list.
  EXPECT_THAT(run_.server.requests, Each(Not(HasSubstr("customresourcedefinitions"))));
}

TEST_F(ArenaCommands, AJobOfWhichAPodWaitsIsPending) {
  put_job("a", "Running");
  put_pod("a", "master", "0", "Running");
  put_pod("a", "worker", "0", "Pending");
  EXPECT_EQ(run(make_list(), {}), 0) << run_.err;
  EXPECT_THAT(run_.out, HasSubstr("a     PENDING  PYTORCHJOB"));
}

TEST_F(ArenaCommands, AUserWhoMayNotListIsToldSo) {
  refuse("GET", "/apis/kubeflow.org/v1/namespaces/default/tfjobs", 403, "Forbidden");
  EXPECT_EQ(run(make_list(), {}), 1);
  EXPECT_THAT(run_.err,
              HasSubstr("ERRO[0000] the user has no privileges to list the training jobs in namespace default\n"));
}

TEST_F(ArenaCommands, GetNamesTheNamespaceOfAMissingJob) {
  EXPECT_EQ(run(make_get(), {"x"}), 1);
  EXPECT_EQ(run_.err,
            "ERRO[0000] Not found training job x in namespace default,please use 'arena submit' to create it.\n");
}

TEST_F(ArenaCommands, WrongTypesAndFormatsAreRefused) {
  EXPECT_EQ(run(make_get(), {"x", "-T", "caffe"}), 1);
  EXPECT_THAT(run_.err, HasSubstr("unsupport job type,arena only supports: [tf(Tensorflow),mpi(MPI),py(Pytorch),"));
  EXPECT_EQ(run(make_list(), {"-o", "name"}), 1);
  EXPECT_THAT(run_.err, HasSubstr("unknown output format,only support:[wide|json|yaml]"));
}

TEST_F(ArenaCommands, LogsAreThoseOfTheChiefOrOfTheNamedInstance) {
  put_job("a", "Running");
  put_pod("a", "master", "0", "Running");
  put_pod("a", "worker", "0", "Running");
  run_.server.log("a-master-0", "rank 0\n");
  run_.server.log("a-worker-0", "rank 1\n");
  EXPECT_EQ(run(make_logs(), {"a"}), 0) << run_.err;
  EXPECT_EQ(run_.out, "rank 0\n");
  EXPECT_EQ(run(make_logs(), {"a", "-i", "a-worker-0", "-t", "5"}), 0) << run_.err;
  EXPECT_EQ(run_.out, "rank 1\n");
  EXPECT_THAT(run_.server.requests.back(), HasSubstr("tailLines=5"));
}

TEST_F(ArenaCommands, LogsSayWhatIsWrong) {
  EXPECT_EQ(run(make_logs(), {"x"}), 1);
  EXPECT_EQ(run_.err, "ERRO[0000] training job not found,please use 'arena list' to make sure job is existed\n");
  put_job("a", "Running");
  put_pod("a", "master", "0", "Pending");
  EXPECT_EQ(run(make_logs(), {"a", "-i", "nope"}), 1);
  EXPECT_THAT(run_.err,
              HasSubstr("invalid instance name nope in job a,please use 'arena get a' to make sure instance name"));
  EXPECT_EQ(run(make_logs(), {"a"}), 1);
  EXPECT_THAT(run_.err, HasSubstr("ERRO[0000] instance a-master-0 is not running\n"));
  EXPECT_EQ(run(make_logs(), {"a", "--since", "1d"}), 1);
  EXPECT_THAT(run_.err,
              HasSubstr("failed to parse since seconds,invalid format,should like: ['1h','1m','1s','1h1m1s'...]"));
}

TEST_F(ArenaCommands, DeleteGoesOnAfterANameThatDoesNotExist) {
  put_job("b", "Running");
  EXPECT_EQ(run(make_delete(), {"a", "b"}), 1);
  EXPECT_TRUE(was_deleted("b"));
  EXPECT_EQ(run_.err,
            "INFO[0000] The training job 'a' does not exist,skip to delete it\n"
            "INFO[0000] The Job b has been deleted successfully\n");
}

TEST_F(ArenaCommands, PruneDeletesFinishedJobsOnly) {
  put_job("done", "Succeeded");
  put_job("running", "Running");
  put_job("waiting", "Created");
  EXPECT_EQ(run(make_prune(), {}), 1);
  EXPECT_THAT(run_.err, EndsWith("cleaned by --since. Like --since 10h\n"));
  EXPECT_EQ(run(make_prune(), {"--since", "1s"}), 0) << run_.err;
  EXPECT_THAT(run_.out, HasSubstr("Delete pytorchjob done with Age "));
  EXPECT_TRUE(was_deleted("done"));
  EXPECT_FALSE(was_deleted("running"));
  EXPECT_FALSE(was_deleted("waiting"));
}

TEST_F(ArenaCommands, SubmitRefusesAClaimThatDoesNotExist) {
  EXPECT_EQ(run(make_submit_pytorch(), {"--name=a", "--image=i", "--data=none:/d", "true"}), 1);
  EXPECT_THAT(run_.err, HasSubstr("ERRO[0000] the PVC none of --data doesn't exist in namespace default\n"));
  EXPECT_EQ(run_.server.find(kJobs + std::string("a")), nullptr);
}

TEST_F(ArenaCommands, DryRunCreatesNothing) {
  EXPECT_EQ(run(make_submit_pytorch(), {"--name=a", "--image=i", "--dry-run", "-o", "yaml", "--", "echo", "hi"}), 0)
      << run_.err;
  EXPECT_THAT(run_.out, HasSubstr("kind: PyTorchJob"));
  EXPECT_THAT(run_.out, HasSubstr("- echo hi"));
  EXPECT_TRUE(run_.server.requests.empty());
}

TEST_F(ArenaCommands, TwoJobsOfOneNameAreToldApartByTheirType) {
  put_job("a", "Running");
  json::Document other = cli::make_object("kubeflow.org/v1", "TFJob", "a");
  other["metadata"]["namespace"] = "default";
  run_.server.put("/apis/kubeflow.org/v1/namespaces/default/tfjobs/a", other);
  EXPECT_EQ(run(make_get(), {"a"}), 1);
  EXPECT_THAT(run_.err,
              HasSubstr("ERRO[0000] there are more than 1 training jobs with the same name a, please check it "
                        "with `arena list | grep a`\n"));
  EXPECT_EQ(run(make_get(), {"a", "-T", "py"}), 0) << run_.err;
}

TEST_F(ArenaCommands, LogsOfAJobWithoutAChiefNameItsInstances) {
  put_job("a", "Running");
  put_pod("a", "worker", "0", "Running");
  put_pod("a", "worker", "1", "Running");
  EXPECT_EQ(run(make_logs(), {"a"}), 1);
  EXPECT_EQ(run_.out,
            "There is 2 instances have been found:\na-worker-0\na-worker-1\n"
            "please use '-i' or '--instance' to filter.\n");
}

TEST_F(ArenaCommands, AttachRefusesAnInstanceThatHasEnded) {
  put_job("a", "Succeeded");
  put_pod("a", "master", "0", "Succeeded");
  EXPECT_EQ(run(make_attach(), {"a"}), 1);
  EXPECT_THAT(run_.err, HasSubstr("ERRO[0000] cannot exec into a container in a completed Instance; current phase is "
                                  "Succeeded\n"));
}

TEST_F(ArenaCommands, SubmitSaysWhatIsInItsWay) {
  const std::vector<std::string> args{"--name=a", "--image=i", "true"};
  const std::string jobs = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs";
  refuse("POST", jobs, 409, "AlreadyExists");
  EXPECT_EQ(run(make_submit_pytorch(), args), 1);
  EXPECT_THAT(run_.err,
              HasSubstr("ERRO[0000] the job a is already exist, please delete it first. use 'arena delete a'\n"));
  refuse("POST", jobs, 404, "NotFound");
  EXPECT_EQ(run(make_submit_pytorch(), args), 1);
  EXPECT_THAT(run_.err, HasSubstr("ERRO[0000] failed to find pytorchjob a from api server,reason: the server could not "
                                  "find the requested resource (get pytorchjobs.kubeflow.org a)\n"));
  refuse("POST", "/api/v1/namespaces/default/configmaps", 409, "AlreadyExists");
  EXPECT_EQ(run(make_submit_pytorch(), args), 1);
  EXPECT_THAT(run_.err,
              HasSubstr("ERRO[0000] the job configmap a-pytorchjob is already exist, please delete it first\n"));
  EXPECT_TRUE(was_deleted("a")) << "a job without its parts is not left behind";
}

/// The flags of the tutorial's job.
std::vector<std::string> tutorial_flags() {
  return {"--name=a",      "--image=i",        "--gpus=1",
          "--workers=3",   "--sync-mode=git",  "--data=pvc:/d",
          "--tensorboard", "--logdir=/d/logs", "--sync-source=https://host/p.git",
          "true"};
}

TEST_F(ArenaCommands, SubmitAsksTheServerAtMostSixTimes) {
  run_.server.put("/api/v1/namespaces/default/persistentvolumeclaims/pvc", json::Object{});
  EXPECT_EQ(run(make_submit_pytorch(), tutorial_flags()), 0) << run_.err;
  EXPECT_LE(run_.server.requests.size(), 6u);
}

TEST_F(ArenaCommands, SubmitDeletesNothingThatHasTheNameOfAPart) {
  run_.server.put("/api/v1/namespaces/default/persistentvolumeclaims/pvc", json::Object{});
  const auto submit = [&](const std::string& name, const std::string& existing) {
    refuse("POST", existing, 409, "AlreadyExists");
    std::vector<std::string> flags = tutorial_flags();
    flags.push_back("--name=" + name);
    EXPECT_EQ(run(make_submit_pytorch(), flags), 1);
    EXPECT_THAT(run_.server.requests, Contains(StartsWith("DELETE " + (kJobs + name))));
    EXPECT_THAT(run_.server.requests, Not(Contains(StartsWith("DELETE " + existing))));
  };
  submit("a", "/api/v1/namespaces/default/services");
  EXPECT_THAT(run_.err, StartsWith("ERRO[0000] service/a-tensorboard: "));
  submit("b", "/apis/apps/v1/namespaces/default/deployments");
  EXPECT_THAT(run_.err, StartsWith("ERRO[0000] deployment.apps/b-tensorboard: "));
}

TEST_F(ArenaCommands, AnMpiJobIsMadeInTheVersionThatTheServerHas) {
  const std::string v1 = "/apis/kubeflow.org/v1/namespaces/default/mpijobs";
  const std::string v2 = "/apis/kubeflow.org/v2beta1/namespaces/default/mpijobs";
  EXPECT_EQ(run(make_submit_mpi(), {"--name=a", "--image=i", "--workers=2", "true"}), 0) << run_.err;
  EXPECT_NE(run_.server.find(v1 + "/a"), nullptr);
  refuse("POST", v1, 404, "NotFound");
  EXPECT_EQ(run(make_submit_mpi(), {"--name=b", "--image=i", "--workers=2", "true"}), 0) << run_.err;
  ASSERT_NE(run_.server.find(v2 + "/b"), nullptr);
  EXPECT_EQ(run_.server.find(v2 + "/b")->string_at("apiVersion"), "kubeflow.org/v2beta1");
}

TEST_F(ArenaCommands, ANameThatNoJobCanHaveReachesNoServer) {
  for (const std::string name : {"a;touch x", "$(touch x)", "../a", "a?watch=true", "a\nb", "-A,release", "A"}) {
    run_.server.requests.clear();
    EXPECT_EQ(run(make_get(), {"--", name}), 1);
    EXPECT_THAT(run_.err, MatchesRegex("ERRO.0000. Not found training job [^\n]+\n"));
    EXPECT_EQ(run(make_logs(), {"--", name}), 1);
    EXPECT_EQ(run(make_attach(), {"--", name}), 1);
    EXPECT_EQ(run(make_top_job(), {"--", name}), 1);
    EXPECT_EQ(run(make_delete(), {"--", name}), 1);
    EXPECT_THAT(run_.server.requests, IsEmpty()) << name;
  }
}

TEST_F(ArenaCommands, TopNodeIsShownAgainUntilItFails) {
  EXPECT_EQ(run(make_top_node(), {"-r"}, {[&] { refuse("GET", "/api/v1/nodes", 403, "Forbidden"); }}), 1);
  EXPECT_THAT(run_.out, ContainsRegex("NAME(.|\n)*NAME"));
}

TEST_F(ArenaCommands, DataListShowsTheChosenNamespaceOnly) {
  for (const std::string ns : {"default", "other"}) {
    json::Document claim = cli::make_object("v1", "PersistentVolumeClaim", "in-" + ns);
    claim["metadata"]["namespace"] = ns;
    claim["status"] = json::Object{{"phase", "Bound"}};
    run_.server.put("/api/v1/namespaces/" + ns + "/persistentvolumeclaims/in-" + ns, claim);
  }
  EXPECT_EQ(run(make_data_list(), {}), 0) << run_.err;
  EXPECT_THAT(run_.out, HasSubstr("in-default"));
  EXPECT_THAT(run_.out, Not(HasSubstr("in-other")));
}

TEST_F(ArenaCommands, AJobThatHasNotStartedHasATimeOfCreation) {
  json::Document job = cli::make_object("kubeflow.org/v1", "TFJob", "t");
  job["metadata"]["namespace"] = "default";
  job["metadata"]["creationTimestamp"] = "2020-01-01T00:00:00Z";
  run_.server.put("/apis/kubeflow.org/v1/namespaces/default/tfjobs/t", job);
  EXPECT_EQ(run(make_get(), {"t", "-o", "json"}), 0) << run_.err;
  EXPECT_EQ(json::parse(run_.out)->int_at("creationTimestamp"), 1'577'836'800);
}

TEST_F(ArenaCommands, ListShowsTheChiefOfATfJobWithoutChief) {
  json::Document job = cli::make_object("kubeflow.org/v1", "TFJob", "t");
  job["metadata"]["namespace"] = "default";
  job["metadata"]["uid"] = "uid-t";
  job["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] = 2;
  job["status"]["conditions"] = json::Array{json::Object{{"type", "Running"}, {"status", "True"}}};
  run_.server.put("/apis/kubeflow.org/v1/namespaces/default/tfjobs/t", job);
  put_pod("t", "worker", "0", "Running");
  EXPECT_EQ(run(make_list(), {}), 0) << run_.err;
  EXPECT_THAT(run_.out, MatchesRegex("(.|\n)*t +RUNNING +TFJOB +[^ ]+ +10.0.0.1\n"));
}

constexpr const char* kCrons = "/apis/apps.kubedl.io/v1alpha1/namespaces/default/crons/";

TEST_F(ArenaCommands, CronIsMadeChangedShownAndDeleted) {
  EXPECT_EQ(run(make_cron_tf(), {"--name=c", "--image=i", "--schedule=@daily", "true"}), 0) << run_.err;
  EXPECT_EQ(run_.out, "cron.apps.kubedl.io/c created\n");
  EXPECT_EQ(run_.err,
            "INFO[0000] The cron tfjob c has been submitted successfully\n"
            "INFO[0000] You can run `arena cron get c` to check the cron status\n");
  const json::Document* cron = run_.server.find(kCrons + std::string("c"));
  ASSERT_NE(cron, nullptr);
  EXPECT_EQ(cron->string_at("spec", "template", "kind"), "TFJob");

  EXPECT_EQ(run(make_cron_list(), {}), 0) << run_.err;
  EXPECT_THAT(run_.out, HasSubstr("c     TFJob  @daily    false"));
  EXPECT_EQ(run(make_cron_list(), {"-o", "json"}), 0) << run_.err;
  const auto listed = json::parse(run_.out);
  ASSERT_TRUE(listed) << run_.out;
  EXPECT_EQ(listed->as_array().size(), 1u) << "one array, not objects behind each other";
  EXPECT_EQ(run(make_cron_get(), {"c"}), 0) << run_.err;
  EXPECT_THAT(run_.out, HasSubstr("Schedule:           @daily\n"));

  EXPECT_EQ(run(make_cron_suspend(), {"c"}), 0) << run_.err;
  EXPECT_EQ(run_.out, "cron c suspend success\n");
  EXPECT_TRUE(run_.server.find(kCrons + std::string("c"))->bool_at("spec", "suspend"));
  EXPECT_EQ(run(make_cron_resume(), {"c"}), 0) << run_.err;
  EXPECT_EQ(run_.out, "cron c resume success\n");
  EXPECT_FALSE(run_.server.find(kCrons + std::string("c"))->bool_at("spec", "suspend"));
  EXPECT_EQ(run(make_cron_delete(), {"c"}), 0) << run_.err;
  EXPECT_EQ(run_.out, "cron c has deleted\n");
  EXPECT_NE(run_.server.find(kCrons + std::string("c"))->at("metadata", "deletionTimestamp"), nullptr);
}

TEST_F(ArenaCommands, CronCommandsGoOnAfterANameThatFails) {
  json::Document cron = cli::make_object("apps.kubedl.io/v1alpha1", "Cron", "b");
  cron["metadata"]["namespace"] = "default";
  run_.server.put(kCrons + std::string("b"), cron);
  run_.server.refuse("PATCH", kCrons + std::string("a"), 404,
                     *json::parse(R"({"kind":"Status","reason":"NotFound","message":"no","details":{"name":"a"}})"));
  EXPECT_EQ(run(make_cron_suspend(), {"a", "../x", "b"}), 1);
  EXPECT_EQ(run_.out, "cron b suspend success\n");
  EXPECT_THAT(run_.err, HasSubstr("ERRO[0000] crons.apps.kubedl.io \"a\" not found\n"));
  EXPECT_THAT(run_.err, HasSubstr("ERRO[0000] crons.apps.kubedl.io \"../x\" not found\n"));
}

TEST_F(ArenaCommands, AServerWithoutCronsIsNamed) {
  const json::Document missing = *json::parse(
      R"({"kind":"Status","reason":"NotFound","message":"the server could not find the requested resource"})");
  run_.server.refuse("GET", "/apis/apps.kubedl.io/v1alpha1/namespaces/default/crons", 404, missing);
  EXPECT_EQ(run(make_cron_list(), {}), 1);
  EXPECT_THAT(run_.err, HasSubstr("install the definition of Cron"));
  run_.server.refuse("POST", "/apis/apps.kubedl.io/v1alpha1/namespaces/default/crons", 404, missing);
  EXPECT_EQ(run(make_cron_tf(), {"--name=c", "--image=i", "--schedule=@daily", "true"}), 1);
  EXPECT_THAT(run_.err,
              HasSubstr("failed to find cron c from api server,reason: the server could not find the requested "
                        "resource (get crons.apps.kubedl.io c)"));
}

TEST(UserConfigTest, ReadsKeysAndSkipsComments) {
  const UserConfig config = parse_user_config("# namespace=x\nnamespace = team\nimagePullSecrets=a,b\nother=1\n");
  EXPECT_EQ(config.ns, "team");
  EXPECT_THAT(config.image_pull_secrets, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace muster::arena
