// What comes back of what a client sent: little, whatever it sent, and never the value of a Secret.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <numeric>

#include "testing/engine_fixture.h"

namespace muster::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSecrets = "/api/v1/namespaces/default/secrets";
constexpr const char* kJobs = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs";

class Echoes : public Engine {
 protected:
  std::shared_ptr<Recorder> send(const std::string& method, const std::string& target, const std::string& type,
                                 const std::string& body) {
    auto exchange = std::make_shared<Recorder>();
    net::Request request{.method = method, .target = target, .headers = {}, .body = body, .peer = {.in_process = true}};
    request.headers.set("Content-Type", type);
    server_->handle(std::move(request), exchange);
    until([&] { return exchange->ended; });
    return exchange;
  }

  static std::vector<std::string> warnings(const Recorder& answer) {
    std::vector<std::string> out;
    for (const auto& [name, value] : answer.headers) {
      if (name == "Warning") out.push_back(value);
    }
    return out;
  }
};

std::string many_fields(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += fmt::format(R"(,"containerz{}":1)", i);
  return out;
}

TEST_F(Echoes, ManyUnknownFieldsGiveAFewWarnings) {
  constexpr int kFields = 18990;  // an object may have 19,000 members
  const std::string config_map = R"({"metadata":{"name":"a"})" + many_fields(kFields) + "}";
  const std::string job = R"({"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob","metadata":)"
                          R"({"name":"a"},"spec":{"replicaSpecs":[{"type":"worker","template":{"spec":)"
                          R"({"containers":[{"name":"pytorch","image":"i"}]}}}]})" +
                          many_fields(kFields) + "}";
  for (const auto& [target, body] : {std::pair{kConfigMaps, config_map}, std::pair{kJobs, job}}) {
    const auto answer = send("POST", std::string(target) + "?dryRun=All", "application/json", body);
    ASSERT_EQ(answer->status, 201) << answer->body.substr(0, 1000);
    const std::vector<std::string> said = warnings(*answer);
    const auto add = [](std::size_t sum, const std::string& one) { return sum + one.size(); };
    EXPECT_LT(std::accumulate(said.begin(), said.end(), std::size_t{0}, add), 8192u);
    EXPECT_LE(said.size(), 51u) << "clients take about a hundred headers";
    EXPECT_THAT(said.front(), HasSubstr("unknown field \\\"containerz0\\\""));
    EXPECT_THAT(said.back(), HasSubstr(fmt::format("{} more warnings", kFields - (said.size() - 1))));

    const auto strict =
        send("POST", std::string(target) + "?dryRun=All&fieldValidation=Strict", "application/json", body);
    EXPECT_EQ(strict->status, 400);
    EXPECT_LT(strict->body.size(), 64u * 1024);
  }
}

TEST_F(Echoes, LongWarningsAreCutWhenThereAreTooMany) {
  const std::string key(3000, 'k');
  const auto answer = send("POST", std::string(kConfigMaps) + "?dryRun=All", "application/json",
                           fmt::format(R"({{"metadata":{{"name":"a"}},"{}":1,"{}2":2}})", key, key));
  ASSERT_EQ(warnings(*answer).size(), 2u);
  EXPECT_LT(warnings(*answer)[0].size(), 300u);
  const auto one = send("POST", std::string(kConfigMaps) + "?dryRun=All", "application/json",
                        fmt::format(R"({{"metadata":{{"name":"a"}},"{}":1}})", key));
  EXPECT_THAT(warnings(*one)[0], HasSubstr(key)) << "a few are shown as they are";
}

TEST_F(Echoes, AnAnswerDoesNotGrowWithWhatItIsAbout) {
  const std::string huge(1u << 20, 'A');
  const std::string pod = R"("spec":{"containers":[{"name":"c","image":"i"}]})";
  const std::string many = [&] {
    std::string out = "{";
    for (int i = 0; i < 5000; ++i) out += fmt::format(R"({}"not a key {}":"v")", i == 0 ? "" : ",", i);
    return out + "}";
  }();
  const std::vector<std::pair<std::string, std::string>> requests = {
      {kPods, fmt::format(R"({{"metadata":{{"name":"{}"}},{}}})", huge, pod)},
      {kPods, fmt::format(R"({{"metadata":{{"name":"p","labels":{{"{}":"{}"}}}},{}}})", huge, huge, pod)},
      {kPods, fmt::format(R"({{"metadata":{{"name":"p","finalizers":["{}"]}},{}}})", huge, pod)},
      {kPods,
       fmt::format(R"({{"metadata":{{"name":"p"}},"spec":{{"containers":[{{"name":"{}","image":"i"}}]}}}})", huge)},
      {kPods, fmt::format(R"({{"metadata":{{"name":"p"}},"spec":"{}"}})", huge)},
      {kPods, fmt::format(R"({{"kind":"{}","metadata":{{"name":"p"}},{}}})", huge, pod)},
      {kConfigMaps, fmt::format(R"({{"metadata":{{"name":"{}"}}}})", huge)},
      {kConfigMaps, fmt::format(R"({{"metadata":{{"name":"c"}},"data":{{"{}":"v"}}}})", huge)},
      {kConfigMaps, fmt::format(R"({{"metadata":{{"name":"c"}},"data":{}}})", many)},
      {kJobs, fmt::format(R"({{"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob","metadata":)"
                          R"({{"name":"{0}"}},"spec":{{"replicaSpecs":[{{"type":"{0}","template":{{}}}}]}}}})",
                          huge)},
      {kJobs, fmt::format(R"({{"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob","metadata":)"
                          R"({{"name":"j"}},"spec":{{"replicaSpecs":"{}"}}}})",
                          huge)},
  };
  for (const auto& [target, body] : requests) {
    const auto answer = send("POST", target + "?dryRun=All", "application/json", body);
    EXPECT_THAT(answer->status, ::testing::AnyOf(400, 422)) << body.substr(0, 200);
    EXPECT_LT(answer->body.size(), 64u * 1024) << body.substr(0, 200);
  }
}

TEST_F(Echoes, TheValueOfASecretIsNotToldToAnybody) {
  const std::string metadata = R"("metadata":{"name":"s"})";
  ASSERT_EQ(send("POST", kSecrets, "application/json",
                 R"({"metadata":{"name":"kept"},"stringData":{"password":"hunter2"},"type":"Opaque"})")
                ->status,
            201);
  struct Case {
    std::string method;
    std::string target;
    std::string type;
    std::string body;
  };
  const std::string kept = std::string(kSecrets) + "/kept";
  const std::vector<Case> cases = {
      {"POST", kSecrets, "application/json", "{" + metadata + R"(,"data":{"password":"hunter2!"}})"},
      {"POST", kSecrets, "application/json", "{" + metadata + R"(,"data":{"password":["hunter2"]}})"},
      {"POST", kSecrets, "application/json", "{" + metadata + R"(,"data":"hunter2"})"},
      {"POST", kSecrets, "application/json", "{" + metadata + R"(,"data":["hunter2"]})"},
      {"POST", kSecrets, "application/json", "{" + metadata + R"(,"stringData":{"password":{"a":"hunter2"}}})"},
      {"POST", kSecrets, "application/json", "{" + metadata + R"(,"stringData":"hunter2"})"},
      {"POST", kSecrets, "application/json", "{" + metadata + R"(,"stringdata":{"password":"hunter2"},"type":1})"},
      {"POST", kSecrets, "application/json", "{" + metadata + R"(,"stringData":{"not a key":"hunter2"}})"},
      {"POST", kSecrets, "application/json",
       "{" + metadata + R"(,"stringData":{".dockerconfigjson":"hunter2"},"type":"kubernetes.io/dockerconfigjson"})"},
      {"POST", kSecrets, "application/json", "{" + metadata + R"(,"stringData":{"password":"hunter2")"},
      {"POST", std::string(kSecrets) + "?fieldValidation=Strict", "application/json",
       "{" + metadata + R"(,"stringData":{"a":"hunter2","a":"hunter2"},"extra":"hunter2"})"},
      {"POST", kSecrets, "application/yaml", "metadata: {name: s}\nstringData: {password: hunter2, x: [}\n"},
      {"PUT", kept, "application/json", R"({"metadata":{"name":"kept"},"type":"Other","data":{"a":"aHVudGVyMg=="}})"},
      {"PATCH", kept, "application/merge-patch+json", R"({"data":"hunter2"})"},
      {"PATCH", kept, "application/merge-patch+json", R"({"stringData":{"password":{"a":"hunter2"}}})"},
      {"PATCH", kept, "application/merge-patch+json", R"({"kind":"Pod","stringData":{"a":"hunter2"}})"},
      {"PATCH", kept, "application/strategic-merge-patch+json", R"({"data":["hunter2"]})"},
      {"PATCH", kept, "application/json-patch+json", R"([{"op":"test","path":"/data/password","value":"hunter2"}])"},
      {"PATCH", kept, "application/json-patch+json", R"([{"op":"add","path":"/data","value":"hunter2"}])"},
      {"PATCH", kept + "?fieldManager=m", "application/apply-patch+yaml",
       "apiVersion: v1\nkind: Secret\nmetadata: {name: kept}\nstringData: {password: [hunter2]}\n"},
      {"PATCH", kept + "?fieldManager=m", "application/apply-patch+yaml",
       "apiVersion: v1\nkind: Secret\nstringData: {password: hunter2, x: [}\n"},
      {"PATCH", kept + "?fieldManager=m", "application/apply-patch+yaml",
       "apiVersion: v1\nkind: Secret\nmetadata: {name: kept}\ndata: {password: aHVudGVyMiEh}\n"},
  };
  for (const Case& one : cases) {
    const auto answer = send(one.method, one.target, one.type, one.body);
    EXPECT_GE(answer->status, 400) << one.body;
    for (const char* value : {"hunter2", "aHVudGVy"}) {
      EXPECT_THAT(answer->body, Not(HasSubstr(value))) << one.method << " " << one.body;
      for (const std::string& warning : warnings(*answer)) EXPECT_THAT(warning, Not(HasSubstr(value))) << one.body;
    }
  }
}

}  // namespace
}  // namespace muster::apiserver
