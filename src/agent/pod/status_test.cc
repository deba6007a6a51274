#include "agent/pod/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/document_for_tests.h"

namespace muster::agent {
namespace {

const Time kNow = *parse_rfc3339("2026-11-15T12:00:00Z");
const Time kStarted = *parse_rfc3339("2026-11-15T11:59:00Z");

class PodStatus : public ::testing::Test {
 protected:
  static ContainerRecord container(RunState state, int code = 0, int signal = 0) {
    ContainerRecord record;
    record.name = "main";
    record.state = state;
    if (state != RunState::kWaiting) record.started = kStarted;
    if (state == RunState::kTerminated) record.finished = kNow;
    record.code = code;
    record.signal = signal;
    return record;
  }
  static PodView view(Stage stage, std::vector<ContainerRecord> containers = {}) {
    PodView v;
    v.stage = stage;
    v.address = "127.1.0.1";
    v.now = kNow;
    if (!containers.empty()) v.current = AttemptRecord{.ran = true, .containers = std::move(containers), .notices = {}};
    return v;
  }
  json::Document status(const PodView& v) { return pod_status(pod_, v); }
  static const json::Document& main_of(const json::Document& s) { return s.find("containerStatuses")->as_array()[0]; }
  static std::string condition(const json::Document& s, const std::string& type) {
    for (const json::Document& c : s.find("conditions")->as_array()) {
      if (c.string_at("type") == type) return c.string_at("status") + " " + c.string_at("reason");
    }
    return "none";
  }

  json::Document pod_ =
      doc(R"({"metadata":{"name":"p"},"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"x"}]}})");
};

TEST_F(PodStatus, PendingPodShowsItsAddressAndWaits) {
  const auto s = status(view(Stage::kPending));
  EXPECT_EQ(s.string_at("phase"), "Pending");
  EXPECT_EQ(s.string_at("podIP"), "127.1.0.1");
  EXPECT_EQ(s.string_at("startTime"), "2026-11-15T12:00:00Z");
  EXPECT_EQ(main_of(s).string_at("state", "waiting", "reason"), "ContainerCreating");
  EXPECT_EQ(condition(s, "PodScheduled"), "True ");
  EXPECT_EQ(condition(s, "Initialized"), "True ");
  EXPECT_EQ(condition(s, "Ready"), "False ContainersNotReady");
}

TEST_F(PodStatus, LackOfMemoryIsTheReasonOfAnEnd) {
  ContainerRecord killed = container(RunState::kTerminated, 137, 9);
  killed.oom = true;
  const auto s = status(view(Stage::kEnded, {killed}));
  EXPECT_EQ(main_of(s).string_at("state", "terminated", "reason"), "OOMKilled");
  EXPECT_EQ(main_of(s).int_at("state", "terminated", "exitCode"), 137);
}

TEST_F(PodStatus, ReasonsForWaitingAreShown) {
  PodView v = view(Stage::kPending);
  v.waiting_reason = "ContainerCreating";
  v.waiting_message = "persistentvolumeclaim \"data\" not found";
  EXPECT_EQ(main_of(status(v)).string_at("state", "waiting", "message"), "persistentvolumeclaim \"data\" not found");
}

TEST_F(PodStatus, ProbesDecideWhetherARunningContainerIsReady) {
  PodView v = view(Stage::kRunning, {container(RunState::kRunning)});
  v.health["main"] = {.started = true, .ready = false};
  EXPECT_FALSE(main_of(status(v)).bool_at("ready"));
  EXPECT_TRUE(main_of(status(v)).bool_at("started"));
  EXPECT_EQ(condition(status(v), "Ready"), "False ContainersNotReady");
  EXPECT_EQ(condition(status(v), "ContainersReady"), "False ContainersNotReady");
  EXPECT_EQ(status(v).string_at("phase"), "Running");
  v.health["main"] = {.started = false, .ready = false};
  EXPECT_FALSE(main_of(status(v)).bool_at("started"));
  v.health["main"] = {};
  EXPECT_EQ(condition(status(v), "Ready"), "True ");
}

TEST_F(PodStatus, RunningPodIsReady) {
  const auto s = status(view(Stage::kRunning, {container(RunState::kRunning)}));
  EXPECT_EQ(s.string_at("phase"), "Running");
  EXPECT_EQ(main_of(s).string_at("state", "running", "startedAt"), "2026-11-15T11:59:00Z");
  EXPECT_TRUE(main_of(s).bool_at("ready"));
  EXPECT_EQ(condition(s, "Ready"), "True ");
}

TEST_F(PodStatus, SuccessIsCompleted) {
  const auto s = status(view(Stage::kEnded, {container(RunState::kTerminated)}));
  EXPECT_EQ(s.string_at("phase"), "Succeeded");
  EXPECT_EQ(main_of(s).string_at("state", "terminated", "reason"), "Completed");
  EXPECT_EQ(condition(s, "Ready"), "False PodCompleted");
}

TEST_F(PodStatus, AnExitCodeIsAnError) {
  const auto s = status(view(Stage::kEnded, {container(RunState::kTerminated, 3)}));
  EXPECT_EQ(s.string_at("phase"), "Failed");
  EXPECT_EQ(main_of(s).string_at("state", "terminated", "reason"), "Error");
  EXPECT_EQ(main_of(s).int_at("state", "terminated", "exitCode"), 3);
  EXPECT_EQ(main_of(s).string_at("state", "terminated", "startedAt"), "2026-11-15T11:59:00Z");
}

TEST_F(PodStatus, ASignalIsShownWithItsCode) {
  const auto s = status(view(Stage::kEnded, {container(RunState::kTerminated, 137, 9)}));
  EXPECT_EQ(main_of(s).int_at("state", "terminated", "signal"), 9);
  EXPECT_EQ(main_of(s).int_at("state", "terminated", "exitCode"), 137);
}

TEST_F(PodStatus, AProgramThatIsNotThereCannotRun) {
  ContainerRecord failed = container(RunState::kTerminated, 127);
  failed.started.reset();
  failed.message = "exec \"pythn\": ENOENT (no such file or directory)";
  const auto s = status(view(Stage::kEnded, {failed}));
  EXPECT_EQ(s.string_at("phase"), "Failed");
  EXPECT_EQ(main_of(s).string_at("state", "terminated", "reason"), "ContainerCannotRun");
  EXPECT_EQ(main_of(s).string_at("state", "terminated", "message"),
            "exec \"pythn\": ENOENT (no such file or directory)");
}

TEST_F(PodStatus, ALostPodSaysWhyAndItsContainersEndIsUnknown) {
  ContainerRecord lost = container(RunState::kTerminated, 137);
  lost.message = "the machine was restarted while the pod ran";
  PodView v = view(Stage::kEnded, {lost});
  v.failure_reason = "LostReboot";
  v.failure_message = "the machine was restarted while the pod ran";
  const auto s = status(v);
  EXPECT_EQ(s.string_at("phase"), "Failed");
  EXPECT_EQ(s.string_at("reason"), "LostReboot");
  EXPECT_EQ(main_of(s).string_at("state", "terminated", "reason"), "ContainerStatusUnknown");
  EXPECT_EQ(main_of(s).int_at("state", "terminated", "exitCode"), 137);
}

TEST_F(PodStatus, TheIntentIsACondition) {
  PodView v = view(Stage::kPending);
  v.intent = Intent{2, "b00t"};
  pod_["status"] = status(v);
  EXPECT_EQ(condition(*pod_.find("status"), kIntentCondition), "True ");
  EXPECT_EQ(desired_pod(pod_).intent, v.intent);
}

TEST_F(PodStatus, ATerminationMessageIsTheContainersOwn) {
  ContainerRecord ended = container(RunState::kTerminated, 1);
  ended.termination = "loss is NaN";
  const auto s = status(view(Stage::kEnded, {ended}));
  EXPECT_EQ(main_of(s).string_at("state", "terminated", "reason"), "Error");
  EXPECT_EQ(main_of(s).string_at("state", "terminated", "message"), "loss is NaN");
}

TEST_F(PodStatus, NeverGoesBack) {
  pod_["status"] = doc(R"({"phase":"Succeeded"})");
  EXPECT_EQ(status(view(Stage::kRunning, {container(RunState::kRunning)})).string_at("phase"), "Succeeded");
  pod_["status"] = doc(R"({"phase":"Running"})");
  EXPECT_EQ(status(view(Stage::kPending)).string_at("phase"), "Running");
}

TEST_F(PodStatus, SameAgainChangesNothing) {
  const PodView v = view(Stage::kRunning, {container(RunState::kRunning)});
  pod_["status"] = status(v);
  PodView later = v;
  later.now = kNow + std::chrono::hours(1);
  EXPECT_EQ(status(later), *pod_.find("status"));
}

TEST_F(PodStatus, KeepsConditionsOfOthers) {
  pod_["status"] = doc(R"({"conditions":[{"type":"Other","status":"True"},
                           {"type":"PodScheduled","status":"True","lastTransitionTime":"2026-11-15T11:00:00Z"}]})");
  const auto s = status(view(Stage::kPending));
  EXPECT_EQ(condition(s, "Other"), "True ");
  EXPECT_EQ(s.find("conditions")->as_array()[1].string_at("lastTransitionTime"), "2026-11-15T11:00:00Z");
}

TEST_F(PodStatus, WhileInitContainersRunThePodIsPending) {
  pod_ = doc(R"({"metadata":{"name":"p"},"spec":{"initContainers":[{"name":"i"}],"containers":[{"name":"main"}]}})");
  ContainerRecord init = container(RunState::kRunning);
  init.name = "i";
  init.is_init = true;
  const auto s = status(view(Stage::kRunning, {init, container(RunState::kWaiting)}));
  EXPECT_EQ(s.string_at("phase"), "Pending");
  EXPECT_EQ(condition(s, "Initialized"), "False ContainersNotInitialized");
  EXPECT_EQ(main_of(s).string_at("state", "waiting", "reason"), "PodInitializing");
}

TEST_F(PodStatus, AContainerInBackOffShowsItsLastEndWhileOthersRun) {
  pod_ = doc(R"({"spec":{"restartPolicy":"OnFailure","containers":[{"name":"main"},{"name":"side"}]}})");
  ContainerRecord failed = container(RunState::kTerminated, 1);
  failed.run = 3;
  ContainerRecord side = container(RunState::kRunning);
  side.name = "side";
  PodView v = view(Stage::kRunning, {failed, side});
  v.restart_delays["main"] = std::chrono::seconds(40);
  const auto s = status(v);
  EXPECT_EQ(s.string_at("phase"), "Running");
  EXPECT_EQ(main_of(s).string_at("state", "waiting", "reason"), "CrashLoopBackOff");
  EXPECT_EQ(main_of(s).string_at("state", "waiting", "message"), "back-off 40s restarting failed container=main");
  EXPECT_EQ(main_of(s).int_at("lastState", "terminated", "exitCode"), 1);
  EXPECT_EQ(main_of(s).int_at("restartCount"), 3);
  EXPECT_EQ(s.find("containerStatuses")->as_array()[1].int_at("restartCount"), 0);
}

TEST_F(PodStatus, AStallIsAConditionUntilThePodIsActiveOrEnds) {
  PodView v = view(Stage::kRunning, {container(RunState::kRunning)});
  EXPECT_EQ(condition(status(v), "muster.dev/Stalled"), "none");
  v.stall = "";
  EXPECT_EQ(condition(status(v), "muster.dev/Stalled"), "none");
  v.stall = "no log line";
  pod_["status"] = status(v);
  EXPECT_EQ(condition(*pod_.find("status"), "muster.dev/Stalled"), "True NoActivity");
  v.stall.reset();  // a new engine does not know yet
  EXPECT_EQ(condition(status(v), "muster.dev/Stalled"), "True NoActivity");
  v.stall = "";
  EXPECT_EQ(condition(status(v), "muster.dev/Stalled"), "False Active");
  v = view(Stage::kEnded, {container(RunState::kTerminated)});
  EXPECT_EQ(condition(status(v), "muster.dev/Stalled"), "False Active");
}

TEST_F(PodStatus, TheRunBeforeIsTheLastState) {
  ContainerRecord again = container(RunState::kRunning);
  again.run = 1;
  again.last = LastRun{};
  again.last->code = 7;
  const auto s = status(view(Stage::kRunning, {again}));
  EXPECT_EQ(main_of(s).int_at("lastState", "terminated", "exitCode"), 7);
  EXPECT_EQ(main_of(s).int_at("restartCount"), 1);
}

}  // namespace
}  // namespace muster::agent
