#include "agent/launch/gpu_locks.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace muster::agent {
namespace {

class GpuLock : public ::testing::Test {
 protected:
  GpuLock() {
    char name[] = "/tmp/muster-locks-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~GpuLock() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

TEST_F(GpuLock, IsHeldByOneAndFreeAgainWhenItIsClosed) {
  const GpuLocks one(folder_);
  const GpuLocks other(folder_);
  auto held = one.take("GPU-a");
  ASSERT_TRUE(held) << held.error().message;
  const auto refused = other.take("GPU-a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "GPU-a is used by a pod of another engine of this machine");
  EXPECT_TRUE(other.take("GPU-b"));
  held = Fd();
  EXPECT_TRUE(other.take("GPU-a"));
}

TEST_F(GpuLock, EveryUserCanOpenTheFileWhateverTheMask) {
  const mode_t before = ::umask(077);
  ASSERT_TRUE(GpuLocks(folder_).take("GPU-a"));
  ::umask(before);
  struct stat found {};
  ASSERT_EQ(::stat((folder_ + "/muster-GPU-a.lock").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0644U);
}

TEST_F(GpuLock, ALinkOrAPipeInItsPlaceIsNotFollowed) {
  std::filesystem::create_symlink("/etc/passwd", folder_ + "/muster-GPU-a.lock");
  EXPECT_FALSE(GpuLocks(folder_).take("GPU-a"));
  ASSERT_EQ(::mkfifo((folder_ + "/muster-GPU-b.lock").c_str(), 0600), 0);
  const auto refused = GpuLocks(folder_).take("GPU-b");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "\"" + folder_ + "/muster-GPU-b.lock\": must be a file; remove it");
}

}  // namespace
}  // namespace muster::agent
