#include "base/log.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/strings.h"

namespace muster {
namespace {

std::string after_time(const std::string& line) {
  return line.substr(line.find(" msg=") + 1);
}

TEST(Log, WritesOneLogfmtLine) {
  ::testing::internal::CaptureStderr();
  LOG_INFO("pod started", {"pod", "ns/w-0"}, {"pid", 42}, {"why", "a b=\"c\""}, {"empty", ""});
  const std::string line = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(line.starts_with("level=info time=2")) << line;
  EXPECT_EQ(after_time(line), "msg=\"pod started\" pod=ns/w-0 pid=42 why=\"a b=\\\"c\\\"\" empty=\"\"\n");
}

TEST(Log, WritesOneJsonObject) {
  set_log_format(LogFormat::kJson);
  ::testing::internal::CaptureStderr();
  LOG_WARN("pod \"x\"", {"pid", 42}, {"why", "a\\b\n\x1b\xffé"});
  set_log_format(LogFormat::kLogfmt);
  const std::string line = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(line.starts_with(R"({"level":"warn","time":"2)")) << line;
  EXPECT_EQ(line.substr(line.find(R"(,"message")")), R"(,"message":"pod \"x\"","pid":"42","why":"a\\b\n\\x1b\\xffé"})"
                                                     "\n");
}

TEST(Log, LeavesOutLowerLevels) {
  ::testing::internal::CaptureStderr();
  LOG_DEBUG("unseen");
  set_log_level(LogLevel::kDebug);
  LOG_DEBUG("seen");
  set_log_level(LogLevel::kInfo);
  EXPECT_EQ(after_time(::testing::internal::GetCapturedStderr()), "msg=seen\n");
}

TEST(Log, CutsHugeValues) {
  ::testing::internal::CaptureStderr();
  LOG_WARN("big", {"value", std::string(1'000'000, 'x')});
  const std::string line = ::testing::internal::GetCapturedStderr();
  EXPECT_LT(line.size(), 5000U);
  EXPECT_TRUE(line.ends_with("xxx...\n"));
}

TEST(Log, LinesOfManyThreadsStayWhole) {
  ::testing::internal::CaptureStderr();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 50; ++i) LOG_INFO("m", {"v", std::string(200, 'y')});
      });
    }
  }
  const std::vector<std::string> lines = split(::testing::internal::GetCapturedStderr(), '\n');
  ASSERT_EQ(lines.size(), 201U);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(after_time(lines[i]), "msg=m v=" + std::string(200, 'y'));
}

}  // namespace
}  // namespace muster
