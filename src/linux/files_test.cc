#include "linux/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <filesystem>
#include <fstream>

namespace muster::linux_os {
namespace {

class LinuxFiles : public ::testing::Test {
 protected:
  LinuxFiles() {
    char name[] = "/tmp/muster-linux-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~LinuxFiles() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(LinuxFiles, SeesALockOfAnother) {
  const std::string path = folder_ + "/lock";
  EXPECT_FALSE(is_locked(path));
  Fd holder(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  EXPECT_FALSE(is_locked(path));
  ASSERT_EQ(::flock(holder.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_TRUE(is_locked(path));
  holder.reset();
  EXPECT_FALSE(is_locked(path));
}

TEST_F(LinuxFiles, MakesAFolderOnlyOnce) {
  ASSERT_TRUE(make_directory_exclusively(folder_ + "/0", 0700));
  const auto again = make_directory_exclusively(folder_ + "/0", 0700);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().reason, Reason::kAlreadyExists);
}

TEST_F(LinuxFiles, InotifyTellsOfReplacedAndWrittenFiles) {
  auto inotify = Inotify::open();
  ASSERT_TRUE(inotify);
  const auto watch = inotify->watch_folder(folder_);
  ASSERT_TRUE(watch);
  EXPECT_TRUE(inotify->read().empty());
  std::ofstream(folder_ + "/a.tmp") << "x";
  std::filesystem::rename(folder_ + "/a.tmp", folder_ + "/a");
  const auto events = inotify->read();
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().name, "a");
  EXPECT_EQ(events.back().watch, *watch);
}

TEST_F(LinuxFiles, RemovesATreeAndAcceptsThatThereIsNone) {
  std::filesystem::create_directories(folder_ + "/t/u");
  std::filesystem::create_symlink("/etc", folder_ + "/t/link");
  EXPECT_TRUE(remove_tree(folder_ + "/t"));
  EXPECT_TRUE(remove_tree(folder_ + "/t"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/t"));
  EXPECT_TRUE(std::filesystem::exists("/etc"));
}

}  // namespace
}  // namespace muster::linux_os
