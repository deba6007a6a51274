#include "agent/files/event_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

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
    auto runs = read_event_folder(**claim, path, std::nullopt, {});
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

TEST_F(EventFolder, AFileOf2GBThatHoldsNoEventsHarmsNoOther) {
  put("log/events.out.tfevents.1.host.2.0");
  const std::string large = folder_ + "/log/large/events.out.tfevents.1.host.2.0";
  std::filesystem::create_directories(folder_ + "/log/large");
  std::ofstream(large) << "";
  std::filesystem::resize_file(large, std::uintmax_t{2} << 30);
  const node::ScalarRuns found = read("log");
  EXPECT_FALSE(found.is_complete);
  ASSERT_EQ(found.runs.size(), 1u);
  EXPECT_EQ(found.runs[0].name, ".");
  EXPECT_EQ(found.problems,
            (std::vector<std::string>{
                "log/large/events.out.tfevents.1.host.2.0: is too large, got 2048 MiB; only its last 64 MiB are shown",
                "log/large/events.out.tfevents.1.host.2.0: has no event from byte 2080374784 on; is it a file of "
                "TensorBoard?"}));
}

TEST_F(EventFolder, SaysWhichFileIsDamagedOrCut) {
  const std::string sound = "log/a/events.out.tfevents.1.host.2.0";
  put(sound);
  const auto size = std::filesystem::file_size(folder_ + "/" + sound);
  const auto copy = [&](const std::string& path) {
    put(path);
    return folder_ + "/" + path;
  };
  std::ofstream(copy("log/b/events.out.tfevents.1.host.2.0"), std::ios::app) << std::string(30, 'x');
  std::filesystem::resize_file(copy("log/c/events.out.tfevents.1.host.2.0"), size - 5);
  const auto claim = ClaimFolder::open({.path = folder_, .is_named = true, .may_be_made = false});
  node::EventOwner owner{.hosts = {"host"}, .since = {}, .until = Time::max()};
  const auto ended = read_event_folder(**claim, "log", owner, {});
  ASSERT_TRUE(ended);
  EXPECT_FALSE(ended->is_complete);
  ASSERT_EQ(ended->problems.size(), 2u);
  EXPECT_EQ(ended->problems[0], "log/b/events.out.tfevents.1.host.2.0: is damaged from byte " + std::to_string(size) +
                                    "; the values that cannot be read are left out");
  EXPECT_EQ(ended->problems[1].find("log/c/events.out.tfevents.1.host.2.0: ends within a record at byte "), 0u);
  owner.until.reset();
  EXPECT_EQ(read_event_folder(**claim, "log", owner, {})->problems.size(), 1u) << "a running job may be writing";
}

class RecentEvents : public EventFolder {
 protected:
  node::EventFolders find(const std::string& path, std::vector<std::string> first = {}, Time since = {}) const {
    const auto claim = ClaimFolder::open({.path = folder_, .is_named = true, .may_be_made = false});
    EXPECT_TRUE(claim.has_value());
    auto found = find_recent_events(
        **claim, path, {.first = std::move(first), .owner = {.hosts = hosts_, .since = since, .until = {}}}, {});
    EXPECT_TRUE(found.has_value());
    return *std::move(found);
  }
  std::vector<std::string> paths(const node::EventFolders& found) const {
    std::vector<std::string> out;
    for (const node::EventFolder& folder : found.folders) out.push_back(folder.path);
    return out;
  }

  std::vector<std::string> hosts_ = {"host"};
};

TEST_F(RecentEvents, AreFoundWhereTrainingsLeaveThem) {
  put("runs/Nov19_08-00-00_host/events.out.tfevents.1.host.2.0");
  put("lightning_logs/version_0/events.out.tfevents.1.host.2.0");
  put("lightning_logs/version_0/hparams/events.out.tfevents.1.host.2.1");
  std::ofstream(folder_ + "/train.py") << "pass";
  const node::EventFolders found = find("");
  EXPECT_EQ(paths(found), (std::vector<std::string>{"lightning_logs/version_0", "runs/Nov19_08-00-00_host"}));
  ASSERT_EQ(found.folders[0].latest.size(), 2u);
  EXPECT_EQ(found.folders[0].latest[1].tag, "train/loss");
  EXPECT_EQ(found.folders[0].latest[1].points.size(), 1u);
  EXPECT_EQ(found.folders[0].latest[1].points[0].step, 20);
  EXPECT_TRUE(found.is_complete);
}

TEST_F(RecentEvents, BeginWithTheFoldersThatAreNamed) {
  put("a/b/c/d/e/f/g/events.out.tfevents.1.host.2.0");
  EXPECT_TRUE(paths(find("")).empty()) << "too deep for a search";
  EXPECT_EQ(paths(find("", {"a/b/c/d/e/f", "nowhere"})), std::vector<std::string>{"a/b/c/d/e/f/g"});
}

TEST_F(RecentEvents, AreThoseOfTheJobAndNotOlderOnes) {
  put("runs/old/events.out.tfevents.1.host.2.0");
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(48);
  std::filesystem::last_write_time(folder_ + "/runs/old/events.out.tfevents.1.host.2.0", long_ago);
  put("runs/new/events.out.tfevents.1.host.2.0");
  put(".venv/lib/events.out.tfevents.1.host.2.0");
  // A day before the newer file was made.
  struct stat made {};
  ASSERT_EQ(::stat((folder_ + "/runs/new").c_str(), &made), 0);
  const Time since = Time(std::chrono::seconds(made.st_mtim.tv_sec)) - std::chrono::hours(24);
  EXPECT_EQ(paths(find("", {}, since)), std::vector<std::string>{"runs/new"});
}

TEST_F(RecentEvents, ThoseOfOtherHostsAreLeftOut) {
  put("runs/shared/events.out.tfevents.1.other.2.0");
  put("runs/mine/events.out.tfevents.1.host.2.0");
  put("runs/other/events.out.tfevents.1.other.2.0");
  EXPECT_EQ(paths(find("")), std::vector<std::string>{"runs/mine"});
  put("runs/shared/events.out.tfevents.1.host.2.0");
  EXPECT_EQ(paths(find("")), (std::vector<std::string>{"runs/mine", "runs/shared"}));
  const auto claim = ClaimFolder::open({.path = folder_, .is_named = true, .may_be_made = false});
  const auto read =
      read_event_folder(**claim, "runs", node::EventOwner{.hosts = {"other"}, .since = {}, .until = {}}, {});
  ASSERT_TRUE(read);
  ASSERT_EQ(read->runs.size(), 2u);
  EXPECT_EQ(read->runs[0].name, "other");
  EXPECT_EQ(read->runs[1].name, "shared");
}

TEST_F(RecentEvents, ASearchHasAnEnd) {
  for (int i = 0; i < 2100; ++i) std::filesystem::create_directories(folder_ + "/many/" + std::to_string(i));
  EXPECT_FALSE(find("many").is_complete);
}

}  // namespace
}  // namespace muster::agent
