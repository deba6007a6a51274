// The commands against a server on virtual time.
#include "arena/commands/commands.h"

#include <gmock/gmock.h>

#include "api/names.h"
#include "base/strings.h"
#include "testing/command_run.h"

namespace muster::arena {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

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
}

TEST_F(ArenaCommands, AJobOfWhichAPodWaitsIsPending) {
  put_job("a", "Running");
  put_pod("a", "master", "0", "Running");
  put_pod("a", "worker", "0", "Pending");
  EXPECT_EQ(run(make_list(), {}), 0) << run_.err;
  EXPECT_THAT(run_.out, HasSubstr("a     PENDING  PYTORCHJOB"));
}

TEST_F(ArenaCommands, AUserWhoMayNotListIsToldSo) {
  run_.server.refuse("GET", "/apis/kubeflow.org/v1/namespaces/default/tfjobs", 403,
                     json::Object{{"kind", "Status"}, {"reason", "Forbidden"}, {"message", "no"}});
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

TEST(UserConfigTest, ReadsKeysAndSkipsComments) {
  const UserConfig config = parse_user_config("# namespace=x\nnamespace = team\nimagePullSecrets=a,b\nother=1\n");
  EXPECT_EQ(config.ns, "team");
  EXPECT_THAT(config.image_pull_secrets, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace muster::arena
