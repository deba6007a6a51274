#include "web/console/cluster_console.h"

#include <gmock/gmock.h>

#include "base/strings.h"
#include "net/http_client.h"
#include "net/web_socket.h"
#include "testing/ask_over_http.h"
#include "testing/fake_server.h"
#include "testing/seeded_rng.h"

namespace muster::web {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ClusterConsoleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Status listening =
        console_.listen("127.0.0.1", 0, [](const std::string&, int) -> Result<bool> { return true; });
    ASSERT_TRUE(listening) << listening.error().message;
    link_ = console_.make_link();
    const auto colon = link_.rfind(':');
    port_ = std::stoi(link_.substr(colon + 1));
    cluster_.put("/api/v1/namespaces/default", cli::make_object("v1", "Namespace", "default"));
  }

  net::Response ask(const std::string& method, const std::string& target, net::Headers headers, std::string body = "") {
    return testing::ask_over_http(
        loop_, port_, {.method = method, .target = target, .headers = std::move(headers), .body = std::move(body)});
  }

  /// Trades the code of the link for the token of a browser.
  std::string log_in() {
    const std::string code = link_.substr(link_.find("#login=") + 7, 64);
    const net::Response answer = ask("POST", "/console/login", {{"Authorization", "Bearer " + code}});
    const auto session = json::parse(answer.body);
    return session ? session->string_at("token") : "";
  }
  net::Response get(const std::string& target) { return ask("GET", target, {{"Authorization", "Bearer " + log_in()}}); }

  net::EventLoop loop_;
  testing::SeededRng rng_{1};
  cli::FakeServer cluster_{loop_};
  ClusterConsole console_{loop_, rng_, cluster_, {}, *net::SigningKey::read(*net::SigningKey::make_pem())};
  std::string link_;
  int port_ = 0;
};

TEST_F(ClusterConsoleTest, ABrowserThatLoggedInReadsTheCluster) {
  const net::Response answer = get("/api/v1/namespaces/default");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr("\"default\""));
  ASSERT_FALSE(cluster_.requests.empty());
  EXPECT_EQ(cluster_.requests.back(), "GET /api/v1/namespaces/default");
}

TEST_F(ClusterConsoleTest, NothingOfTheLoginGoesToTheCluster) {
  const std::string token = log_in();
  ask("GET", "/api/v1/namespaces/default", {{"Authorization", "Bearer " + token}, {"Cookie", "a=b"}});
  ASSERT_FALSE(cluster_.heads.empty());
  EXPECT_FALSE(cluster_.heads.back().has("Authorization"));
  EXPECT_FALSE(cluster_.heads.back().has("Cookie"));
  EXPECT_FALSE(cluster_.heads.back().has("Host"));
}

TEST_F(ClusterConsoleTest, AStrangerAndAnotherSiteAreRefused) {
  EXPECT_EQ(ask("GET", "/api/v1/namespaces/default", {}).status, 401);
  EXPECT_EQ(ask("GET", "/api/v1/namespaces/default", {{"Authorization", "Bearer wrong"}}).status, 401);
  const std::string token = log_in();
  EXPECT_EQ(ask("GET", "/api/v1/namespaces/default",
                {{"Authorization", "Bearer " + token}, {"Origin", "http://evil.example"}})
                .status,
            403);
  EXPECT_EQ(
      ask("GET", "/api/v1/namespaces/default", {{"Authorization", "Bearer " + token}, {"Host", "evil.example"}}).status,
      403);
  EXPECT_TRUE(cluster_.requests.empty());
}

TEST_F(ClusterConsoleTest, WhatOnlyAnEngineHasIsAnsweredWithThatReason) {
  const net::Response answer = get("/apis/muster.dev/v1/namespaces/default/pods/a/metrics");
  EXPECT_EQ(answer.status, 405);
  EXPECT_THAT(answer.body, HasSubstr("a service of Muster's own engine"));
  EXPECT_TRUE(cluster_.requests.empty());
}

constexpr const char* kMnist = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs/mnist";

json::Document mnist() {
  return *json::parse(
      R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"mnist","namespace":"default"},"spec":)"
      R"({"pytorchReplicaSpecs":{"Worker":{"template":{"spec":{"containers":[{"name":"pytorch","image":"i"}]}}}}}})");
}

TEST_F(ClusterConsoleTest, TheNewestJobsOfAClusterHaveTheirSummary) {
  cluster_.put(kMnist, mnist());
  const net::Response answer = get("/apis/muster.dev/v1/namespaces/default/jobs?fields=metadata.name,kind,summary");
  EXPECT_EQ(answer.status, 200);
  const auto list = json::parse(answer.body);
  ASSERT_TRUE(list);
  ASSERT_EQ(list->array_at("items").size(), 1u) << answer.body;
  const json::Document& job = list->array_at("items")[0];
  EXPECT_EQ(job.string_at("kind"), "PyTorchJob");
  EXPECT_EQ(job.string_at("summary", "state"), "Pending");
  EXPECT_EQ(job.find("spec"), nullptr);
}

TEST_F(ClusterConsoleTest, AJobOfAClusterIsPausedWithTheUsersCredentials) {
  cluster_.put(kMnist, mnist());
  const std::string token = log_in();
  const net::Response answer =
      ask("POST", "/apis/muster.dev/v1/namespaces/default/jobs/pytorchjobs.kubeflow.org/mnist/pause",
          {{"Authorization", "Bearer " + token}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"outcome":"paused"})");
  EXPECT_TRUE(cluster_.find(kMnist)->bool_at("spec", "runPolicy", "suspend"));
  for (const net::Headers& head : cluster_.heads) EXPECT_FALSE(head.has("Authorization"));
}

TEST_F(ClusterConsoleTest, ErrorsOfTheClusterArriveAsTheyAre) {
  cluster_.refuse("GET", "/api/v1/nodes", 403, json::Object{{"kind", "Status"}, {"message", "nodes is forbidden"}});
  const net::Response answer = get("/api/v1/nodes");
  EXPECT_EQ(answer.status, 403);
  EXPECT_THAT(answer.body, HasSubstr("nodes is forbidden"));
}

TEST_F(ClusterConsoleTest, ALinkWorksOnce) {
  EXPECT_THAT(log_in(), StartsWith("console."));
  EXPECT_EQ(log_in(), "");
}

}  // namespace
}  // namespace muster::web
