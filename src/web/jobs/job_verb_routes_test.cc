#include "web/jobs/job_verb_routes.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "testing/engine_fixture.h"

namespace muster::web {
namespace {

using ::testing::HasSubstr;

const std::string kGroup = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs";
const std::string kContainer = R"({"spec":{"containers":[{"name":"pytorch","image":"i"}]}})";
const std::string kRoles = R"("replicaSpecs":[{"type":"worker","replicas":1,"template":)" + kContainer + "}]";

class JobVerbs : public apiserver::Engine {
 protected:
  void SetUp() override {
    server_options_.account_key = "key";
    Engine::SetUp();
    until([&] { return store_->count("serviceaccounts") == 3; });
    server_->add_routes(job_verb_routes(api_transport(), ActsAs::kCaller));
  }
  void TearDown() override {
    transport_.reset();
    Engine::TearDown();
  }
  net::Transport& api_transport() {
    transport_ = std::make_unique<apiserver::LocalTransport>(loop_, *server_);
    return *transport_;
  }

  void make(const std::string& name, const std::string& spec) {
    const std::string head = R"({"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob",)";
    const auto made = call("POST", kGroup, head + R"("metadata":{"name":")" + name + R"("},"spec":{)" + spec + "}}");
    ASSERT_EQ(made->status, 201) << made->body;
  }
  static std::string path_of(const std::string& name_and_verb,
                             const std::string& kind = "pytorchtrainingjobs.batch.tensorstack.dev") {
    return "/apis/muster.dev/v1/namespaces/default/jobs/" + kind + "/" + name_and_verb;
  }
  std::shared_ptr<apiserver::Recorder> ask(const std::string& name_and_verb, const std::string& body = "") {
    return call("POST", path_of(name_and_verb), body);
  }
  std::string refusal(int status, const std::string& name_and_verb, const std::string& body = "") {
    const auto answer = ask(name_and_verb, body);
    EXPECT_EQ(answer->status, status) << answer->body;
    return json::parse(answer->body)->string_at("message");
  }
  json::Document job(const std::string& name) { return *json::parse(call("GET", kGroup + "/" + name)->body); }

  std::shared_ptr<apiserver::Recorder> as(const std::string& token, const std::string& target,
                                          const std::string& body = "") {
    auto exchange = std::make_shared<apiserver::Recorder>();
    net::Request request{.method = "POST", .target = target, .headers = {}, .body = body, .peer = {.tls = true}};
    request.headers.set("Authorization", "Bearer " + token);
    request.headers.set("Host", "here");
    server_->handle(std::move(request), exchange);
    until([&] { return exchange->ended; });
    return exchange;
  }

  std::unique_ptr<apiserver::LocalTransport> transport_;
};

TEST_F(JobVerbs, PauseAndResumeInTheJobsOwnSpelling) {
  make("a", R"("runMode":{"pause":{"enable":false}},)" + kRoles);
  EXPECT_EQ(ask("a/pause")->body, R"({"outcome":"paused"})");
  EXPECT_TRUE(job("a").bool_at("spec", "runMode", "pause", "enable"));
  EXPECT_EQ(ask("a/pause")->body, R"({"outcome":"is already paused"})");
  EXPECT_EQ(ask("a/resume", "{}")->body, R"({"outcome":"resumed"})");
  EXPECT_FALSE(job("a").bool_at("spec", "runMode", "pause", "enable"));
}

TEST_F(JobVerbs, StopIsAnAnnotation) {
  make("a", kRoles);
  EXPECT_EQ(ask("a/stop?dryRun=All")->status, 200);
  EXPECT_EQ(job("a").string_at("metadata", "annotations", "muster.dev/stop"), "");
  EXPECT_EQ(ask("a/stop")->body, R"({"outcome":"is being stopped"})");
  EXPECT_EQ(job("a").string_at("metadata", "annotations", "muster.dev/stop"), "true");
}

TEST_F(JobVerbs, ScaleAnElasticJobOnly) {
  make("fixed", kRoles);
  make("a",
       R"("torchrunConfig":{"enabled":true},"elastic":{"enabled":true,"minReplicas":1,"maxReplicas":4},)" + kRoles);
  EXPECT_EQ(ask("a/scale", R"({"replicas":3})")->body, R"({"outcome":"scaled to 3"})");
  EXPECT_EQ(job("a").int_at("spec", "elastic", "expectedReplicas"), 3);
  EXPECT_EQ(refusal(409, "fixed/scale", R"({"replicas":3})"),
            "cannot scale fixed: the job is not elastic: every rank knows the number of ranks from its start; write "
            "spec.elastic in its manifest, or change the replicas in its manifest and create the job again");
  EXPECT_EQ(ask("a/scale", R"({"replicas":9})")->status, 422);  // the API's own rule
}

TEST_F(JobVerbs, RerunTakesTheNextFreeName) {
  make("a", R"("runMode":{"pause":{"enabled":true}},)" + kRoles);
  make("a-2", kRoles);
  const auto made = ask("a/rerun");
  EXPECT_EQ(made->status, 201);
  EXPECT_EQ(made->body, R"({"outcome":"created","name":"a-3"})");
  EXPECT_EQ(job("a-3").at("spec", "runMode", "pause"), nullptr);
  EXPECT_EQ(ask("a/rerun", R"({"name":"b"})")->body, R"({"outcome":"created","name":"b"})");
  EXPECT_EQ(ask("a/rerun", R"({"name":"b"})")->status, 409);
}

TEST_F(JobVerbs, ACopyKeepsTheSecretsOfTheOldJob) {
  const std::string secrets = "/api/v1/namespaces/default/secrets";
  const std::string container =
      R"({"name":"pytorch","image":"i","env":[{"name":"KEY","valueFrom":{"secretKeyRef":{"name":"key","key":"k"}}},)"
      R"({"name":"OWN","valueFrom":{"secretKeyRef":{"name":"own","key":"k"}}}]})";
  make("a",
       R"("replicaSpecs":[{"type":"worker","replicas":1,"template":{"spec":{"containers":[)" + container + "]}}}]");
  const std::string uid = job("a").string_at("metadata", "uid");
  const std::string owner = R"("ownerReferences":[{"apiVersion":"batch.tensorstack.dev/v1beta1","kind":)"
                            R"("PyTorchTrainingJob","name":"a","uid":")" +
                            uid + R"("}])";
  ASSERT_EQ(call("POST", secrets, R"({"metadata":{"name":"key",)" + owner + "}}")->status, 201);
  ASSERT_EQ(call("POST", secrets, R"({"metadata":{"name":"own"}})")->status, 201);
  EXPECT_EQ(ask("a/rerun?dryRun=All")->status, 201);
  EXPECT_EQ(ask("a/rerun")->body, R"({"outcome":"created","name":"a-2"})");
  const auto owners = [&](const std::string& name) {
    std::vector<std::string> names;
    const auto secret = *json::parse(call("GET", secrets + "/" + name)->body);
    for (const json::Document& one : secret.array_at("metadata", "ownerReferences"))
      names.push_back(one.string_at("name"));
    return names;
  };
  EXPECT_THAT(owners("key"), ::testing::ElementsAre("a", "a-2"));
  EXPECT_THAT(owners("own"), ::testing::IsEmpty()) << "a Secret that somebody else keeps";
  ASSERT_EQ(call("DELETE", kGroup + "/a")->status, 200);
  until([&] { return owners("key") == std::vector<std::string>{"a-2"}; });
}

TEST_F(JobVerbs, WrongRequestsSayWhatIsWrong) {
  make("a", kRoles);
  EXPECT_EQ(refusal(400, "a/scale"), "replicas: must be a whole number of at least 0, got nothing");
  EXPECT_EQ(refusal(400, "a/scale", R"({"replicas":"few"})"),
            "replicas: must be a whole number of at least 0, got \"few\"");
  EXPECT_EQ(refusal(400, "a/scale", R"({"replica":2})"), "replica: unknown field, got 2");
  EXPECT_EQ(refusal(400, "a/pause", R"({"replicas":2})"), "replicas: unknown field, got 2");
  EXPECT_EQ(refusal(400, "a/pause", "[]"), "body: must be an object, got []");
  EXPECT_EQ(refusal(400, "a/rerun", R"({"name":""})"), "name: must be the name of the new job, got \"\"");
  EXPECT_THAT(refusal(404, "b/pause"), HasSubstr("\"b\" not found"));
  EXPECT_EQ(call("POST", path_of("a/pause", "cats"))->status, 404);
  EXPECT_EQ(call("GET", path_of("a/pause"))->status, 405);
  const auto queue = call("POST", path_of("default/pause", "serviceaccounts"));
  EXPECT_EQ(queue->status, 404) << queue->body;
  EXPECT_THAT(queue->body, HasSubstr("ServiceAccount is not a kind of job"));
}

TEST_F(JobVerbs, AWrongDryRunChangesNothing) {
  make("a", kRoles);
  EXPECT_THAT(refusal(422, "a/stop?dryRun=all"), HasSubstr("dryRun"));
  EXPECT_THAT(refusal(422, "a/rerun?dryRun="), HasSubstr("dryRun"));
  EXPECT_EQ(ask("a/rerun?dryRun=All")->status, 201);
  EXPECT_EQ(job("a").at("metadata", "annotations"), nullptr);
  EXPECT_EQ(call("GET", kGroup + "/a-2")->status, 404);
}

TEST_F(JobVerbs, ABodyHasNoMembersWithoutAName) {
  make("a", kRoles);
  EXPECT_EQ(refusal(400, "a/pause", R"({"":1})"), "\"\": unknown field, got 1");
  EXPECT_EQ(job("a").at("spec", "runMode"), nullptr);
}

TEST_F(JobVerbs, AJobThatIsBeingDeletedIsLeftAlone) {
  make("a", kRoles);
  const auto held = call("PATCH", kGroup + "/a", R"({"metadata":{"finalizers":["example.com/wait"]}})");
  ASSERT_EQ(held->status, 200) << held->body;
  ASSERT_EQ(call("DELETE", kGroup + "/a")->status, 200);
  for (const char* verb : {"pause", "resume", "stop"}) {
    EXPECT_EQ(refusal(409, std::string("a/") + verb), fmt::format("cannot {} a: the job is being deleted", verb));
  }
}

TEST_F(JobVerbs, AServiceAccountHasNoMoreRightsThanItsOwnRequests) {
  const std::string on_host =
      R"("replicaSpecs":[{"type":"worker","replicas":1,"template":{"spec":{"containers":[{"name":"pytorch","image":"i"}],)"
      R"("volumes":[{"name":"v","hostPath":{"path":"/data"}}]}}}])";
  make("owners", on_host);
  make("plain", kRoles);
  const auto issued = as("t", "/api/v1/namespaces/default/serviceaccounts/default/token", R"({"spec":{}})");
  const std::string token = json::parse(issued->body)->string_at("status", "token");
  const auto refused = as(token, path_of("owners/rerun"));
  EXPECT_EQ(refused->status, 403) << refused->body;
  EXPECT_EQ(as("t", path_of("owners/rerun"))->status, 201);
  EXPECT_EQ(as(token, path_of("plain/rerun"))->status, 201);
  EXPECT_EQ(as(token, path_of("plain/pause"))->status, 200);
  EXPECT_EQ(as("wrong", path_of("plain/pause"))->status, 401);
}

}  // namespace
}  // namespace muster::web
