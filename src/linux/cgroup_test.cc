#include "linux/cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

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
  EXPECT_EQ(tree.oom_file("pod"), mounts_ + "/memory/own/muster/pod/memory.oom_control");
  EXPECT_THAT(tree.groups(), ElementsAre("pod"));
}

TEST_F(CgroupV1, WhatIsMissingIsSaid) {
  mount("pids");
  const auto tree = CgroupTree::find("muster", mounts_, "3:pids:/\n1:cpu:/\n");
  EXPECT_EQ(tree.version(), CgroupTree::Version::kV1);
  EXPECT_THAT(tree.missing(), HasSubstr("without memory (not mounted), cpu ("));
  EXPECT_TRUE(CgroupTree::find("muster", mounts_ + "/none", "").missing().starts_with("this host has no"));
}

TEST(Cgroup, OomKillsAreCounted) {
  EXPECT_EQ(parse_oom_kills("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"), 3);
  EXPECT_EQ(parse_oom_kills("low 0\nmax 7\noom 2\noom_kill 1\noom_group_kill 0\n"), 1);
  EXPECT_EQ(parse_oom_kills(""), 0);
}

}  // namespace
}  // namespace muster::linux_os
