#include "agent/probes/run_probes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;
using Kind = ProbeResult::Kind;

constexpr ContainerHealth kReady{.started = true, .ready = true};
constexpr ContainerHealth kNotReady{.started = true, .ready = false};
constexpr ContainerHealth kNotStarted{.started = false, .ready = false};

class RunProbesTest : public ::testing::Test {
 protected:
  static Probe every(Duration period, int failures = 3, int successes = 1, Duration delay = 0s) {
    Probe probe;
    probe.period = period;
    probe.timeout = 1s;
    probe.initial_delay = delay;
    probe.failure_threshold = failures;
    probe.success_threshold = successes;
    return probe;
  }
  RunProbes begin(const std::map<ProbeKind, Probe>& probes, Duration age = 0s) {
    return RunProbes(probes, {.now = now_, .age = age});
  }
  RunProbes::Verdict take(RunProbes& run, ProbeKind kind, Kind result) { return run.take(kind, {result, "why"}, now_); }

  MonoTime now_{1000s};
};

TEST_F(RunProbesTest, AContainerWithoutProbesIsReadyAndNothingIsDue) {
  RunProbes run = begin({});
  EXPECT_EQ(run.health(), kReady);
  EXPECT_FALSE(run.next());
}

TEST_F(RunProbesTest, ReadinessIsFalseUntilTheFirstSuccess) {
  RunProbes run = begin({{ProbeKind::kReadiness, every(10s)}});
  EXPECT_EQ(run.health(), kNotReady);
  EXPECT_THAT(run.begin_due(now_), ElementsAre(ProbeKind::kReadiness));
  EXPECT_THAT(run.begin_due(now_), IsEmpty()) << "it is in progress";
  EXPECT_FALSE(take(run, ProbeKind::kReadiness, Kind::kSuccess).event);
  EXPECT_EQ(run.health(), kReady);
  EXPECT_EQ(run.next(), now_ + 10s);
}

TEST_F(RunProbesTest, ReadinessFollowsItsThresholdsAndNeverEndsTheContainer) {
  RunProbes run = begin({{ProbeKind::kReadiness, every(1s, 2, 2)}});
  take(run, ProbeKind::kReadiness, Kind::kSuccess);
  EXPECT_EQ(run.health(), kNotReady) << "one success of two";
  take(run, ProbeKind::kReadiness, Kind::kWarning);
  EXPECT_EQ(run.health(), kReady) << "a warning is a success";
  take(run, ProbeKind::kReadiness, Kind::kFailure);
  EXPECT_EQ(run.health(), kReady) << "one failure of two";
  const auto second = take(run, ProbeKind::kReadiness, Kind::kFailure);
  EXPECT_EQ(run.health(), kNotReady);
  EXPECT_FALSE(second.ends_container);
}

TEST_F(RunProbesTest, TheInitialDelayCountsFromTheStartOfTheContainer) {
  EXPECT_EQ(begin({{ProbeKind::kLiveness, every(10s, 3, 1, 30s)}}).next(), now_ + 30s);
  EXPECT_EQ(begin({{ProbeKind::kLiveness, every(10s, 3, 1, 30s)}}, 20s).next(), now_ + 10s);
  EXPECT_EQ(begin({{ProbeKind::kLiveness, every(10s, 3, 1, 30s)}}, 300s).next(), now_);
}

TEST_F(RunProbesTest, LivenessEndsTheContainerAtItsThresholdOnce) {
  RunProbes run = begin({{ProbeKind::kLiveness, every(1s, 2)}});
  EXPECT_EQ(run.health(), kReady);
  const auto first = take(run, ProbeKind::kLiveness, Kind::kFailure);
  EXPECT_FALSE(first.ends_container);
  EXPECT_EQ(first.event->reason, "Unhealthy");
  EXPECT_EQ(first.event->message, "Liveness probe failed: why");
  EXPECT_TRUE(take(run, ProbeKind::kLiveness, Kind::kFailure).ends_container);
  EXPECT_FALSE(take(run, ProbeKind::kLiveness, Kind::kFailure).ends_container) << "it is ending";
  EXPECT_FALSE(run.next());
}

TEST_F(RunProbesTest, ASuccessBetweenFailuresBeginsTheCountAgain) {
  RunProbes run = begin({{ProbeKind::kLiveness, every(1s, 2)}});
  for (const Kind kind : {Kind::kFailure, Kind::kSuccess, Kind::kFailure, Kind::kSuccess}) {
    EXPECT_FALSE(take(run, ProbeKind::kLiveness, kind).ends_container);
  }
}

TEST_F(RunProbesTest, AnErrorOfTheProbeSaysNothingAboutTheContainer) {
  RunProbes run = begin({{ProbeKind::kLiveness, every(1s, 1)}, {ProbeKind::kReadiness, every(1s, 1)}});
  take(run, ProbeKind::kReadiness, Kind::kSuccess);
  const auto verdict = take(run, ProbeKind::kLiveness, Kind::kError);
  EXPECT_FALSE(verdict.ends_container);
  EXPECT_EQ(verdict.event->message, "Liveness probe errored and resulted in unknown state: why");
  take(run, ProbeKind::kReadiness, Kind::kError);
  EXPECT_EQ(run.health(), kReady);
}

TEST_F(RunProbesTest, TheStartupProbeHoldsTheOthersBack) {
  RunProbes run = begin({{ProbeKind::kStartup, every(1s)},
                         {ProbeKind::kLiveness, every(60s)},
                         {ProbeKind::kReadiness, every(60s, 3, 1, 10s)}});
  EXPECT_EQ(run.health(), kNotStarted);
  EXPECT_THAT(run.begin_due(now_), ElementsAre(ProbeKind::kStartup));
  now_ += 5s;
  take(run, ProbeKind::kStartup, Kind::kSuccess);
  EXPECT_EQ(run.health(), kNotReady);
  EXPECT_THAT(run.begin_due(now_), ElementsAre(ProbeKind::kLiveness)) << "readiness has a delay of its own";
  EXPECT_EQ(run.next(), now_ + 5s);
}

TEST_F(RunProbesTest, AStartupProbeThatFailsEndsTheContainer) {
  RunProbes run = begin({{ProbeKind::kStartup, every(1s, 2)}});
  EXPECT_FALSE(take(run, ProbeKind::kStartup, Kind::kFailure).ends_container);
  EXPECT_TRUE(take(run, ProbeKind::kStartup, Kind::kFailure).ends_container);
  EXPECT_EQ(run.health(), kNotStarted);
}

TEST_F(RunProbesTest, ARunThatAnEarlierServerWatchedStaysAsItWasUntilTheFirstResults) {
  const std::map<ProbeKind, Probe> probes{{ProbeKind::kStartup, every(1s)}, {ProbeKind::kReadiness, every(10s)}};
  RunProbes run(probes, {.now = now_, .age = 100s, .known = kReady, .stagger = 0.5});
  EXPECT_EQ(run.health(), kReady);
  EXPECT_EQ(run.next(), now_ + 5s) << "the startup probe is over; the others spread over a period";
  EXPECT_EQ(RunProbes(probes, {.now = now_, .age = 100s, .known = kNotStarted}).health(), kNotStarted);
  EXPECT_EQ(RunProbes(probes, {.now = now_, .age = 100s, .known = kNotReady}).health(), kNotReady);
}

TEST_F(RunProbesTest, ASlowProbeIsNotMadeTwiceAtOnce) {
  RunProbes run = begin({{ProbeKind::kLiveness, every(1s)}});
  EXPECT_THAT(run.begin_due(now_), ElementsAre(ProbeKind::kLiveness));
  now_ += 5s;
  EXPECT_FALSE(run.next());
  EXPECT_THAT(run.begin_due(now_), IsEmpty());
  take(run, ProbeKind::kLiveness, Kind::kSuccess);
  EXPECT_THAT(run.begin_due(now_), ElementsAre(ProbeKind::kLiveness));
}

}  // namespace
}  // namespace muster::agent
