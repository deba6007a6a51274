#include "agent/logs/termination_message.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/check.h"
#include "json/document.h"

namespace muster::agent {
namespace {

class EndOfLog : public ::testing::Test {
 protected:
  EndOfLog() {
    std::string pattern = (std::filesystem::temp_directory_path() / "muster-end.XXXXXX").string();
    CHECK(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    std::filesystem::create_directories(folder_ + "/logs/main");
  }
  ~EndOfLog() override { std::filesystem::remove_all(folder_); }

  /// Each line is of one stream and complete: "stderr F text".
  void write_segment(const std::string& name, const std::vector<std::string>& lines) const {
    std::ofstream log(folder_ + "/logs/main/" + name);
    for (const std::string& line : lines) log << "2026-01-01T00:00:00.000000000Z " << line << "\n";
  }
  std::string read() const { return end_of_log(folder_, "main", 0); }

  std::string folder_;
};

TEST_F(EndOfLog, IsEmptyWithoutALog) {
  EXPECT_EQ(read(), "");
  EXPECT_EQ(end_of_log(folder_, "other", 3), "");
}

TEST_F(EndOfLog, HasTheLinesOfBothStreams) {
  write_segment("0.0.log", {"stdout F epoch 1", "stderr F ValueError: no data"});
  EXPECT_EQ(read(), "epoch 1\nValueError: no data\n");
}

TEST_F(EndOfLog, ShowsAProgressBarOnce) {
  write_segment("0.0.log", {"stderr P  10%\r", "stderr P  20%\r", "stderr F  30%", "stderr P killed here"});
  EXPECT_EQ(read(), " 30%\nkilled here");
}

TEST_F(EndOfLog, HasAtMostEightyLines) {
  std::vector<std::string> lines;
  for (int i = 0; i < 200; ++i) lines.push_back("stdout F " + std::to_string(i));
  write_segment("0.0.log", lines);
  const std::string text = read();
  EXPECT_TRUE(text.starts_with("120\n121\n")) << text;
  EXPECT_TRUE(text.ends_with("199\n")) << text;
}

TEST_F(EndOfLog, BeginsWithALineWhenItIsTooLong) {
  write_segment("0.0.log",
                {"stdout F " + std::string(3000, 'a'), "stdout F " + std::string(3000, 'b'), "stdout F end"});
  EXPECT_EQ(read(), std::string(3000, 'b') + "\nend\n");
}

TEST_F(EndOfLog, BeginsWithACharacterWhenItsOnlyLineIsTooLong) {
  std::string line;
  while (line.size() < 5001) line += "\u20ac";
  write_segment("0.0.log", {"stdout F x" + line});
  const std::string text = read();
  EXPECT_TRUE(text.starts_with("\u20ac")) << text.substr(0, 4);
  EXPECT_LE(text.size(), 4096u);
}

TEST_F(EndOfLog, ContinuesInTheSegmentBefore) {
  write_segment("0.0.log", {"stderr F Traceback (most recent call last):"});
  write_segment("0.1.log", {"stderr F ValueError: no data"});
  EXPECT_EQ(read(), "Traceback (most recent call last):\nValueError: no data\n");
}

TEST_F(EndOfLog, IsValidText) {
  write_segment("0.0.log", {"stdout F a\xff b"});
  EXPECT_EQ(read(), "a? b\n");
}

/// Returns the termination message of the container, whose log ends with "the log".
std::string message_of(const ContainerRecord& record, const std::string& policy) {
  const auto pod =
      json::parse(R"({"spec":{"containers":[{"name":"main","terminationMessagePolicy":")" + policy + R"("}]}})");
  PodView view;
  view.current = AttemptRecord{};
  view.current->containers = {record};
  const PodView filled = with_log_messages(*pod, view, [](const std::string&, int) { return std::string("the log"); });
  return filled.current->containers.front().termination;
}

ContainerRecord ended_with(int code) {
  ContainerRecord record;
  record.name = "main";
  record.state = RunState::kTerminated;
  record.code = code;
  return record;
}

TEST(LogMessages, AreForContainersThatFailedWithoutAMessageOfTheirOwn) {
  const std::string policy = "FallbackToLogsOnError";
  EXPECT_EQ(message_of(ended_with(1), policy), "the log");
  EXPECT_EQ(message_of(ended_with(1), "File"), "");
  EXPECT_EQ(message_of(ended_with(0), policy), "");

  ContainerRecord spoke = ended_with(1);
  spoke.termination = "loss is NaN";
  EXPECT_EQ(message_of(spoke, policy), "loss is NaN");

  ContainerRecord unstarted = ended_with(128);
  unstarted.message = "no such command";
  EXPECT_EQ(message_of(unstarted, policy), "") << "it has no log";

  ContainerRecord running = ended_with(0);
  running.state = RunState::kRunning;
  EXPECT_EQ(message_of(running, policy), "");
}

TEST(LogMessages, ChangeNothingBeforeALaunch) {
  EXPECT_FALSE(with_log_messages(json::Document(), PodView{}, nullptr).current);
}

}  // namespace
}  // namespace muster::agent
