#include "agent/pod/recover.h"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

Evidence running() {
  return {.folder = true,
          .identity = true,
          .same_boot = true,
          .lock_held = true,
          .stopped = false,
          .process_matches = true,
          .end = {}};
}

TEST(Judge, NoFolderMeansThatNothingWasStarted) {
  EXPECT_EQ(judge({}), Presence::kNothing);
}

TEST(Judge, AdoptsWhatHoldsTheLockAndIsItself) {
  EXPECT_EQ(judge(running()), Presence::kRunning);
}

TEST(Judge, AnExitRecordIsTheTruthEvenAfterAReboot) {
  Evidence e = running();
  e.end = AttemptRecord{.ran = true, .containers = {}, .notices = {}};
  EXPECT_EQ(judge(e), Presence::kEnded);
  e.same_boot = e.lock_held = e.process_matches = false;
  EXPECT_EQ(judge(e), Presence::kEnded);
}

TEST(Judge, WhatWasStoppedOnPurposeHasNotFinished) {
  Evidence e = running();
  e.stopped = true;
  EXPECT_EQ(judge(e), Presence::kRunning) << "it is still on its way out";
  e.lock_held = e.process_matches = false;
  EXPECT_EQ(judge(e), Presence::kStopped) << "killed at the end of its grace period";
  e.end = AttemptRecord{.ran = true, .containers = {}, .notices = {}};
  e.same_boot = false;
  EXPECT_EQ(judge(e), Presence::kStopped);
  e.end = AttemptRecord{};
  EXPECT_EQ(judge(e), Presence::kNeverRan);
}

TEST(Judge, AShimThatWasSentAwayNeverRan) {
  Evidence e = running();
  e.end = AttemptRecord{};
  EXPECT_EQ(judge(e), Presence::kNeverRan);
}

TEST(Judge, ARebootTookIt) {
  Evidence e = running();
  e.same_boot = e.lock_held = e.process_matches = false;
  EXPECT_EQ(judge(e), Presence::kLostReboot);
  e.process_matches = true;  // a process of the new boot that happens to have the same pid and start time
  EXPECT_EQ(judge(e), Presence::kLostReboot);
}

TEST(Judge, AFreeLockWithoutAnExitRecordMeansTheShimWasKilled) {
  Evidence e = running();
  e.lock_held = e.process_matches = false;
  EXPECT_EQ(judge(e), Presence::kLostShim);
  e.process_matches = true;  // seen while it was exiting
  EXPECT_EQ(judge(e), Presence::kLostShim);
}

TEST(Judge, WithoutAnIdentityNothingWasEverTold) {
  Evidence e;
  e.folder = true;
  EXPECT_EQ(judge(e), Presence::kNeverRan);
  e.lock_held = true;
  EXPECT_EQ(judge(e), Presence::kUnclear);
}

TEST(Judge, ALockHeldByAStrangerIsLeftAlone) {
  Evidence e = running();
  e.process_matches = false;
  EXPECT_EQ(judge(e), Presence::kUnclear);
}

}  // namespace
}  // namespace muster::agent
