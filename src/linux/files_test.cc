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

TEST_F(LinuxFiles, SeesALockOfAnotherProcess) {
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

TEST_F(LinuxFiles, InotifyReportsReplacedAndWrittenFiles) {
  auto inotify = Inotify::open();
  ASSERT_TRUE(inotify);
  const auto watch = inotify->watch_folder(folder_, Inotify::Interest::kReplaced);
  ASSERT_TRUE(watch);
  EXPECT_TRUE(inotify->read().empty());
  std::ofstream(folder_ + "/a.tmp") << "x";
  std::filesystem::rename(folder_ + "/a.tmp", folder_ + "/a");
  const auto events = inotify->read();
  ASSERT_EQ(events.size(), 1U) << "writing is not what was asked for";
  EXPECT_EQ(events.back().name, "a");
  EXPECT_EQ(events.back().watch, *watch);
  ASSERT_TRUE(inotify->watch_folder(folder_, Inotify::Interest::kReplacedOrWritten));
  ASSERT_TRUE(append_line(folder_ + "/a", "y", 0600));
  EXPECT_EQ(inotify->read().size(), 1U);
}

TEST_F(LinuxFiles, OverwritingKeepsTheInode) {
  const std::string path = folder_ + "/hosts";
  ASSERT_TRUE(overwrite_file(path, "a long first text\n", 0644));
  const Fd reader(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(overwrite_file(path, "short\n", 0644));
  char buffer[64];
  ASSERT_EQ(::read(reader.get(), buffer, sizeof buffer), 6);
  EXPECT_EQ(std::string(buffer, 6), "short\n");
}

}  // namespace
}  // namespace muster::linux_os
