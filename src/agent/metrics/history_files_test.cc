#include "agent/metrics/history_files.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>

#include "base/files.h"

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using namespace std::chrono_literals;

Time hours_ago(int hours) {
  return Time(1000h) - std::chrono::hours(hours);
}

std::vector<std::string> expired(const std::vector<HistoryFile>& files, const std::set<std::string>& in_use,
                                 const HistoryLimits& limits) {
  return expired_files(files, in_use, limits, Time(1000h));
}

TEST(ExpiredFiles, BeyondTheAge) {
  EXPECT_THAT(expired({{"a", 1, hours_ago(1)}, {"b", 1, hours_ago(30)}, {"c", 1, hours_ago(25)}}, {}, {24h, 100}),
              ElementsAre("b", "c"));
}

TEST(ExpiredFiles, OldestFirstUntilTheRestIsSmallEnough) {
  const std::vector<HistoryFile> files{{"a", 10, hours_ago(1)}, {"b", 10, hours_ago(3)}, {"c", 10, hours_ago(2)}};
  EXPECT_THAT(expired(files, {}, {24h, 20}), ElementsAre("b"));
  EXPECT_THAT(expired(files, {}, {24h, 5}), ElementsAre("b", "c", "a"));
  EXPECT_THAT(expired(files, {"b"}, {24h, 20}), ElementsAre("c"));
  EXPECT_THAT(expired(files, {}, {24h, 30}), IsEmpty());
}

class HistoryFiles : public ::testing::Test {
 protected:
  HistoryFiles() {
    std::string pattern = std::filesystem::temp_directory_path() / "muster-metrics-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~HistoryFiles() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(HistoryFiles, AreUpdatedInPlace) {
  const HistoryLayout layout{.columns = {"cpu"}, .tiers = {{2, 300}, {15, 5760}}};
  const std::string path = folder_ + "/u";
  EXPECT_EQ(read_history(path).error().reason, Reason::kNotFound);
  ASSERT_TRUE(write_history(path, layout, encode_frames(layout, 0, {{100, {1}}})));
  ASSERT_TRUE(write_history(path, layout, encode_frames(layout, 0, {{102, {2}}})));
  const auto read = read_history(path);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->tiers[0].size(), 2U);
  EXPECT_THAT(read->tiers[0][1].values, ElementsAre(2));
}

TEST_F(HistoryFiles, OldOnesAreRemoved) {
  ASSERT_TRUE(write_file_atomically(folder_ + "/a", "x", 0600));
  ASSERT_TRUE(write_file_atomically(folder_ + "/b", "x", 0600));
  remove_expired_files(folder_, {"b"}, {0s, 1 << 20}, Time::max());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/a"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/b"));
}

}  // namespace
}  // namespace muster::agent
