#include "agent/metrics/log_source.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

class UidsOnly final : public UsageSource {
 public:
  std::vector<PodReading> read(const std::vector<MeasuredPod>& pods) override {
    std::vector<PodReading> readings;
    for (const MeasuredPod& pod : pods) readings.push_back({.uid = pod.uid});
    return readings;
  }
};

TEST(LogSource, TheNewestFileOfAnyContainerSaysWhenThePodLastWrote) {
  std::string pattern = fs::temp_directory_path() / "muster-logs-XXXXXX";
  const std::string folder = ::mkdtemp(pattern.data());
  const Paths paths(folder);
  UidsOnly others;
  LogSource source(others, paths);
  const auto last_write = [&] { return source.read({{.uid = "u"}}).at(0).last_write; };
  EXPECT_EQ(last_write(), fs::file_time_type::min().time_since_epoch().count());  // it has no logs yet

  const auto touch = [&](const char* name, int second) {
    const fs::path file = paths.logs("u") + "/" + name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "x";
    const fs::file_time_type when{std::chrono::seconds(second)};
    fs::last_write_time(file, when);
    return when.time_since_epoch().count();
  };
  auto newest = touch("main/0.0.log", 50);
  EXPECT_EQ(last_write(), newest);
  newest = touch("side/0.0.log", 70);
  EXPECT_EQ(last_write(), newest);
  touch("main/0.1.log", 60);
  EXPECT_EQ(last_write(), newest);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace muster::agent
