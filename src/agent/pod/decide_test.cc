#include "agent/pod/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

const Time kToday = *parse_rfc3339("2026-11-17T12:00:00Z");

class Decide : public ::testing::Test {
 protected:
  Decide() {
    pod_.uid = "u";
    pod_.restart_policy = RestartPolicy::kNever;
    pod_.containers = {{"main", false}};
    pod_.address = around_.address = "127.1.2.3";
    around_.now = kToday;
    around_.boot_id = "now";
    pod_.intent = Intent{0, "now"};
  }
  PodDecision decide_with(Presence presence, std::optional<AttemptRecord> record = std::nullopt) {
    return decide(memory_, &pod_, {presence, std::move(record)}, around_);
  }
  static AttemptRecord ended(int code, int run = 0, Duration ago = 0s) {
    ContainerRecord main;
    main.name = "main";
    main.state = RunState::kTerminated;
    main.run = run;
    main.code = code;
    main.started = kToday - ago - 1s;
    main.finished = kToday - ago;
    return {.ran = true, .containers = {main}, .notices = {}};
  }
  static AttemptRecord running() {
    AttemptRecord record = ended(0);
    record.containers[0].state = RunState::kRunning;
    record.containers[0].finished.reset();
    return record;
  }

  PodMemory memory_;
  DesiredPod pod_;
  PodContext around_;
};

TEST_F(Decide, TheIntentIsStoredBeforeAnythingStarts) {
  pod_.intent.reset();
  const PodDecision first = decide_with(Presence::kNothing);
  EXPECT_THAT(first.steps, IsEmpty());
  EXPECT_EQ(first.view->intent, (Intent{0, "now"}));
  pod_.intent = Intent{0, "now"};
  EXPECT_THAT(decide_with(Presence::kNothing).steps, ElementsAre(Step(PrepareLaunch{})));
}

TEST_F(Decide, AnIntentOfAnotherBootIsALaunchThatWasLost) {
  pod_.intent = Intent{0, "before"};
  const PodDecision decision = decide_with(Presence::kNothing);
  EXPECT_THAT(decision.steps, IsEmpty());
  EXPECT_EQ(decision.view->stage, Stage::kEnded);
  EXPECT_EQ(decision.view->failure_reason, "LostReboot");
}

TEST_F(Decide, AMissingReferenceIsWaitedForWithItsName) {
  around_.readiness = {Readiness::State::kWaits, "ContainerCreating", "FailedMount", "configmap \"x\" not found"};
  const PodDecision decision = decide_with(Presence::kNothing);
  EXPECT_THAT(decision.steps, IsEmpty());
  EXPECT_EQ(decision.view->waiting_message, "configmap \"x\" not found");
  EXPECT_FALSE(decision.view->intent) << "nothing is about to start";
}

TEST_F(Decide, AReadyShimWaitsForItsGang) {
  around_.gang_is_ready = false;
  EXPECT_THAT(decide_with(Presence::kReady).steps, IsEmpty());
  around_.gang_is_ready = true;
  EXPECT_THAT(decide_with(Presence::kReady).steps, ElementsAre(Step(SendGo{})));
}

TEST_F(Decide, AShimWithAHeadStartGoesLaterThanItsGang) {
  pod_.head_start = 100ms;
  around_.gang_is_ready = false;
  memory_ = decide_with(Presence::kReady).memory;
  around_.now += 5s;  // the head start counts from when all are ready
  around_.gang_is_ready = true;
  const PodDecision waits = decide_with(Presence::kReady);
  EXPECT_THAT(waits.steps, IsEmpty());
  EXPECT_EQ(waits.look_again, Duration(100ms));
  memory_ = waits.memory;
  around_.now += 60ms;
  EXPECT_EQ(decide_with(Presence::kReady).look_again, Duration(40ms));
  around_.gang_is_ready = false;  // the first rank has ended and was deleted
  around_.now += 40ms;
  EXPECT_THAT(decide_with(Presence::kReady).steps, ElementsAre(Step(SendGo{})));
  around_.now -= std::chrono::hours(24);  // somebody sets the clock
  EXPECT_THAT(decide_with(Presence::kReady).steps, ElementsAre(Step(SendGo{})));
}

TEST_F(Decide, AFailedContainerRestartsAloneAfterItsDelay) {
  pod_.restart_policy = RestartPolicy::kOnFailure;
  EXPECT_THAT(decide_with(Presence::kRunning, ended(1)).steps, ElementsAre(Step(RestartContainer{"main", 1})));
  const PodDecision waits = decide_with(Presence::kRunning, ended(1, 2, 5s));
  EXPECT_THAT(waits.steps, IsEmpty());
  EXPECT_EQ(waits.look_again, Duration(15s)) << "20 s, of which 5 have passed";
  EXPECT_EQ(waits.view->restart_delays.at("main"), Duration(20s));
  EXPECT_THAT(decide_with(Presence::kRunning, ended(1, 2, 20s)).steps, ElementsAre(Step(RestartContainer{"main", 3})));
}

TEST_F(Decide, AContainerThatTheAgentEndedRestartsWhateverItsCode) {
  AttemptRecord record = ended(0);
  EXPECT_THAT((pod_.restart_policy = RestartPolicy::kOnFailure, decide_with(Presence::kRunning, record).steps),
              IsEmpty());
  record.containers[0].killed = true;
  EXPECT_THAT(decide_with(Presence::kRunning, record).steps, ElementsAre(Step(RestartContainer{"main", 1})));
  pod_.restart_policy = RestartPolicy::kNever;
  EXPECT_THAT(decide_with(Presence::kRunning, record).steps, IsEmpty());
}

TEST_F(Decide, PreStopHooksUseThePodsGracePeriod) {
  pod_.is_deleted = true;
  around_.stop_hooks.state = StopHooks::State::kDue;
  const PodDecision begins = decide_with(Presence::kRunning, running());
  EXPECT_THAT(begins.steps, ElementsAre(Step(RunStopHooks{30})));
  EXPECT_EQ(begins.events.at(0).reason, "Killing");
  memory_ = begins.memory;
  around_.stop_hooks = {StopHooks::State::kRunning, kToday};
  around_.now += 10s;
  const PodDecision waits = decide_with(Presence::kRunning, running());
  EXPECT_THAT(waits.steps, IsEmpty());
  EXPECT_THAT(waits.events, IsEmpty());
  pod_.grace_seconds = 15;
  const PodDecision shorter = decide_with(Presence::kRunning, running());
  EXPECT_THAT(shorter.steps, ElementsAre(Step(RunStopHooks{15})));
  memory_ = shorter.memory;
  around_.stop_hooks.state = StopHooks::State::kDone;
  const PodDecision stops = decide_with(Presence::kRunning, running());
  EXPECT_THAT(stops.steps, ElementsAre(Step(StopPod{5})));
  memory_ = stops.memory;
  around_.now += 1s;
  EXPECT_THAT(decide_with(Presence::kRunning, running()).steps, IsEmpty()) << "once is enough";
}

TEST_F(Decide, HooksThatTookTheGracePeriodLeaveTwoSeconds) {
  pod_.is_deleted = true;
  around_.stop_hooks = {StopHooks::State::kDone, kToday - 300s};
  EXPECT_THAT(decide_with(Presence::kRunning, running()).steps, ElementsAre(Step(StopPod{2})));
  pod_.grace_seconds = 1;
  EXPECT_THAT(decide_with(Presence::kRunning, running()).steps, ElementsAre(Step(StopPod{1})));
}

TEST_F(Decide, AForcedDeletionSkipsTheHooks) {
  pod_.is_deleted = true;
  pod_.grace_seconds = 0;
  around_.stop_hooks.state = StopHooks::State::kRunning;
  memory_.hooks_within = 30;
  EXPECT_THAT(decide_with(Presence::kRunning, running()).steps, ElementsAre(Step(StopPod{0})));
}

TEST_F(Decide, TheDeadlineRunsThePreStopHooks) {
  pod_.deadline = kToday;
  around_.stop_hooks.state = StopHooks::State::kDue;
  EXPECT_THAT(decide_with(Presence::kRunning, running()).steps, ElementsAre(Step(RunStopHooks{30})));
}

TEST_F(Decide, TheDeadlineEndsThePod) {
  pod_.deadline = kToday + 5s;
  EXPECT_EQ(decide_with(Presence::kRunning, running()).look_again, Duration(5s));
  pod_.deadline = kToday;
  const PodDecision stops = decide_with(Presence::kRunning, running());
  EXPECT_THAT(stops.steps, ElementsAre(Step(StopPod{30})));
  memory_ = stops.memory;
  EXPECT_THAT(decide_with(Presence::kRunning, running()).steps, IsEmpty()) << "once is enough";
  EXPECT_EQ(decide_with(Presence::kEnded, ended(143)).view->failure_reason, "DeadlineExceeded");
}

TEST_F(Decide, AnEvictedPodEndsSoonAndFailsWhateverItsRestartPolicy) {
  pod_.restart_policy = RestartPolicy::kAlways;
  around_.eviction = "it holds too much";
  const PodDecision stops = decide_with(Presence::kRunning, running());
  EXPECT_THAT(stops.steps, ElementsAre(Step(StopPod{1})));
  EXPECT_THAT(stops.events, ::testing::Contains(PodEvent{"Warning", "Evicted", "it holds too much"}));
  const PodDecision ends = decide_with(Presence::kEnded, ended(143));
  EXPECT_EQ(ends.view->stage, Stage::kEnded);
  EXPECT_EQ(ends.view->failure_reason, "Evicted");
  EXPECT_EQ(ends.view->failure_message, "it holds too much");
}

TEST_F(Decide, AnEndBeforeTheDeadlineIsTheContainersOwn) {
  pod_.deadline = kToday - 1s;
  EXPECT_EQ(decide_with(Presence::kEnded, ended(0, 0, 10s)).view->failure_reason, "");
}

TEST_F(Decide, WhatNeverRanIsLaunchedAgainAFewTimes) {
  for (int i = 0; i < 3; ++i) {
    const PodDecision decision = decide_with(Presence::kNeverRan);
    EXPECT_THAT(decision.steps, ElementsAre(Step(DiscardLaunch{})));
    EXPECT_EQ(decision.memory.launch, 0);
    memory_ = decision.memory;
  }
  EXPECT_EQ(decide_with(Presence::kNeverRan).view->stage, Stage::kEnded);
}

TEST_F(Decide, WhatDownStoppedIsLaunchedAgainWithTheNextRun) {
  const PodDecision decision = decide_with(Presence::kStopped, ended(143, 4));
  EXPECT_EQ(decision.memory.launch, 1);
  EXPECT_EQ(decision.memory.first_runs.at("main"), 5);
  EXPECT_EQ(decision.look_again, Duration(0));
}

TEST_F(Decide, DeletionStopsThenShowsTheEndThenRemoves) {
  pod_.is_deleted = true;
  pod_.grace_seconds = 7;
  const PodDecision stops = decide_with(Presence::kRunning, running());
  EXPECT_THAT(stops.steps, ElementsAre(Step(StopPod{7})));
  EXPECT_THAT(stops.events, ElementsAre(PodEvent{"Normal", "Killing", "Stopping container main"}));
  memory_ = stops.memory;
  pod_.grace_seconds = 30;
  EXPECT_THAT(decide_with(Presence::kRunning, running()).steps, IsEmpty()) << "a grace period can only be shortened";
  pod_.grace_seconds = 0;
  EXPECT_THAT(decide_with(Presence::kRunning, running()).steps, ElementsAre(Step(StopPod{0})));
  const PodDecision removes = decide_with(Presence::kEnded, ended(143));
  EXPECT_EQ(removes.view->stage, Stage::kEnded);
  EXPECT_THAT(removes.steps, ElementsAre(Step(CleanUp{}), Step(RemoveObject{})));
}

TEST_F(Decide, AShimThatWaitsIsNeverSentGoOnceItsPodIsDeleted) {
  pod_.is_deleted = true;
  EXPECT_THAT(decide_with(Presence::kReady).steps, ElementsAre(Step(StopPod{30})));
}

TEST_F(Decide, AnObjectThatIsGoneLeavesNothing) {
  EXPECT_THAT(decide(memory_, nullptr, {Presence::kRunning, running()}, around_).steps, ElementsAre(Step(StopPod{0})));
  EXPECT_EQ(decide(memory_, nullptr, {Presence::kUnclear, {}}, around_).look_again, Duration(200ms));
  EXPECT_THAT(decide(memory_, nullptr, {Presence::kEnded, ended(0)}, around_).steps,
              ElementsAre(Step(CleanUp{}), Step(Forget{})));
}

TEST_F(Decide, ALostPodThatMayRestartIsLaunchedAgainAndItsDelayCountsFromTheLoss) {
  pod_.restart_policy = RestartPolicy::kAlways;
  AttemptRecord record = running();
  record.containers[0].run = 1;
  const PodDecision waits = decide_with(Presence::kLostShim, record);
  EXPECT_EQ(waits.view->stage, Stage::kBackOff);
  EXPECT_EQ(waits.look_again, Duration(10s));
  memory_ = waits.memory;
  around_.now = kToday + 10s;
  EXPECT_EQ(decide_with(Presence::kLostShim, record).memory.launch, 1);
}

TEST(RestartDelay, IsAKubelets) {
  ContainerRecord ended;
  const auto delay_after = [&ended](int run) {
    ended.run = run;
    return restart_delay(ended, 10s);
  };
  EXPECT_EQ(delay_after(0), Duration(0)) << "the first restart comes at once";
  EXPECT_EQ(delay_after(1), Duration(10s));
  EXPECT_EQ(delay_after(2), Duration(20s));
  EXPECT_EQ(delay_after(5), Duration(160s));
  EXPECT_EQ(delay_after(6), Duration(300s));
  EXPECT_EQ(delay_after(1000), Duration(300s));
  ended.started = kToday;
  ended.finished = kToday + 10min;
  EXPECT_EQ(delay_after(6), Duration(10s)) << "a long run begins the series again";
}

}  // namespace
}  // namespace muster::agent
