// PodChecks on virtual time, with actions that end when the test says so.
#include "agent/probes/pod_checks.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/document_for_tests.h"
#include "testing/seeded_rng.h"
#include "testing/sim_loop.h"

namespace muster::agent {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;
using Kind = ProbeResult::Kind;

class FakeRunner final : public ActionRunner {
 public:
  struct Begun {
    std::string command;
    std::optional<Duration> timeout;
    Done done;
  };
  class Handle final : public RunningAction {
   public:
    Handle(FakeRunner& runner, int id) : runner_(runner), id_(id) {}
    ~Handle() override { runner_.begun.erase(id_); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

   private:
    FakeRunner& runner_;
    int id_;
  };
  std::unique_ptr<RunningAction> run(const ActionTarget& target, const Action& action, std::optional<Duration> timeout,
                                     Done done) override {
    const auto* exec = std::get_if<ExecAction>(&action);
    begun[++last] = {target.container + " " + (exec != nullptr ? exec->command.at(0) : "?"), timeout, std::move(done)};
    return std::make_unique<Handle>(*this, last);
  }
  std::vector<std::string> running() const {
    std::vector<std::string> all;
    for (const auto& [id, one] : begun) all.push_back(one.command);
    return all;
  }
  void end(const std::string& command, Kind kind = Kind::kSuccess, const std::string& output = "why") {
    for (auto& [id, one] : begun) {
      if (one.command != command) continue;
      auto done = std::move(one.done);
      return done({kind, output});
    }
    FAIL() << command << " does not run";
  }

  std::map<int, Begun> begun;
  int last = 0;
};

class PodChecksTest : public ::testing::Test {
 protected:
  PodChecksTest() {
    char name[] = "/tmp/muster-checks-XXXXXX";
    folder_ = ::mkdtemp(name);
    start();
  }
  ~PodChecksTest() override { std::filesystem::remove_all(folder_); }

  /// As a new server does.
  void start() {
    checks_.reset();
    checks_ = std::make_unique<PodChecks>(
        loop_, rng_, runner_,
        PodChecks::Sources{
            .launch_folder = [this](const std::string&) { return folder_; },
            .kill =
                [this](const std::string&, const std::string& container, int run, std::int64_t grace,
                       UniqueFunction<void(Status)> done) {
                  killed_.push_back(fmt::format("{} run {} within {}", container, run, grace));
                  loop_.post([this, done = std::move(done)]() mutable { done(kill_answer_); });
                },
            .report = [this](const std::string&,
                             const PodEvent& event) { events_.push_back(event.reason + ": " + event.message); },
            .on_change = [this](const std::string&) { ++changes_; }});
  }
  void use(const std::string& containers, const std::string& policy = "Always") {
    pod_ = doc(R"({"metadata":{"uid":"u"},"spec":{"restartPolicy":")" + policy +
               R"(","terminationGracePeriodSeconds":30,"containers":[)" + containers + R"(]},"status":{}})");
    record_ = {.ran = true, .containers = {}, .notices = {}};
    for (const json::Document& container : pod_.array_at("spec", "containers")) {
      ContainerRecord shown;
      shown.name = container.string_at("name");
      shown.state = RunState::kRunning;
      shown.started = loop_.now();
      record_.containers.push_back(shown);
    }
  }
  PodContext look() {
    PodContext around;
    checks_->look(pod_, {Presence::kRunning, record_}, around);
    loop_.settle();
    return around;
  }
  /// The API shows what `look` says.
  void show(const PodContext& around) {
    json::Array statuses;
    for (const ContainerRecord& record : record_.containers) {
      const ContainerHealth health = around.health.at(record.name);
      statuses.push_back(
          doc(fmt::format(R"({{"name":"{}","restartCount":{},"started":{},"ready":{},"state":{{"running":{{}}}}}})",
                          record.name, record.run, health.started, health.ready)));
    }
    pod_["status"]["containerStatuses"] = statuses;
  }
  static std::string probe(const char* kind, const char* command, const char* more = "") {
    return fmt::format(
        R"("{}":{{"exec":{{"command":["{}"]}},"periodSeconds":10,"timeoutSeconds":2,"failureThreshold":2{}}})", kind,
        command, more);
  }
  static std::string hook(const char* moment, const char* command) {
    return fmt::format(R"("{}":{{"exec":{{"command":["{}"]}}}})", moment, command);
  }

  testing::SimLoop loop_;
  testing::SeededRng rng_{1};
  FakeRunner runner_;
  std::string folder_;
  json::Document pod_;
  AttemptRecord record_;
  std::vector<std::string> killed_;
  std::vector<std::string> events_;
  Status kill_answer_ = ok();
  int changes_ = 0;
  std::unique_ptr<PodChecks> checks_;
};

TEST_F(PodChecksTest, APodThatAsksForNothingCostsNothing) {
  use(R"({"name":"a"})");
  EXPECT_THAT(look().health, IsEmpty());
  EXPECT_EQ(loop_.timers(), 0U);
  EXPECT_EQ(checks_->size(), 0U);
}

TEST_F(PodChecksTest, ReadinessIsTold) {
  use(R"({"name":"a",)" + probe("readinessProbe", "ready") + "}");
  EXPECT_FALSE(look().health.at("a").ready);
  EXPECT_EQ(runner_.begun.begin()->second.timeout, 2s);
  runner_.end("a ready");
  EXPECT_EQ(changes_, 1);
  EXPECT_TRUE(look().health.at("a").ready);
  loop_.advance(10s);
  runner_.end("a ready", Kind::kFailure);
  EXPECT_TRUE(look().health.at("a").ready);
  loop_.advance(10s);
  runner_.end("a ready", Kind::kFailure);
  EXPECT_FALSE(look().health.at("a").ready);
  EXPECT_THAT(events_, ElementsAre("Unhealthy: Readiness probe failed: why", "Unhealthy: Readiness probe failed: why"));
  EXPECT_THAT(killed_, IsEmpty());
}

TEST_F(PodChecksTest, AContainerThatFailsItsLivenessProbeEndsAfterItsPreStopHook) {
  use(R"({"name":"a",)" + probe("livenessProbe", "alive", R"(,"terminationGracePeriodSeconds":7)") +
      R"(,"lifecycle":{)" + hook("preStop", "bye") + "}}");
  look();
  runner_.end("a alive", Kind::kFailure);
  loop_.advance(10s);
  runner_.end("a alive", Kind::kFailure);
  EXPECT_THAT(events_, Contains("Killing: Container a failed liveness probe, will be restarted"));
  EXPECT_THAT(killed_, IsEmpty());
  loop_.advance(3s);
  runner_.end("a bye");
  EXPECT_THAT(killed_, ElementsAre("a run 0 within 4"));
  loop_.advance(100s);
  EXPECT_THAT(runner_.running(), IsEmpty()) << "a container that ends is not probed";
  record_.containers[0].run = 1;
  look();
  EXPECT_THAT(runner_.running(), ElementsAre("a alive")) << "the next run is";
}

TEST_F(PodChecksTest, AnEndThatCannotReachTheShimIsTriedAgain) {
  use(R"({"name":"a",)" + probe("livenessProbe", "alive") + "}");
  pod_["spec"]["containers"].as_array()[0]["livenessProbe"]["failureThreshold"] = 1;
  kill_answer_ = Error{.reason = Reason::kServiceUnavailable, .message = "away"};
  look();
  runner_.end("a alive", Kind::kFailure);
  loop_.advance(3s);
  EXPECT_EQ(killed_.size(), 4U);
  kill_answer_ = Error{.reason = Reason::kConflict, .message = "this shim does not know the request"};
  loop_.advance(10s);
  EXPECT_EQ(killed_.size(), 5U);
  EXPECT_THAT(events_, Contains("FailedKillPod: container a was not ended: this shim does not know the request"));
}

TEST_F(PodChecksTest, TheContainerIsReadyOnceItsPostStartHookIsDone) {
  use(R"({"name":"a",)" + probe("livenessProbe", "alive") + R"(,"lifecycle":{)" + hook("postStart", "hello") + "}}");
  EXPECT_FALSE(look().health.at("a").ready);
  EXPECT_THAT(runner_.running(), ElementsAre("a hello"));
  runner_.end("a hello");
  EXPECT_TRUE(look().health.at("a").ready);
  EXPECT_THAT(runner_.running(), ElementsAre("a alive"));
}

TEST_F(PodChecksTest, APostStartHookThatFailsEndsTheContainer) {
  use(R"({"name":"a","lifecycle":{)" + hook("postStart", "hello") + "}}");
  look();
  runner_.end("a hello", Kind::kFailure, "a secret");
  EXPECT_THAT(events_, ElementsAre("FailedPostStartHook: PostStartHook failed", "Killing: FailedPostStartHook"));
  EXPECT_THAT(killed_, ElementsAre("a run 0 within 30"));
}

TEST_F(PodChecksTest, ANewServerKeepsWhatTheApiShows) {
  use(R"({"name":"a",)" + probe("readinessProbe", "ready") + "," + probe("livenessProbe", "alive") +
      R"(,"lifecycle":{)" + hook("postStart", "hello") + "}}");
  look();
  runner_.end("a hello");
  runner_.end("a ready");
  show(look());
  start();
  EXPECT_TRUE(look().health.at("a").ready);
  EXPECT_THAT(runner_.running(), Not(Contains("a hello"))) << "the hook has run";
  loop_.advance(10s);
  EXPECT_THAT(runner_.running(), UnorderedElementsAre("a ready", "a alive"));
}

TEST_F(PodChecksTest, PreStopHooksRunBeforeThePodStops) {
  use(R"({"name":"a","lifecycle":{)" + hook("preStop", "bye") + R"(}},{"name":"b"})");
  EXPECT_EQ(look().stop_hooks.state, StopHooks::State::kDue);
  checks_->run_stop_hooks(pod_, 30);
  EXPECT_THAT(runner_.running(), ElementsAre("a bye"));
  EXPECT_THAT(killed_, ElementsAre("b run 0 within 30")) << "it has no hook to wait for";
  EXPECT_EQ(look().stop_hooks.state, StopHooks::State::kRunning);
  loop_.advance(12s);
  runner_.end("a bye", Kind::kFailure);
  EXPECT_THAT(events_, ElementsAre("FailedPreStopHook: PreStopHook failed"));
  EXPECT_THAT(killed_, ElementsAre("b run 0 within 30", "a run 0 within 18"));
  EXPECT_EQ(look().stop_hooks.state, StopHooks::State::kDone);
}

TEST_F(PodChecksTest, AHookThatDoesNotEndHasTheGracePeriodAndAShorterOneCounts) {
  use(R"({"name":"a","lifecycle":{)" + hook("preStop", "bye") + "}}");
  look();
  checks_->run_stop_hooks(pod_, 30);
  loop_.advance(10s);
  checks_->run_stop_hooks(pod_, 15);
  EXPECT_EQ(look().stop_hooks.state, StopHooks::State::kRunning);
  loop_.advance(5s);
  EXPECT_THAT(runner_.running(), IsEmpty());
  EXPECT_EQ(look().stop_hooks.state, StopHooks::State::kDone);
}

TEST_F(PodChecksTest, ANewServerDoesNotRunPreStopHooksAgain) {
  use(R"({"name":"a","lifecycle":{)" + hook("preStop", "bye") + "}}");
  show(look());
  checks_->run_stop_hooks(pod_, 30);
  const Time begun = look().stop_hooks.begun;
  loop_.advance(5s);
  start();
  const StopHooks hooks = look().stop_hooks;
  EXPECT_EQ(hooks.state, StopHooks::State::kDone);
  EXPECT_EQ(hooks.begun, begun);
  EXPECT_THAT(runner_.running(), IsEmpty());
}

TEST_F(PodChecksTest, AnEndedPodIsForgotten) {
  use(R"({"name":"a",)" + probe("livenessProbe", "alive") + "}");
  look();
  PodContext around;
  checks_->look(pod_, {Presence::kEnded, record_}, around);
  EXPECT_EQ(checks_->size(), 0U);
  EXPECT_THAT(runner_.running(), IsEmpty());
  loop_.advance(60s);
  EXPECT_THAT(runner_.running(), IsEmpty());
}

}  // namespace
}  // namespace muster::agent
