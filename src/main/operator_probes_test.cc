#include "main/operator_probes.h"

#include <gmock/gmock.h>

namespace muster {
namespace {

using ::testing::HasSubstr;

net::Response ask(const OperatorState& state, const std::string& target, const std::string& method = "GET") {
  const OperatorPages pages{.state = [state] { return state; }, .metrics = [] { return std::string("up 1\n"); }};
  return answer_operator(pages, {.method = method, .target = target, .headers = {}, .body = "", .peer = {}});
}

OperatorState synced() {
  return {.elects = true, .leads = true, .has_kinds = true, .is_synced = true};
}

TEST(OperatorProbesTest, ALeaderWithSyncedCachesIsReady) {
  const auto response = ask(synced(), "/readyz");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            "[+] api-server: ok\n"
            "[+] lease: ok, held by this operator\n"
            "[+] kinds: ok\n"
            "[+] caches: ok\n"
            "ready\n");
}

TEST(OperatorProbesTest, AStandbyIsReadyWithoutCaches) {
  const auto response = ask({.elects = true, .holder = "other"}, "/readyz?verbose");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            "[+] api-server: ok\n"
            "[+] lease: ok, held by other; this operator stands by\n"
            "ready\n");
}

TEST(OperatorProbesTest, WithoutAnElectionThereIsNoLease) {
  OperatorState state = synced();
  state.elects = state.leads = false;
  EXPECT_EQ(ask(state, "/readyz").body, "[+] api-server: ok\n[+] kinds: ok\n[+] caches: ok\nready\n");
}

TEST(OperatorProbesTest, EachProblemIsNamed) {
  const auto problem = [](OperatorState state) {
    const auto response = ask(state, "/readyz");
    EXPECT_EQ(response.status, 503);
    EXPECT_TRUE(response.body.ends_with("not ready\n"));
    return response.body;
  };
  OperatorState state = synced();
  state.server_problem = "connection refused";
  EXPECT_THAT(problem(state), HasSubstr("[-] api-server: not ok, connection refused\n"));
  state = synced();
  state.is_synced = false;
  EXPECT_THAT(problem(state), HasSubstr("[-] caches: not ok, not all objects have been seen yet\n"));
  state = synced();
  state.has_kinds = false;
  EXPECT_THAT(problem(state), HasSubstr("[-] kinds: not ok, not read yet\n"));
  state.kinds_problem = "the cluster lacks them";
  EXPECT_THAT(problem(state), HasSubstr("[-] kinds: not ok, the cluster lacks them\n"));
  EXPECT_THAT(problem({.elects = true, .lease_problem = "forbidden"}), HasSubstr("[-] lease: not ok, forbidden\n"));
  EXPECT_THAT(problem({.elects = true}), HasSubstr("[-] lease: not ok, nobody holds it yet\n"));
}

TEST(OperatorProbesTest, ItLivesWhateverItWaitsFor) {
  EXPECT_EQ(ask({.server_problem = "away"}, "/healthz").status, 200);
  EXPECT_EQ(ask({}, "/healthz").body, "ok\n");
}

TEST(OperatorProbesTest, MetricsAreText) {
  const auto response = ask({}, "/metrics");
  EXPECT_EQ(response.body, "up 1\n");
  EXPECT_EQ(response.headers.get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
}

TEST(OperatorProbesTest, NothingElseIsThere) {
  EXPECT_EQ(ask({}, "/").status, 404);
  EXPECT_EQ(ask({}, "/readyz/x").status, 404);
  EXPECT_EQ(ask({}, "/readyz", "POST").status, 405);
}

}  // namespace
}  // namespace muster
