#include "client/logs/log_lines.h"

#include <gtest/gtest.h>

namespace muster::client {
namespace {

TEST(LinePrefix, IsPlainOrColored) {
  EXPECT_EQ(line_prefix(Prefix::kNone, "worker-0", 0), "");
  EXPECT_EQ(line_prefix(Prefix::kPlain, "worker-0", 0), "[worker-0] ");
  EXPECT_EQ(line_prefix(Prefix::kColored, "worker-0", 0), "\x1b[36m[worker-0]\x1b[0m ");
  EXPECT_NE(line_prefix(Prefix::kColored, "a", 0), line_prefix(Prefix::kColored, "a", 1));
  EXPECT_EQ(line_prefix(Prefix::kColored, "a", 0), line_prefix(Prefix::kColored, "a", 6));
}

TEST(LineCutter, GivesWholeLinesOnly) {
  LineCutter cutter("[w] ");
  EXPECT_EQ(cutter.feed("one\ntw"), "[w] one\n");
  EXPECT_EQ(cutter.feed("o\n\nthree"), "[w] two\n[w] \n");
  EXPECT_EQ(cutter.finish(), "[w] three\n");
  EXPECT_EQ(cutter.finish(), "");
}

TEST(LineCutter, PassesBytesThroughWithoutAPrefix) {
  LineCutter cutter("");
  EXPECT_EQ(cutter.feed("half a l"), "half a l");
  EXPECT_EQ(cutter.finish(), "");
}

TEST(TimestampedLog, TakesTimesOff) {
  TimestampedLog log(TimestampedLog::Show::kWithoutTimestamps);
  EXPECT_EQ(log.feed("2026-01-01T00:00:01.5Z one\n2026-01-01T00:00:02Z t"), "one\n");
  EXPECT_EQ(log.feed("wo\n2026-01-01T00:00:03Z \n2026-01-01T00:00:03Z\n"), "two\n\n\n");
}

TEST(TimestampedLog, KeepsTimesWhenAsked) {
  TimestampedLog log(TimestampedLog::Show::kWithTimestamps);
  EXPECT_EQ(log.feed("2026-01-01T00:00:01.5Z one\n"), "2026-01-01T00:00:01.5Z one\n");
}

TEST(TimestampedLog, TakesUpABrokenStream) {
  TimestampedLog log(TimestampedLog::Show::kWithoutTimestamps);
  EXPECT_EQ(log.feed("2026-01-01T00:00:01Z one\n2026-01-01T00:00:02.1Z two\n2026-01-01T00:00:02.1Z three\n2026-"),
            "one\ntwo\nthree\n");
  log.restart();
  EXPECT_EQ(log.last_time(), "2026-01-01T00:00:02.100000000");
  // The stream restarts one second earlier; of the lines with the same timestamp only the third is new.
  EXPECT_EQ(log.feed("2026-01-01T00:00:02Z before\n2026-01-01T00:00:02.1Z two\n2026-01-01T00:00:02.100Z three\n"
                     "2026-01-01T00:00:02.1Z four\n2026-01-01T00:00:03Z five\n"),
            "four\nfive\n");
}

TEST(TimestampedLog, GivesTheLastLineWithoutItsNewline) {
  TimestampedLog log(TimestampedLog::Show::kWithoutTimestamps);
  EXPECT_EQ(log.feed("2026-01-01T00:00:01Z no newline"), "");
  EXPECT_EQ(log.finish(), "no newline\n");
  EXPECT_EQ(log.finish(), "");
}

TEST(TimestampedLog, GivesTheLastStateOfALineThatIsWrittenOver) {
  TimestampedLog log(TimestampedLog::Show::kWithoutTimestamps);
  EXPECT_EQ(log.feed("2026-01-01T00:00:01Z  10%\r"), "");
  EXPECT_EQ(log.take_state(), " 10%");
  EXPECT_EQ(log.take_state(), std::nullopt);
  EXPECT_EQ(log.feed("2026-01-01T00:00:02Z  50%\r2026-01-01T00:00:02Z  60"), "");
  EXPECT_EQ(log.take_state(), " 50%");
  EXPECT_EQ(log.feed("%\r2026-01-01T00:00:03Z 100%\n"), "100%\n");
  EXPECT_EQ(log.last_time(), "2026-01-01T00:00:03.000000000") << "of the state that counts";
  EXPECT_EQ(log.take_state(), "");
}

TEST(TimestampedLog, GivesTheStatesThatAKubeletLeavesInOneLine) {
  TimestampedLog log(TimestampedLog::Show::kWithTimestamps);
  std::string bar = "2026-01-01T00:00:01Z ";
  for (int i = 0; i < 1000; ++i) bar += "\r " + std::to_string(i) + "/1000";
  EXPECT_EQ(log.feed(bar), "");
  EXPECT_EQ(log.take_state(), " 998/1000") << "whether the last one is whole is not known yet";
  EXPECT_EQ(log.feed(" done\n"), "2026-01-01T00:00:01Z  999/1000 done\n");
}

TEST(TimestampedLog, GivesALineOfAnotherStreamInPlaceOfTheState) {
  TimestampedLog log(TimestampedLog::Show::kWithoutTimestamps);
  EXPECT_EQ(log.feed("2026-01-01T00:00:01Z 50%\r2026-01-01T00:00:02Z loss 0.3\n2026-01-01T00:00:01Z 50%\r"),
            "loss 0.3\n");
  EXPECT_EQ(log.take_state(), "50%");
  EXPECT_EQ(log.finish(), "50%\n") << "nothing came after it";
}

TEST(TimestampedLog, KeepsTheLinesOfWindowsAndForgetsWhatWasWiped) {
  TimestampedLog log(TimestampedLog::Show::kWithoutTimestamps);
  EXPECT_EQ(log.feed("2026-01-01T00:00:01Z text\r\n2026-01-01T00:00:01Z 50%\r2026-01-01T00:00:02Z    \r"), "text\r\n");
  EXPECT_EQ(log.take_state(), std::nullopt);
  EXPECT_EQ(log.finish(), "");
}

}  // namespace
}  // namespace muster::client
