#include "linux/cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"

namespace muster::linux_os {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Folders and files in place of version 1 hierarchies; a real one makes the files itself.
class CgroupV1 : public ::testing::Test {
 protected:
  CgroupV1() {
    char name[] = "/tmp/muster-cgroup-XXXXXX";
    mounts_ = ::mkdtemp(name);
  }
  ~CgroupV1() override { std::filesystem::remove_all(mounts_); }

  void mount(const std::string& controller) { std::filesystem::create_directories(mounts_ + "/" + controller); }
  void touch(const std::string& path) { ASSERT_TRUE(write_file_atomically(mounts_ + path, "", 0644)); }
  std::string content(const std::string& path) { return read_file(mounts_ + path).value_or("none"); }

  std::string mounts_;
};

TEST_F(CgroupV1, LimitsAreWrittenWhereTheControllerIs) {
  for (const char* controller : {"memory/own", "pids", "cpu", "cpuacct"}) mount(controller);
  const auto tree = CgroupTree::find("muster", mounts_, "4:memory:/own\n3:pids:/\n2:cpuacct:/\n1:cpu:/\n");
  ASSERT_EQ(tree.version(), CgroupTree::Version::kV1);
  EXPECT_EQ(tree.missing(), "");
  EXPECT_TRUE(tree.has("memory") && tree.has("cpu") && tree.has("pids"));
  EXPECT_TRUE(std::filesystem::is_empty(mounts_ + "/pids")) << "no group, no parent";
  ASSERT_TRUE(tree.create("pod", {}));
  EXPECT_THAT(tree.folders("pod"), ElementsAre(mounts_ + "/memory/own/muster/pod", mounts_ + "/pids/muster/pod",
                                               mounts_ + "/cpu/muster/pod", mounts_ + "/cpuacct/muster/pod"));
  for (const char* file :
       {"/memory/own/muster/pod/memory.limit_in_bytes", "/pids/muster/pod/pids.max", "/cpu/muster/pod/cpu.shares",
        "/cpu/muster/pod/cpu.cfs_period_us", "/cpu/muster/pod/cpu.cfs_quota_us"})
    touch(file);
  ASSERT_TRUE(tree.create("pod", {.cpu_request = 500, .cpu_limit = 1500, .memory = 1 << 20, .processes = 99}));
  EXPECT_EQ(content("/memory/own/muster/pod/memory.limit_in_bytes"), "1048576");
  EXPECT_EQ(content("/pids/muster/pod/pids.max"), "99");
  EXPECT_EQ(content("/cpu/muster/pod/cpu.shares"), "512");
  EXPECT_EQ(content("/cpu/muster/pod/cpu.cfs_quota_us"), "150000");
  const CgroupEntry entry = tree.entry("pod");
  EXPECT_EQ(entry.oom_file, mounts_ + "/memory/own/muster/pod/memory.oom_control");
  EXPECT_EQ(entry.folder, "");
  EXPECT_EQ(entry.join_files[1], mounts_ + "/pids/muster/pod/tasks");
}

TEST_F(CgroupV1, TheParentGoesWithItsLastGroup) {
  mount("cpuacct");
  const auto tree = CgroupTree::find("muster", mounts_, "2:cpuacct:/\n");
  for (const char* group : {"a", "b"}) ASSERT_TRUE(tree.create(group, {}));
  ASSERT_TRUE(remove_groups(tree.folders("a")));
  EXPECT_TRUE(std::filesystem::exists(mounts_ + "/cpuacct/muster/b"));
  ASSERT_TRUE(remove_groups(tree.folders("b")));
  EXPECT_TRUE(std::filesystem::is_empty(mounts_ + "/cpuacct"));
  EXPECT_TRUE(remove_groups(tree.folders("b"))) << "nothing left to do";
}

TEST_F(CgroupV1, WhatIsMissingIsSaid) {
  mount("pids");
  const auto tree = CgroupTree::find("muster", mounts_, "3:pids:/\n1:cpu:/\n");
  EXPECT_EQ(tree.version(), CgroupTree::Version::kV1);
  EXPECT_THAT(tree.missing(), HasSubstr("without memory (not mounted), cpu ("));
  EXPECT_TRUE(CgroupTree::find("muster", mounts_ + "/none", "").missing().starts_with("this host has no"));
}

TEST(Cgroup, VersionOfThisMachine) {
  const auto tree = CgroupTree::find("muster-test-" + std::to_string(::getpid()));
  if (tree.version() == CgroupTree::Version::kNone) GTEST_SKIP() << tree.missing();
  ASSERT_TRUE(tree.create("pod", {.cpu_request = 100, .processes = 10}));
  EXPECT_TRUE(std::filesystem::exists(tree.folders("pod").front()));
  EXPECT_TRUE(remove_groups(tree.folders("pod")));
  EXPECT_FALSE(std::filesystem::exists(tree.folders("pod").front()));
}

}  // namespace
}  // namespace muster::linux_os
