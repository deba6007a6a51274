#include "agent/probes/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/document_for_tests.h"

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using namespace std::chrono_literals;

TEST(Checks, APodThatAsksForNothingHasNone) {
  EXPECT_THAT(checks_of(doc(R"({"spec":{"containers":[{"name":"a"},{"name":"b","lifecycle":{}}]}})")), IsEmpty());
}

TEST(Checks, NumbersOfAProbeAreReadWithTheirDefaults) {
  const auto checks = checks_of(doc(R"({"spec":{"containers":[{"name":"a",
    "livenessProbe":{"exec":{"command":["cat","/x"]},"initialDelaySeconds":5,"periodSeconds":7,"timeoutSeconds":2,
                     "failureThreshold":4,"terminationGracePeriodSeconds":9},
    "readinessProbe":{"tcpSocket":{"port":80},"successThreshold":3}}]}})"));
  const Probe& liveness = checks.at("a").probes.at(ProbeKind::kLiveness);
  EXPECT_THAT(std::get<ExecAction>(liveness.action).command, ElementsAre("cat", "/x"));
  EXPECT_EQ(liveness.initial_delay, 5s);
  EXPECT_EQ(liveness.period, 7s);
  EXPECT_EQ(liveness.timeout, 2s);
  EXPECT_EQ(liveness.failure_threshold, 4);
  EXPECT_EQ(liveness.grace_seconds, 9);
  const Probe& readiness = checks.at("a").probes.at(ProbeKind::kReadiness);
  EXPECT_EQ(readiness.period, 10s);
  EXPECT_EQ(readiness.timeout, 1s);
  EXPECT_EQ(readiness.success_threshold, 3);
  EXPECT_EQ(readiness.failure_threshold, 3);
  EXPECT_FALSE(readiness.grace_seconds);
}

TEST(Checks, PortsMayBeNamed) {
  const auto checks = checks_of(doc(R"({"spec":{"containers":[{"name":"a","ports":[{"name":"web","containerPort":8080}],
    "livenessProbe":{"httpGet":{"port":"web","path":"health","scheme":"HTTPS","httpHeaders":[{"name":"A","value":"b"}]}},
    "readinessProbe":{"grpc":{"port":9000,"service":"s"}},
    "startupProbe":{"tcpSocket":{"port":"nothing"}}}]}})"));
  const auto& probes = checks.at("a").probes;
  const auto& get = std::get<HttpAction>(probes.at(ProbeKind::kLiveness).action);
  EXPECT_TRUE(get.tls);
  EXPECT_EQ(get.port, 8080);
  EXPECT_EQ(get.path, "/health");
  EXPECT_THAT(get.headers, ElementsAre(Pair("A", "b")));
  EXPECT_FALSE(get.takes_any_status);
  EXPECT_EQ(std::get<GrpcAction>(probes.at(ProbeKind::kReadiness).action).service, "s");
  EXPECT_EQ(std::get<TcpAction>(probes.at(ProbeKind::kStartup).action).port, 0);
}

TEST(Checks, AHookIsDoneByAnyResponse) {
  const auto checks = checks_of(doc(R"({"spec":{"containers":[{"name":"a","lifecycle":{
    "postStart":{"httpGet":{"port":80,"path":"/"}},"preStop":{"sleep":{"seconds":3}}}}]}})"));
  EXPECT_TRUE(std::get<HttpAction>(*checks.at("a").post_start).takes_any_status);
  EXPECT_EQ(std::get<SleepAction>(*checks.at("a").pre_stop).time, 3s);
}

}  // namespace
}  // namespace muster::agent
