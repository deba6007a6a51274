#include "linux/remove_tree.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/fd.h"

namespace muster::linux_os {
namespace {

namespace fs = std::filesystem;
using ::testing::ExitedWithCode;

constexpr uid_t kNobodyUser = 65534;

class RemoveTree : public ::testing::Test {
 protected:
  RemoveTree() {
    char name[] = "/dev/shm/muster-tree-XXXXXX";  // in memory, because this test creates and removes many files
    folder_ = ::mkdtemp(name);
    tree_ = folder_ + "/tree";
    fs::create_directory(tree_);
  }
  ~RemoveTree() override { (void)remove_tree(folder_).has_value(); }

  std::string folder_;
  std::string tree_;
};

TEST_F(RemoveTree, AcceptsThatThereIsNone) {
  EXPECT_TRUE(remove_tree(tree_));
  EXPECT_FALSE(fs::exists(tree_));
  EXPECT_TRUE(remove_tree(tree_));
}

TEST_F(RemoveTree, RemovesASingleFile) {
  std::ofstream(folder_ + "/launch") << "x";
  EXPECT_TRUE(remove_tree(folder_ + "/launch"));
  EXPECT_FALSE(fs::exists(folder_ + "/launch"));
}

/// With 20,000 levels the path is far longer than the kernel accepts, and one descriptor per level exceeds the limit.
TEST_F(RemoveTree, DepthCostsNeitherStackNorDescriptors) {
  Fd at(::open(tree_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int level = 0; level < 20'000; ++level) {
    ASSERT_EQ(::mkdirat(at.get(), "d", 0700), 0);
    at = Fd(::openat(at.get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(at);
  }
  const Fd file(::openat(at.get(), "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_TRUE(file);
  at.reset();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{.rlim_cur = static_cast<rlim_t>(::dup(0)) + 8, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const Status removed = remove_tree(tree_);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(fs::exists(tree_));
}

TEST_F(RemoveTree, ManyFilesAndFoldersAtEveryLevel) {
  for (int i = 0; i < 40; ++i) {
    const std::string branch = tree_ + "/" + std::to_string(i);
    for (int j = 0; j < 20; ++j) {
      // These are the names that folders get when they are moved up.
      const std::string leaf = branch + "/up-" + std::to_string(j) + "/leaf";
      fs::create_directories(leaf);
      for (int k = 0; k < 5; ++k) std::ofstream(leaf + "/" + std::to_string(k)) << "x";
    }
  }
  const Status removed = remove_tree(tree_);
  EXPECT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(fs::exists(tree_));
}

TEST_F(RemoveTree, LinksAreRemovedAndNotFollowed) {
  fs::create_directories(folder_ + "/outside/inner");
  std::ofstream(folder_ + "/outside/kept") << "x";
  fs::create_directories(tree_ + "/a/b");
  fs::create_directory_symlink(folder_ + "/outside", tree_ + "/link");
  fs::create_directory_symlink(folder_ + "/outside", tree_ + "/a/b/link");
  fs::create_symlink(folder_ + "/outside/kept", tree_ + "/a/file-link");
  EXPECT_TRUE(remove_tree(tree_));
  EXPECT_FALSE(fs::exists(tree_));
  EXPECT_TRUE(fs::exists(folder_ + "/outside/kept"));
  EXPECT_TRUE(fs::exists(folder_ + "/outside/inner"));
}

/// Runs as an ordinary user, because root ignores permissions.
TEST_F(RemoveTree, FoldersWithoutAnyRightsGoToo) {
  ASSERT_EQ(::chown(folder_.c_str(), kNobodyUser, kNobodyUser), ::geteuid() == 0 ? 0 : -1);
  const auto make_and_remove = [this] {
    if (::geteuid() == 0 && ::setresuid(kNobodyUser, kNobodyUser, kNobodyUser) != 0) ::_exit(2);
    const std::string mine = folder_ + "/mine";
    fs::create_directories(mine + "/closed/inner/deep");
    std::ofstream(mine + "/closed/inner/file") << "x";
    for (const char* name : {"/closed/inner/deep", "/closed/inner", "/closed", ""}) {
      if (::chmod((mine + name).c_str(), 0) != 0) ::_exit(3);
    }
    const Status removed = remove_tree(mine);
    if (!removed) fmt::print(stderr, "{}\n", removed.error().message);
    ::_exit(removed && !fs::exists(mine) ? 0 : 1);
  };
  EXPECT_EXIT(make_and_remove(), ExitedWithCode(0), "");
}

/// A pod may exchange a folder without rights for a link at any moment.
TEST_F(RemoveTree, ALinkIsNeverFollowedToChangeRights) {
  fs::create_directory(folder_ + "/outside");
  ASSERT_EQ(::chmod((folder_ + "/outside").c_str(), 0755), 0);
  ASSERT_EQ(::chown(folder_.c_str(), kNobodyUser, kNobodyUser), ::geteuid() == 0 ? 0 : -1);
  ASSERT_EQ(::chown((folder_ + "/outside").c_str(), kNobodyUser, kNobodyUser), ::geteuid() == 0 ? 0 : -1);
  const auto race = [this] {
    if (::geteuid() == 0 && ::setresuid(kNobodyUser, kNobodyUser, kNobodyUser) != 0) ::_exit(2);
    const std::string closed = folder_ + "/closed", link = folder_ + "/link";
    fs::create_directories(closed + "/inner");
    fs::create_symlink(folder_ + "/outside", link);
    const Fd folder(::open(closed.c_str(), O_PATH | O_DIRECTORY));
    std::atomic<bool> over = false;
    std::thread pod([&] {
      while (!over) {
        ::chmod(fmt::format("/proc/self/fd/{}", folder.get()).c_str(), 0);
        ::renameat2(AT_FDCWD, closed.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
      }
    });
    for (int i = 0; i < 10'000; ++i) (void)remove_contents(closed).has_value();
    over = true;
    pod.join();
    struct stat outside {};
    ::_exit(::stat((folder_ + "/outside").c_str(), &outside) == 0 && (outside.st_mode & 0777) == 0755 ? 0 : 1);
  };
  EXPECT_EXIT(race(), ExitedWithCode(0), "");
}

/// Covers another file system and a bind mount of the same one.
TEST_F(RemoveTree, MountsAreNotEnteredAndTheRestGoes) {
  fs::create_directories(folder_ + "/outside");
  std::ofstream(folder_ + "/outside/kept") << "x";
  fs::create_directories(tree_ + "/a/bound");
  fs::create_directories(tree_ + "/a/memory");
  fs::create_directories(tree_ + "/b/c");
  const auto mount_and_remove = [this] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(77);
    if (::mount((folder_ + "/outside").c_str(), (tree_ + "/a/bound").c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        ::mount("tmpfs", (tree_ + "/a/memory").c_str(), "tmpfs", 0, nullptr) != 0) {
      ::_exit(77);
    }
    std::ofstream(tree_ + "/a/memory/file") << "x";
    const Status removed = remove_tree(tree_);
    const bool refused = !removed && removed.error().message.find("EBUSY") != std::string::npos;
    ::_exit(refused && fs::exists(tree_ + "/a/memory/file") && !fs::exists(tree_ + "/b") ? 0 : 1);
  };
  if (::geteuid() != 0) GTEST_SKIP() << "mounting needs root";
  EXPECT_EXIT(mount_and_remove(), ExitedWithCode(0), "");
  EXPECT_TRUE(fs::exists(folder_ + "/outside/kept"));
  EXPECT_TRUE(remove_tree(tree_)) << "nothing is mounted there any more";
}

TEST_F(RemoveTree, ItCanBeStopped) {
  std::ofstream(tree_ + "/file") << "x";
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(remove_contents(tree_, stop.get_token()));
  EXPECT_TRUE(fs::exists(tree_ + "/file"));
  EXPECT_TRUE(remove_contents(tree_));
  EXPECT_TRUE(fs::is_empty(tree_));
}

}  // namespace
}  // namespace muster::linux_os
