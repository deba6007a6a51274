#include "cli/logs/last_line.h"

#include <gtest/gtest.h>

#include "cli/logs/job_events.h"

namespace muster::cli {
namespace {

using namespace std::chrono_literals;

TEST(SpokenDuration, HasTwoUnits) {
  EXPECT_EQ(spoken_duration(300ms), "less than 1 s");
  EXPECT_EQ(spoken_duration(12s), "12 s");
  EXPECT_EQ(spoken_duration(3min + 12s), "3 min 12 s");
  EXPECT_EQ(spoken_duration(2min), "2 min");
  EXPECT_EQ(spoken_duration(1h + 5min + 59s), "1 h 5 min");
  EXPECT_EQ(spoken_duration(51h), "2 d 3 h");
}

TEST(LastLine, SaysHowLongItTookWhatItReachedAndWhatComesNext) {
  EndOfJob end{.name = "mnist", .summary = {.phase = jobs::State::kSucceeded}, .progress = {}};
  EXPECT_EQ(last_line(end), "Succeeded\nnext: muster logs mnist, muster describe mnist, muster rerun mnist\n");
  end.summary.started = parse_rfc3339("2026-01-01T00:00:00Z");
  end.summary.ended = parse_rfc3339("2026-01-01T00:03:12Z");
  end.progress = {.epoch = 3, .loss = 0.03125, .accuracy = 0.97};
  end.has_curves = true;
  EXPECT_EQ(last_line(end),
            "Succeeded in 3 min 12 s, loss 0.03125, accuracy 0.97\n"
            "next: muster logs mnist, muster describe mnist, muster rerun mnist, muster tensorboard mnist\n");
}

TEST(ExplainsLines, WhatHappensToAJobButNotItsBeginningAndItsEnd) {
  const auto explains = [](const char* type, const char* reason) {
    return explains_lines(json::Object{{"type", type}, {"reason", reason}});
  };
  for (const char* reason : {"Stalled", "PodRestarted", "PyTorchJobRestarting", "ReplicaFailed", "FailedCreate"}) {
    EXPECT_TRUE(explains("Warning", reason)) << reason;
  }
  for (const char* reason : {"Overcommitted", "Active", "Paused", "TFJobSuspended", "Scaled"}) {
    EXPECT_TRUE(explains("Normal", reason)) << reason;
  }
  for (const char* reason : {"Created", "Start", "Succeeded", "PyTorchJobSucceeded"}) {
    EXPECT_FALSE(explains("Normal", reason)) << reason;
  }
  for (const char* reason : {"Failed", "PyTorchJobFailed", "DeadlineExceeded", "BackoffExhausted", "Unschedulable"}) {
    EXPECT_FALSE(explains("Warning", reason)) << reason;
  }
}

}  // namespace
}  // namespace muster::cli
