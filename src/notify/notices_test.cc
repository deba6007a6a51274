#include "notify/notices.h"

#include <gmock/gmock.h>

namespace muster::notify {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Time kCreated = Time(hours(1000));
constexpr Time kHalfAnHourLater = kCreated + minutes(30);

JobNews job(jobs::State state) {
  JobNews out{.ns = "default", .name = "mnist", .kind = "PyTorchTrainingJob", .uid = "u1", .created = kCreated};
  out.annotations = json::Object{{"muster.dev/notify", "team, secret/hook"}};
  out.summary.state = out.summary.phase = state;
  out.summary.started = kCreated + seconds(5);
  if (jobs::has_ended(state)) out.summary.ended = kCreated + minutes(3);
  return out;
}

Target team() {
  return {.name = "team", .way = WebHook{}};
}

std::string due(const JobNews& of, const Target& target = team(), Time now = kHalfAnHourLater) {
  const auto notice = due_notice(of, target, now);
  return notice ? notice->id + ": " + notice->text : "nothing";
}

TEST(Notices, TheEndOfAJobIsTold) {
  EXPECT_EQ(due(job(jobs::State::kSucceeded)), "success: mnist succeeded in 2m55s");
  JobNews failed = job(jobs::State::kFailed);
  failed.summary.cause = "ModuleNotFoundError: no torch\nand more";
  EXPECT_EQ(due(failed), "failure: mnist failed after 2m55s: ModuleNotFoundError: no torch and more");
}

TEST(Notices, AStallIsToldOncePerRestart) {
  JobNews stalled = job(jobs::State::kRunning);
  stalled.summary.stalled = true;
  stalled.summary.cause = "all running replicas look idle";
  EXPECT_EQ(due(stalled), "stall-0: mnist is stalled: all running replicas look idle");
  stalled.annotations[record_key("team")] = record_with(stalled, "team", "stall-0");
  EXPECT_EQ(due(stalled), "nothing");
  stalled.summary.restarts = 1;
  EXPECT_THAT(due(stalled), HasSubstr("stall-1"));
}

TEST(Notices, AStartIsToldOnlyAfterAWait) {
  JobNews running = job(jobs::State::kRunning);
  EXPECT_EQ(due(running), "nothing");
  running.summary.started = kCreated + minutes(20);
  EXPECT_EQ(due(running), "start: mnist started after waiting 20m");
}

TEST(Notices, WhatAPersonDidOrNobodyAskedForIsNotTold) {
  EXPECT_EQ(due(job(jobs::State::kStopped)), "nothing");
  EXPECT_EQ(due(job(jobs::State::kPending)), "nothing");
  Target failures = team();
  failures.on = {Occasion::kFailure};
  EXPECT_EQ(due(job(jobs::State::kSucceeded), failures), "nothing");
  Target other = team();
  other.name = "other";
  EXPECT_EQ(due(job(jobs::State::kSucceeded), other), "nothing");
}

TEST(Notices, EachIsSentOnceAndTheRecordIsOfThisVeryJob) {
  JobNews done = job(jobs::State::kSucceeded);
  done.annotations["notified.muster.dev/team"] = record_with(done, "team", "success");
  EXPECT_EQ(done.annotations.string_at("notified.muster.dev/team"), "u1 success");
  EXPECT_EQ(due(done), "nothing");
  done.uid = "a copy";
  EXPECT_THAT(due(done), HasSubstr("success"));
}

TEST(Notices, OneThatWasGivenUpIsNotTriedAgain) {
  JobNews done = job(jobs::State::kSucceeded);
  done.annotations[record_key("team")] = record_with(done, "team", given_up("success"));
  EXPECT_EQ(due(done), "nothing");
}

TEST(Notices, OldNewsAreNone) {
  EXPECT_EQ(due(job(jobs::State::kSucceeded), team(), kHalfAnHourLater + hours(25)), "nothing");
}

TEST(Notices, ATargetOfAllJobsIsToldNothingFromBeforeItExisted) {
  JobNews done = job(jobs::State::kSucceeded);
  done.annotations = {};
  Target all = team();
  EXPECT_EQ(due(done, all), "nothing");
  all.all_jobs = true;
  EXPECT_THAT(due(done, all), HasSubstr("success"));
  all.since = kCreated + minutes(4);
  EXPECT_EQ(due(done, all), "nothing");
}

TEST(Notices, ARunOfASweepIsToldWithItsValues) {
  JobNews done = job(jobs::State::kSucceeded);
  done.values = "lr=0.1 seed=3";
  done.ns = "lab";
  EXPECT_EQ(due(done), "success: lab/mnist (lr=0.1 seed=3) succeeded in 2m55s");
}

TEST(Notices, ALongCauseIsCutBetweenCharacters) {
  JobNews failed = job(jobs::State::kFailed);
  for (int i = 0; i < 300; ++i) failed.summary.cause += "é";
  const std::string text = due(failed);
  EXPECT_TRUE(text.ends_with("é…")) << text;
}

TEST(Notices, TheAnnotationNamesTargets) {
  EXPECT_THAT(named_targets(*json::parse(R"({"muster.dev/notify":" team ,secret/x,,team"})")),
              ElementsAre("team", "secret/x"));
  EXPECT_EQ(record_key("secret/x"), "notified.muster.dev/secret.x");
  EXPECT_FALSE(concerns_anybody(json::Document(), {team()}));
}

TEST(Notices, AreReadFromAJob) {
  const JobNews read = news_of(*json::parse(R"({"apiVersion":"batch.tensorstack.dev/v1beta1",
      "kind":"PyTorchTrainingJob","metadata":{"name":"s-1","namespace":"default","uid":"u",
      "labels":{"muster.dev/sweep":"s"},"annotations":{"muster.dev/notify":"team",
      "muster.dev/sweep-values":"{\"lr\":\"0.1\"}"}},"status":{"phase":"Succeeded"}})"));
  EXPECT_EQ(read.sweep, "s");
  EXPECT_EQ(read.values, "lr=0.1");
  EXPECT_EQ(read.summary.phase, jobs::State::kSucceeded);
}

}  // namespace
}  // namespace muster::notify
