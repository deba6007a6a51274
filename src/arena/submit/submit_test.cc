// Golden cases: testdata/CASE.args has one word of a command line per line, testdata/CASE.yaml the objects that it
// creates. MUSTER_UPDATE_GOLDEN=1 rewrites them; read the difference before committing it.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "arena/submit/cron_object.h"
#include "arena/submit/objects.h"
#include "base/files.h"
#include "base/strings.h"
#include "json/yaml.h"
#include "testing/source_dir.h"

namespace muster::arena {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string data_dir() {
  return muster::testing::source_dir() + "/src/arena/testdata/";
}

Result<std::string> fake_file(const std::string& path) {
  if (path == "/home/me/c.json" || path == "./c.json") return std::string("{}");
  return Error{.reason = Reason::kNotFound, .message = "no such file"};
}

std::variant<JobRequest, cli::Failure> request_of(std::vector<std::string> args) {
  const JobType* type = find_type(args[0]);
  args.erase(args.begin());
  SubmitFlags values;
  Flags flags;
  values.add_flags(flags, *type);
  auto parsed = flags.parse(args);
  if (auto* failure = std::get_if<cli::Failure>(&parsed)) return *failure;
  return read_request(*type, values, std::get<Flags::Parsed>(parsed).words, "/home/me", fake_file);
}

Submission submission_of(const std::vector<std::string>& args) {
  auto request = request_of(args);
  const auto* failure = std::get_if<cli::Failure>(&request);
  EXPECT_EQ(failure, nullptr) << failure->what;
  return objects_of(std::get<JobRequest>(request), {.ns = "default", .log_folder_id = "123456789"});
}

std::string text_of(const Submission& made) {
  std::string out;
  for (const json::Document& object : made.parts) out += "---\n" + json::to_yaml(object);
  return out + "---\n" + json::to_yaml(made.job);
}

class SubmitGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(SubmitGolden, MakesTheseObjects) {
  auto lines = split(*read_file(data_dir() + GetParam() + ".args"), '\n');
  lines.pop_back();  // after the last newline
  const std::string made = text_of(submission_of(lines));
  const std::string path = data_dir() + GetParam() + ".yaml";
  if (std::getenv("MUSTER_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file_atomically(path, made, 0644));
  }
  EXPECT_EQ(made, *read_file(path)) << "MUSTER_UPDATE_GOLDEN=1 arena_test rewrites " << path;
}

INSTANTIATE_TEST_SUITE_P(Cases, SubmitGolden,
                         ::testing::Values("tutorial", "private", "pytorch_all", "tf_alone", "tf_dist", "mpi",
                                           "local_code"),
                         [](const auto& golden) { return std::string(golden.param); });

struct BadInput {
  std::vector<std::string> args;
  std::string what;
};

std::vector<std::string> with(std::vector<std::string> more) {
  std::vector<std::string> out{"pytorchjob", "--name=a", "--image=i"};
  out.insert(out.end(), more.begin(), more.end());
  out.emplace_back("true");
  return out;
}

/// The texts of Arena, and ours where Arena drops input silently.
std::string refusal_of(const std::vector<std::string>& more) {
  std::vector<std::string> args{"pytorchjob", "--name=n", "--image=i"};
  args.insert(args.end(), more.begin(), more.end());
  args.emplace_back("python train.py");
  const auto request = request_of(args);
  const auto* failure = std::get_if<cli::Failure>(&request);
  return failure == nullptr ? "none" : failure->what;
}

TEST(Submit, ABranchThatCannotBeARefIsRefused) {
  const std::vector<std::string> source{"--sync-mode=git", "--sync-source=https://h/p.git"};
  const auto refusal = [&](const std::string& branch) {
    return refusal_of({source[0], source[1], "--env=GIT_SYNC_BRANCH=" + branch});
  };
  for (const char* good : {"main", "feature/x", "v1.2", "a@b", "Ü"}) EXPECT_EQ(refusal(good), "none") << good;
  EXPECT_EQ(refusal("my branch"),
            "--env GIT_SYNC_BRANCH: must be the name of a branch, got \"my branch\"; a branch has no spaces, control "
            "characters or any of ~^:?*[\\");
  for (const char* bad :
       {"", "-x", "a..b", "a/", "/a", "a//b", "x.lock", ".x", "a/.b", "x.", "a~1", "a^", "a:b", "@{u}", "@", "a\tb"}) {
    EXPECT_THAT(refusal(bad), HasSubstr("must be the name of a branch")) << bad;
  }
}

TEST(Submit, ALogDirThatIsNoPathIsRefused) {
  for (const char* good : {"/logs", "/logs/", "s3://bucket/logs"})
    EXPECT_EQ(refusal_of({std::string("--logdir=") + good}), "none");
  EXPECT_EQ(refusal_of({"--logdir=logs"}), "--logdir: must be an absolute path, got \"logs\"");
  for (const char* bad : {"", "/", "/a/../b", "/proc", "/a\nb", "s3:/x", "://x"}) {
    EXPECT_THAT(refusal_of({std::string("--logdir=") + bad}), HasSubstr("--logdir: must")) << bad;
  }
}

TEST(Submit, AFolderAsSourceMustBeAnAbsolutePath) {
  for (const char* bad : {".", "../project", "~/project"}) {
    EXPECT_THAT(refusal_of({"--sync-mode=git", std::string("--sync-source=") + bad}), HasSubstr("--sync-source: "))
        << bad;
  }
  EXPECT_THAT(refusal_of({"--sync-mode=rsync", "--sync-source=/proc/1"}), HasSubstr("must not be / or lie in /proc"));
}

TEST(Submit, AQueueHasAName) {
  EXPECT_EQ(refusal_of({"--queue=true"}), "none");
  EXPECT_EQ(refusal_of({"--queue", "--gang"}), "--queue: must be the name of a queue, got \"--gang\"");
}

TEST(SubmitBadInput, HasArenasTexts) {
  const std::string invalid = "failed to validate command args: ";
  const std::vector<BadInput> cases = {
      {{"pytorchjob", "--image=i", "true"}, "required flag(s) \"name\" not set"},
      {{"pytorchjob", "--name=a", "true"}, invalid + "--image must be set"},
      {{"tfjob", "--name=a", "true"}, invalid + "--image or --workerImage must be set"},
      {with({"--name=" + std::string(60, 'x')}),
       invalid + "the len 60 of name " + std::string(60, 'x') + " is too long, it should be less than 49"},
      {with({"--name=a;rm -rf"}), invalid +
                                      "the job name must consist of lower case alphanumeric characters, '-' or '.', "
                                      "and must start and end with an alphanumeric character"},
      {with({"--name=a\nb"}), invalid + "the job name must consist of lower case alphanumeric characters, '-' or '.', "
                                        "and must start and end with an alphanumeric character"},
      {with({"--cpu=lots"}), invalid + "--cpu is invalid"},
      {with({"--memory=-1"}), invalid + "--memory is invalid"},
      {with({"--share-memory=x"}), invalid + "--share-memory is invalid"},
      {with({"--gpus=-1"}), invalid + "--gpus is invalid"},
      {with({"--workers=0"}), invalid + "--workers is invalid"},
      {with({"--clean-task-policy=Some"}), invalid + "unsupported cleanTaskPolicy Some"},
      {with({"--nproc-per-node=many"}), invalid + "--nproc-per-node is invalid"},
      {with({"--device=nvidia.com/gpu=1"}), invalid + "please use '--gpus 1' instead of '--device nvidia.com/gpu=1'"},
      {with({"--data=x"}), "dataset x has incorrect format, should like data_name:/data0"},
      {with({"--data=pvc:/a", "--data=pvc:/b"}), "your PVC name: pvc is repeated, please check it"},
      {with({"--data=pvc:a"}), "invalid dataDir: 'a' must be absolute"},
      {with({"--data=pvc:/"}), "invalid specification: dataDir can't be '/'"},
      {with({"--data-dir=a"}), "invalid DataDir: 'a'"},
      {with({"--sync-mode=git"}), "--syncSource should be set when syncMode is set"},
      {with({"--sync-mode=hdfs", "--sync-source=x"}), "Unknown sync mode: hdfs"},
      {with({"--sync-mode=git", "--sync-source=ext::sh -c id"}),
       "--sync-source: must be the address of a repository, got \"ext::sh -c id\""},
      {with({"--sync-mode=git", "--sync-source=--upload-pack=id"}),
       "--sync-source: must be the address of a repository, got \"--upload-pack=id\""},
      {with({"--model-name=m"}), "model version source must be specified when registering a model version"},
      {with({"--env=FOO"}), "--env: must be KEY=VALUE, got \"FOO\""},
      {with({"--label=x"}), "--label: must be KEY=VALUE, got \"x\""},
      {with({"--toleration=k=v:Never"}),
       "--toleration: must be KEY, KEY=VALUE:EFFECT, KEY=VALUE:EFFECT,OPERATOR or all, got \"k=v:Never\""},
      {with({"--config-file=./none:/etc/x"}), "--config-file: cannot read \"./none\""},
      {with({std::string(1 << 20, 'x')}),
       "the command has 1048581 bytes; a program's argument may have at most 131071"},
  };
  for (const BadInput& one : cases) {
    auto request = request_of(one.args);
    const auto* failure = std::get_if<cli::Failure>(&request);
    ASSERT_NE(failure, nullptr) << one.what;
    EXPECT_EQ(failure->what, one.what);
  }
}

TEST(Submit, TheCommandIsOneArgumentOfTheShellWhateverItContains) {
  for (const std::string command :
       {"python t.py # x", "a: b", "[1, 2]", "\"quoted\" *glob* !x", "a\nb", "$HOME `id`"}) {
    const Submission made = submission_of({"pytorchjob", "--name=a", "--image=i", command});
    const json::Document& container =
        made.job.array_at("spec", "pytorchReplicaSpecs", "Master", "template", "spec", "containers")[0];
    EXPECT_EQ(container.array_at("command")[2], json::Document(command));
  }
}

TEST(Submit, CredentialsAreOnlyInTheSecret) {
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--sync-source=https://h/p.git", "--env=GIT_SYNC_USERNAME=me",
                                 "--env=GIT_SYNC_PASSWORD=pa55"},
        {"--sync-source=https://me:pa55@h/p.git"}}) {
    std::vector<std::string> args{"pytorchjob", "--name=a", "--image=i", "--sync-mode=git"};
    args.insert(args.end(), flags.begin(), flags.end());
    args.emplace_back("true");
    const Submission made = submission_of(args);
    ASSERT_EQ(made.parts.size(), 2u);  // the record and the Secret
    EXPECT_THAT(json::serialize(made.job), Not(HasSubstr("pa55")));
    EXPECT_THAT(json::serialize(made.parts[0]), Not(HasSubstr("pa55")));
    EXPECT_EQ(made.parts[1].string_at("data", "GIT_SYNC_PASSWORD"), base64_encode("pa55"));
    EXPECT_THAT(json::serialize(made.job), HasSubstr(R"("value":"https://h/p.git")"));
  }
}

TEST(Submit, TolerationsMeanWhatTheySay) {
  const Submission made =
      submission_of(with({"--toleration=k", "--toleration=k=v:NoSchedule,Equal", "--toleration=all"}));
  EXPECT_EQ(json::serialize(*made.job.at("spec", "pytorchReplicaSpecs", "Master", "template", "spec", "tolerations")),
            R"([{"key":"k","operator":"Exists"},{"key":"k","operator":"Equal","value":"v","effect":"NoSchedule"},)"
            R"({"operator":"Exists"}])");
}

TEST(Submit, FlagsThatArenaIgnoresHaveTheirEffect) {
  const Submission tf =
      submission_of({"tfjob", "--name=a", "--image=i", "--retry=2", "--starting-timeout=1m", "--workers=2", "true"});
  EXPECT_EQ(tf.job.int_at("spec", "runPolicy", "backoffLimit"), 2);
  EXPECT_EQ(tf.job.int_at("spec", "runPolicy", "schedulingPolicy", "scheduleTimeoutSeconds"), 60);
  const Submission mpi = submission_of({"mpijob", "--name=a", "--image=i", "--device=amd.com/gpu=2", "true"});
  const json::Document& worker =
      mpi.job.array_at("spec", "mpiReplicaSpecs", "Worker", "template", "spec", "containers")[0];
  EXPECT_EQ(worker.string_at("resources", "limits", "amd.com/gpu"), "2") << "a request without a limit is invalid";
  EXPECT_EQ(worker.string_at("resources", "requests", "amd.com/gpu"), "2");
}

TEST(Submit, TheJobSaysWhoseItIs) {
  auto request = request_of(with({}));
  const Submission made =
      objects_of(std::get<JobRequest>(request), {.ns = "default", .user = "me@team", .user_id = "1d"});
  EXPECT_EQ(made.job.string_at("metadata", "labels", "arena.kubeflow.org/uid"), "1d");
  EXPECT_EQ(made.job.string_at("metadata", "annotations", "arena.kubeflow.org/username"), "me@team");
}

TEST(Submit, AWordAfterASwitchIsNotTheCommand) {
  const Submission made =
      submission_of({"pytorchjob", "--name=a", "--image=i", "--hostNetwork", "true", "python t.py"});
  const json::Document& pod = *made.job.at("spec", "pytorchReplicaSpecs", "Master", "template", "spec");
  EXPECT_TRUE(pod.bool_at("hostNetwork"));
  EXPECT_EQ(pod.array_at("containers")[0].array_at("command")[2], json::Document("python t.py"));
}

TEST(Submit, TensorBoardOnTheEngineKeepsItsLogsInAClaim) {
  auto request = request_of(with({"--tensorboard"}));
  const Submission made = objects_of(std::get<JobRequest>(request), {.ns = "default", .log_volume = LogVolume::kClaim});
  EXPECT_EQ(made.parts[1].string_at("kind"), "PersistentVolumeClaim");
  EXPECT_THAT(json::serialize(made.job), HasSubstr(R"("mountPath":"/training_logs")"));
  EXPECT_THAT(json::serialize(made.job), Not(HasSubstr("hostPath")));
}

CronFlags cron_flags(const std::vector<std::string>& args) {
  CronFlags values;
  Flags flags;
  values.add_flags(flags);
  EXPECT_TRUE(std::holds_alternative<Flags::Parsed>(flags.parse(args)));
  return values;
}

TEST(SubmitCron, PutsTheJobIntoACron) {
  const CronFlags flags = cron_flags({"--schedule=TZ=Asia/Shanghai 0 9 * * 1-5", "--concurrency-policy=Forbid",
                                      "--suspend", "--deadline=2026-12-31T08:00:00+08:00", "--history-limit=3"});
  ASSERT_FALSE(flags.check());
  const Submission job = submission_of({"tfjob", "--name=nightly", "--image=tf", "--sync-mode=git",
                                        "--sync-source=https://me:pa55@h/p.git", "python train.py"});
  const std::string made = text_of(on_schedule(job, flags));
  const std::string path = data_dir() + "cron.yaml";
  if (std::getenv("MUSTER_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file_atomically(path, made, 0644));
  }
  EXPECT_EQ(made, *read_file(path)) << "MUSTER_UPDATE_GOLDEN=1 arena_test rewrites " << path;
}

TEST(SubmitCron, FlagsAreChecked) {
  const std::string invalid = "failed to validate command args: ";
  for (const auto& [args, what] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{}, "--schedule must be set"},
           {{"--schedule=* * *"}, "--schedule is invalid, got * * *"},
           {{"--schedule=0 22-6 * * *"}, "--schedule is invalid, got 0 22-6 * * *"},
           {{"--schedule=@daily", "--concurrency-policy=allow"}, "--concurrency-policy is invalid, got allow"},
           {{"--schedule=@daily", "--deadline=noon"}, "--deadline is invalid, got noon"},
           {{"--schedule=@daily", "--history-limit=-1"}, "--history-limit is invalid, got -1"}}) {
    const auto failure = cron_flags(args).check();
    ASSERT_TRUE(failure) << what;
    EXPECT_EQ(failure->what, invalid + what);
    EXPECT_FALSE(failure->fix.empty()) << what;
  }
}

}  // namespace
}  // namespace muster::arena
