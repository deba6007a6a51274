#include "agent/disk/trash.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "linux/remove_tree.h"

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

class TrashTest : public ::testing::Test {
 protected:
  TrashTest() {
    char name[] = "/tmp/muster-trash-XXXXXX";
    folder_ = ::mkdtemp(name);
    trash_.emplace(folder_ + "/trash");
  }
  ~TrashTest() override {
    trash_.reset();
    (void)linux_os::remove_tree(folder_).has_value();
  }

  std::string make_folder(const std::string& name) const {
    std::string path = folder_ + "/" + name;
    fs::create_directories(path + "/deep/er");
    std::ofstream(path + "/deep/file") << "x";
    return path;
  }
  bool becomes_empty() const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!fs::is_empty(folder_ + "/trash")) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }

  std::string folder_;
  std::optional<Trash> trash_;
};

TEST_F(TrashTest, WhatIsTakenIsGoneAtOnceAndRemovedSoon) {
  ASSERT_TRUE(trash_->start());
  for (int round = 0; round < 3; ++round) {
    const std::string path = make_folder("pod");
    ASSERT_TRUE(trash_->take(path));
    EXPECT_FALSE(fs::exists(path));
  }
  std::ofstream(folder_ + "/launch") << "x";
  ASSERT_TRUE(trash_->take(folder_ + "/launch"));
  EXPECT_TRUE(becomes_empty());
}

TEST_F(TrashTest, NothingToTakeIsFine) {
  ASSERT_TRUE(trash_->start());
  EXPECT_TRUE(trash_->take(folder_ + "/none"));
}

TEST_F(TrashTest, AnEarlierEnginesTrashIsRemoved) {
  make_folder("trash/1");
  make_folder("trash/up-1");
  std::ofstream(folder_ + "/trash/2") << "x";
  ASSERT_TRUE(trash_->take(make_folder("pod")));  // names 1 and 2 are taken, so it becomes 3
  EXPECT_TRUE(fs::exists(folder_ + "/trash/3/deep/file"));
  ASSERT_TRUE(trash_->start());
  EXPECT_TRUE(becomes_empty());
}

TEST_F(TrashTest, AFolderThatCannotBeMovedIsNamed) {
  ASSERT_TRUE(trash_->start());
  const Status taken = trash_->take("/proc/self");
  ASSERT_FALSE(taken);
  EXPECT_TRUE(taken.error().message.starts_with("move \"/proc/self\" to ")) << taken.error().message;
}

}  // namespace
}  // namespace muster::agent
