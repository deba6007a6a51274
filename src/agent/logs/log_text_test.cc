#include "agent/logs/log_text.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "base/fd.h"
#include "shim/format.h"

namespace muster::agent {
namespace {

const std::string kLog =
    "2026-11-15T10:00:00.000000001Z stdout F one\n"
    "2026-11-15T10:00:01.000000000Z stderr P 50%\r\n"
    "2026-11-15T10:00:02.000000000Z stdout F two\n"
    "2026-11-15T10:00:03.000000000Z stderr F 100%\n"
    "2026-11-15T10:00:04.000000000Z stdout F \n"
    "2026-11-15T10:00:05.000000000Z stdout P no newline";

std::string read(LogText::Options options, const std::string& log = kLog + "\n", std::size_t chunk = 1000) {
  LogText text(options);
  std::string out;
  for (std::size_t at = 0; at < log.size(); at += chunk) text.take(std::string_view(log).substr(at, chunk), out);
  return out;
}

TEST(LogText, GivesBackTheBytesInOrder) {
  EXPECT_EQ(read({}), "one\n50%\rtwo\n100%\n\nno newline");
}

TEST(LogText, AnyChunksGiveTheSame) {
  for (std::size_t chunk = 1; chunk < 80; ++chunk) EXPECT_EQ(read({}, kLog + "\n", chunk), read({}));
}

TEST(LogText, StampsEachLineOnce) {
  EXPECT_EQ(
      read({.timestamps = true, .since = {}, .limit_bytes = {}}),
      "2026-11-15T10:00:00.000000001Z one\n2026-11-15T10:00:01.000000000Z 50%\r\n2026-11-15T10:00:02.000000000Z two\n"
      "2026-11-15T10:00:03.000000000Z 100%\n2026-11-15T10:00:04.000000000Z \n2026-11-15T10:00:05.000000000Z no "
      "newline");
}

TEST(LogText, WhatIsMissingIsSaidOnALineOfItsOwn) {
  for (const bool timestamps : {false, true}) {
    LogText text({.timestamps = timestamps});
    const std::string time = "2026-11-15T10:00:01.000000000Z";
    const std::string shown = timestamps ? time + " " : "";
    std::string out;
    text.take(time + " stdout P begin\n", out);
    text.mark_gap(time, "--- gap ---", out);
    text.take(time + " stdout P middle\n" + time + " stdout F  end\n", out);
    EXPECT_EQ(out, shown + "begin\n" + shown + "--- gap ---\n" + shown + "middle end\n");
  }
}

TEST(LogText, SinceLeavesOutLinesThatBeganEarlier) {
  EXPECT_EQ(read({.timestamps = false, .since = parse_rfc3339("2026-11-15T10:00:02Z"), .limit_bytes = {}}),
            "two\n\nno newline");
}

TEST(LogText, StopsAtTheLimit) {
  LogText text({.timestamps = false, .since = {}, .limit_bytes = 6});
  std::string out;
  text.take(kLog + "\n", out);
  EXPECT_EQ(out, "one\n50");
  EXPECT_TRUE(text.done());
}

TEST(LogText, ATornEndIsNotShown) {
  EXPECT_EQ(read({}, "2026-11-15T10:00:00.000000001Z stdout F one\n2026-11-15T10:00"), "one\n");
  EXPECT_EQ(read({}, "garbage\n2026-11-15T10:00:00.000000001Z stdout F one\n"), "one\n");
}

TEST(Folded, ShowsWhatATerminalShowsInTheEnd) {
  EXPECT_EQ(folded("plain"), "plain");
  EXPECT_EQ(folded(" 10%|#  |\r 50%|## |\r100%|###|"), "100%|###|");
  EXPECT_EQ(folded("windows\r"), "windows");
  EXPECT_EQ(folded("1/3\b\b\b2/3\b\b\b3/3"), "3/3");
  EXPECT_EQ(folded("a\u00e9\bb"), "ab") << "a character of two bytes";
  EXPECT_EQ(folded("\b\b"), "");
}

TEST(Folded, ALineOfManyPiecesIsShownOnceAtItsEnd) {
  std::string log;
  const std::string begin = "2026-11-15T10:00:00.000000001Z stdout ";
  for (int i = 0; i < 100; ++i) log += begin + "P  " + std::to_string(i) + "%\r\n";
  log += begin + "F done\n" + begin + "F next\n" + begin + "P unfinished\rlast\n";
  LogText text({.fold = true});
  std::string out;
  text.take(log, out);
  EXPECT_EQ(out, "done\nnext\n");
  text.finish(out);
  EXPECT_EQ(out, "done\nnext\nlast");
}

TEST(Folded, ALongLineWithoutCarriageReturnsIsNotLost) {
  std::string log;
  std::string expected;
  for (int i = 0; i < 50; ++i) {
    const std::string piece(16384, static_cast<char>('a' + i % 26));
    log += "2026-11-15T10:00:00.000000001Z stdout " + std::string(i == 49 ? "F " : "P ") + piece + "\n";
    expected += piece;
  }
  LogText text({.fold = true});
  std::string out;
  text.take(log, out);
  EXPECT_TRUE(out == expected + "\n");
}

class ShownState : public ::testing::Test {
 protected:
  void take(const std::string& lines) { text_->take(lines, out_); }
  void show(const std::string& stream, const std::string& text) {
    text_->show_state({.time = "T2", .stream = stream, .text = text}, out_);
  }
  void with_times() { text_.emplace(LogText::Options{.timestamps = true}); }

  static constexpr const char* kTime = "2026-11-15T10:00:00.000000001Z";
  std::optional<LogText> text_ = LogText({});
  std::string out_;
};

TEST_F(ShownState, IsWrittenOverByTheRestOfItsLine) {
  show("stderr", " 10%");
  show("stderr", " 50%");
  take(std::string(kTime) + " stderr F 100%\n");
  EXPECT_EQ(out_, " 10%\r 50%\r100%\n");
}

TEST_F(ShownState, WritesOverWhatItsLineHasShown) {
  take(std::string(kTime) + " stderr P Loading\n");
  show("stderr", "50%");
  EXPECT_EQ(out_, "Loading\r50%\r");
}

TEST_F(ShownState, HasItsOwnTimeAndEndsNoLineOfTheOtherStream) {
  with_times();
  show("stderr", "50%");
  take(std::string(kTime) + " stdout F loss 0.3\n");
  show("stderr", "60%");
  take(std::string(kTime) + " stdout P begun\n");
  show("stderr", "70%");
  const std::string time = std::string(kTime) + " ";
  EXPECT_EQ(out_, "T2 50%\r" + time + "loss 0.3\nT2 60%\r" + time + "begun\nT2 70%\r");
}

TEST_F(ShownState, IsLimitedWithTheRest) {
  text_.emplace(LogText::Options{.limit_bytes = 6});
  for (int i = 0; i < 3; ++i) show("stderr", "50%");
  EXPECT_EQ(out_, "50%\r50");
  EXPECT_TRUE(text_->done());
}

std::string slot(const std::string& line) {
  std::string out = line;
  out.resize(MUSTER_STATE_SLOT);
  return out;
}

TEST(NewestState, IsTheNewerOfTheTwoStreams) {
  const std::string older = slot("2026-11-15T10:00:00.000000001Z stdout P 1/2\n");
  const std::string newer = slot("2026-11-15T10:00:00.000000002Z stderr P 77\b8%\n");
  ASSERT_TRUE(newest_state(older + newer));
  EXPECT_EQ(newest_state(older + newer)->text, "78%") << "as a terminal shows it";
  EXPECT_EQ(newest_state(older + slot(""))->stream, "stdout");
  const std::string wiped = slot("2026-11-15T10:00:00.000000003Z stderr P      \n");
  EXPECT_EQ(newest_state(older + wiped)->text, "1/2");
}

TEST(NewestState, IsAbsentInAFileOfAnythingElse) {
  for (const std::string& file : {std::string(), slot("") + slot(""), std::string("torn"), slot("2026 stdout P x\n")}) {
    EXPECT_FALSE(newest_state(file));
  }
}

class FindTail : public ::testing::Test {
 protected:
  std::string tail(const std::string& log, std::int64_t lines) {
    char name[] = "/tmp/muster-tail-XXXXXX";
    const Fd fd(::mkstemp(name));
    ::unlink(name);
    EXPECT_EQ(::write(fd.get(), log.data(), log.size()), static_cast<ssize_t>(log.size()));
    return log.substr(static_cast<std::size_t>(find_tail(fd.get(), lines, true).offset));
  }
};

TEST_F(FindTail, CountsLinesNotPieces) {
  const std::string log = kLog + "\n";
  EXPECT_EQ(read({}, tail(log, 0)), "");
  EXPECT_EQ(read({}, tail(log, 1)), "no newline");
  EXPECT_EQ(read({}, tail(log, 2)), "\nno newline");
  EXPECT_EQ(read({}, tail(log, 100)), read({}));
}

TEST_F(FindTail, WorksAcrossBlocks) {
  std::string log;
  std::string last;
  for (int i = 0; i < 20000; ++i) {
    const std::string line = "2026-11-15T10:00:00.000000001Z stdout F line " + std::to_string(i) + "\n";
    log += line;
    if (i >= 20000 - 5000) last += line;
  }
  EXPECT_TRUE(tail(log, 5000) == last);
  EXPECT_EQ(read({}, tail(log, 1)), "line 19999\n");
}

}  // namespace
}  // namespace muster::agent
