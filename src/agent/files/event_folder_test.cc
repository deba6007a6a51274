#include "agent/files/event_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "testing/source_dir.h"

namespace muster::agent {
namespace {

class EventFolder : public ::testing::Test {
 protected:
  EventFolder() {
    std::string pattern = ::testing::TempDir() + "events-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~EventFolder() override { std::filesystem::remove_all(folder_); }

  node::ScalarRuns read(const std::string& path) const {
    const auto claim = ClaimFolder::open({.path = folder_, .is_named = true, .may_be_made = false});
    EXPECT_TRUE(claim.has_value());
    auto runs = read_event_folder(**claim, path, {});
    EXPECT_TRUE(runs.has_value());
    return *std::move(runs);
  }

  bool has_events(const std::string& path) const {
    const auto claim = ClaimFolder::open({.path = folder_, .is_named = true, .may_be_made = false});
    EXPECT_TRUE(claim.has_value());
    const auto found = has_event_files(**claim, path, {});
    EXPECT_TRUE(found.has_value());
    return found.value_or(false);
  }

  /// Copies a file that PyTorch has written: two steps of two tags.
  void put(const std::string& path) const {
    const auto to = std::filesystem::path(folder_) / path;
    std::filesystem::create_directories(to.parent_path());
    std::filesystem::copy_file(muster::testing::source_dir() + "/src/agent/testdata/events.out.tfevents.pytorch", to);
  }

  std::string folder_;
};

TEST_F(EventFolder, EveryFolderWithEventFilesIsARun) {
  put("log/events.out.tfevents.1.host.2.0");
  put("log/worker-1/events.out.tfevents.1.host.2.0");
  std::ofstream(folder_ + "/log/notes.txt") << "no events";
  const node::ScalarRuns found = read("log");
  ASSERT_EQ(found.runs.size(), 2u);
  EXPECT_EQ(found.runs[0].name, "worker-1");
  EXPECT_EQ(found.runs[1].name, ".");
  ASSERT_EQ(found.runs[1].series.size(), 2u);
  EXPECT_EQ(found.runs[1].series[0].tag, "test/accuracy");
  EXPECT_EQ(found.runs[1].series[1].tag, "train/loss");
  ASSERT_EQ(found.runs[1].series[1].points.size(), 2u);
  EXPECT_EQ(found.runs[1].series[1].points[1].step, 20);
  EXPECT_FLOAT_EQ(static_cast<float>(found.runs[1].series[1].points[1].value), 0.25F);
  EXPECT_TRUE(found.is_complete);
}

TEST_F(EventFolder, IsEmptyUntilTheTrainingHasLogged) {
  EXPECT_TRUE(read("log").runs.empty());
  EXPECT_FALSE(has_events("log"));
  std::filesystem::create_directories(folder_ + "/log/worker-1/checkpoints");
  std::ofstream(folder_ + "/log/notes.txt") << "no events";
  EXPECT_FALSE(has_events("log"));
  put("log/worker-1/events.out.tfevents.1.host.2.0");
  EXPECT_TRUE(has_events("log"));
  EXPECT_TRUE(has_events(""));
  EXPECT_FALSE(has_events("log/worker-1/checkpoints"));
}

TEST_F(EventFolder, LeadsNowhereElse) {
  put("secret/events.out.tfevents.1");
  std::filesystem::create_directories(folder_ + "/log");
  std::filesystem::create_directory_symlink("/", folder_ + "/log/root");
  std::filesystem::create_symlink("/etc/passwd", folder_ + "/log/tfevents");
  EXPECT_TRUE(read("log").runs.empty());
}

}  // namespace
}  // namespace muster::agent
