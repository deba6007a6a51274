#include "agent/logs/log_reader.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "testing/sim_loop.h"

namespace muster::agent {
namespace {

class LogReader : public ::testing::Test {
 protected:
  LogReader() {
    std::string pattern = (std::filesystem::temp_directory_path() / "muster-log.XXXXXX").string();
    CHECK(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    std::filesystem::create_directories(folder_ + "/logs/main");
    request_.pod = "p";
    request_.container = "main";
  }
  ~LogReader() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<node::LogStream> open() {
    auto stream = open_log_stream(
        loop_, folder_, 0, request_,
        [this](std::string_view more) {
          text_ += more;
          if (pause_at_ && text_.size() >= *pause_at_) stream_->pause();
        },
        [this](Status how) { end_ = std::move(how); }, removed_);
    CHECK(stream.has_value());
    return *std::move(stream);
  }

  static constexpr const char* kTime = "2026-01-01T00:00:00.000000000Z ";
  void write_segment(const std::string& name, std::initializer_list<const char*> lines) const {
    std::ofstream log(folder_ + "/logs/main/" + name);
    for (const char* line : lines) log << kTime << "stdout F " << line << "\n";
  }
  void write_state(const std::string& text) const {
    std::string slot = text.empty() ? "" : kTime + std::string("stdout P ") + text + "\n";
    slot.resize(1024);
    std::ofstream(folder_ + "/logs/main/0.state") << slot;
  }
  /// Reads the whole log.
  std::string read() {
    text_.clear();
    end_.reset();
    stream_ = open();
    loop_.settle();
    EXPECT_TRUE(end_.has_value() && end_->has_value());
    return text_;
  }

  testing::SimLoop loop_;
  std::string folder_;
  node::LogRequest request_;
  std::shared_ptr<RemovedLogs> removed_ = std::make_shared<RemovedLogs>();
  std::unique_ptr<node::LogStream> stream_;
  std::string text_;
  std::optional<std::size_t> pause_at_;
  std::optional<Status> end_;
};

TEST_F(LogReader, ReadsNoFurtherWhilePaused) {
  constexpr int kLines = 50'000;
  std::ofstream log(folder_ + "/logs/main/0.0.log");
  for (int i = 0; i < kLines; ++i) log << "2026-01-01T00:00:00.000000000Z stdout F x\n";
  log.close();
  pause_at_ = 1;
  stream_ = open();
  loop_.settle();
  const std::size_t first = text_.size();
  EXPECT_GT(first, 0u);
  EXPECT_LT(first, 5'000u) << "one chunk";
  loop_.advance(std::chrono::minutes(1));
  EXPECT_EQ(text_.size(), first);
  EXPECT_FALSE(end_.has_value());
  pause_at_.reset();
  stream_->resume();
  loop_.settle();
  EXPECT_EQ(text_.size(), 2u * kLines);
  ASSERT_TRUE(end_.has_value());
  EXPECT_TRUE(end_->has_value());
}

TEST_F(LogReader, EndsWhereTheLogEndedWhenItWasOpenedThoughItGrows) {
  write_segment("0.0.log", {"one"});
  write_segment("0.1.log", {"two"});
  text_.clear();
  stream_ = open();
  std::ofstream(folder_ + "/logs/main/0.1.log", std::ios::app) << kTime << "stdout F three\n";
  write_segment("0.2.log", {"four"});
  loop_.settle();
  EXPECT_EQ(text_, "one\ntwo\n");
  EXPECT_TRUE(end_.has_value() && end_->has_value());
}

TEST_F(LogReader, ReadsWhatIsRemovedAfterItWasOpened) {
  write_segment("0.0.log", {"zero"});
  write_segment("0.1.log", {"one"});
  stream_ = open();
  std::filesystem::remove_all(folder_ + "/logs/main");
  loop_.settle();
  EXPECT_EQ(text_, "zero\none\n");
  EXPECT_TRUE(end_.has_value() && end_->has_value());
}

TEST_F(LogReader, AFollowerIsToldWhatItMissed) {
  std::filesystem::create_directory(folder_ + "/0");  // of a shim that is gone
  request_.follow = true;
  request_.timestamps = true;
  write_segment("0.0.log", {"zero"});
  stream_ = open();
  std::filesystem::remove(folder_ + "/logs/main/0.0.log");
  write_segment("0.2.log", {"two"});
  write_segment("0.3.log", {"three"});
  loop_.settle();
  const std::string time = kTime;
  EXPECT_EQ(text_, time + "zero\n" + time +
                       "--- part of the log is missing here: it was removed before it was read ---\n" + time + "two\n" +
                       time + "three\n");
  EXPECT_TRUE(end_.has_value() && end_->has_value());
}

TEST_F(LogReader, AFollowerThatComesBackIsToldWhatItMissed) {
  std::filesystem::create_directory(folder_ + "/0");
  request_.follow = true;
  write_segment("0.1.log", {"one"});
  const auto follow_since = [this](const char* time) {
    request_.since = parse_rfc3339(time);
    return read();
  };
  EXPECT_EQ(follow_since("2026-01-01T00:00:00Z"), "one\n");
  EXPECT_EQ(follow_since("2025-12-31T23:59:59.999999999Z"),
            "--- part of the log is missing here: it was removed before it was read ---\none\n");
  std::filesystem::rename(folder_ + "/logs/main/0.1.log", folder_ + "/logs/main/0.0.log");
  EXPECT_EQ(follow_since("2025-12-31T00:00:00Z"), "one\n") << "there was nothing before";
}

TEST_F(LogReader, ASlowFollowerKeepsOnlySoMuchOnTheDisk) {
  std::filesystem::create_directory(folder_ + "/0");
  request_.follow = true;
  const auto segment = [](int number) { return "0." + std::to_string(number) + ".log"; };
  for (int i = 0; i <= 70; ++i) write_segment(segment(i), {std::to_string(i).c_str()});
  stream_ = open();
  for (int i = 0; i < 70; ++i) std::filesystem::remove(folder_ + "/logs/main/" + segment(i));
  write_segment(segment(71), {"71"});
  loop_.settle();
  EXPECT_TRUE(
      text_.starts_with("0\n--- part of the log is missing here: it was removed before it was read ---\n6\n7\n"))
      << text_.substr(0, 200);
  EXPECT_TRUE(text_.ends_with("\n69\n70\n71\n"));
}

TEST_F(LogReader, SlowFollowersTogetherKeepOnlySoMuchOnTheDisk) {
  std::filesystem::create_directory(folder_ + "/0");
  request_.follow = true;
  const auto path = [this](int number) { return folder_ + "/logs/main/0." + std::to_string(number) + ".log"; };
  const auto write = [this](int number) {
    write_segment("0." + std::to_string(number) + ".log", {std::to_string(number).c_str()});
  };
  for (int i = 0; i <= 4; ++i) write(i);
  // Room for three removed segments.
  removed_ = std::make_shared<RemovedLogs>(static_cast<std::int64_t>(3 * std::filesystem::file_size(path(0))));
  std::unique_ptr<node::LogStream> stalled;
  auto opened = open_log_stream(
      loop_, folder_, 0, request_, [&stalled](std::string_view) { stalled->pause(); }, [](const Status&) {}, removed_);
  ASSERT_TRUE(opened);
  stalled = *std::move(opened);
  stream_ = open();
  for (int i = 0; i <= 2; ++i) std::filesystem::remove(path(i));
  write(5);
  loop_.settle();
  // Both had the segments 1 and 2, which are gone. The first one keeps them; the second one has room for one of them.
  EXPECT_EQ(text_, "0\n--- part of the log is missing here: it was removed before it was read ---\n2\n3\n4\n5\n");
  EXPECT_EQ(removed_->room_for(0), static_cast<std::int64_t>(std::filesystem::file_size(path(3))));
  stalled.reset();
  EXPECT_EQ(removed_->room_for(0), static_cast<std::int64_t>(3 * std::filesystem::file_size(path(3))));
}

TEST_F(LogReader, ReadsTheSegmentsThatAreLeftInOrder) {
  // 10 comes after 9, whatever the folder's order; other runs are not read.
  write_segment("0.9.log", {"nine"});
  write_segment("0.10.log", {"ten", "ten and a half"});
  write_segment("0.8.log", {"eight"});
  write_segment("1.0.log", {"the next run"});
  EXPECT_EQ(read(), "eight\nnine\nten\nten and a half\n");
}

TEST_F(LogReader, TheLastLinesMayBeInSeveralSegments) {
  write_segment("0.0.log", {"a", "b"});
  write_segment("0.1.log", {"c"});
  write_segment("0.2.log", {"d", "e"});
  const char* const expected[] = {"", "e\n", "d\ne\n", "c\nd\ne\n", "b\nc\nd\ne\n"};
  for (int lines = 0; lines < 5; ++lines) {
    request_.tail_lines = lines;
    EXPECT_EQ(read(), expected[lines]);
  }
}

TEST_F(LogReader, ALineThatCrossesSegmentsIsOneLine) {
  std::ofstream(folder_ + "/logs/main/0.0.log") << kTime << "stdout F before\n" << kTime << "stdout P begin ";
  std::ofstream(folder_ + "/logs/main/0.0.log", std::ios::app) << "\n";
  std::ofstream(folder_ + "/logs/main/0.1.log") << kTime << "stdout F and end\n";
  request_.tail_lines = 1;
  EXPECT_EQ(read(), "begin and end\n");
}

TEST_F(LogReader, ReadsTheLogOfAShimOfVersion1) {
  std::filesystem::create_directory(folder_ + "/0");
  std::ofstream(folder_ + "/0/main.log") << kTime << "stdout F old\n";
  EXPECT_EQ(read(), "old\n");
}

TEST_F(LogReader, ALogThatCannotBeReadDoesNotEndAsIfItWereWhole) {
  std::filesystem::create_directory(folder_ + "/logs/main/0.0.log");
  stream_ = open();
  loop_.settle();
  ASSERT_TRUE(end_.has_value());
  ASSERT_FALSE(end_->has_value());
  EXPECT_EQ(end_->error().message, "read the log of container \"main\": EISDIR (is a directory)");
}

TEST_F(LogReader, EndsWithTheStateOfALineThatIsWrittenOver) {
  write_segment("0.0.log", {"one"});
  write_state(" 50%");
  EXPECT_EQ(read(), "one\n 50%");
  write_state("");
  EXPECT_EQ(read(), "one\n");
}

TEST_F(LogReader, FollowsTheStatesOfALineThatIsWrittenOver) {
  write_segment("0.0.log", {"one"});
  write_state(" 50%");
  // Without a shim the run is over at once, so the log's own end comes after what was written.
  request_.follow = true;
  EXPECT_EQ(read(), "one\n") << "the states of a run that is over are not shown";
}

}  // namespace
}  // namespace muster::agent
