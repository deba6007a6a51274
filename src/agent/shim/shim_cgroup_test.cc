// Tests of limits and devices with real processes and, where this machine has them, real control groups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"
#include "base/strings.h"
#include "linux/cgroup.h"
#include "testing/test_pod.h"

namespace muster::agent {
namespace {

using linux_os::CgroupLimits;
using linux_os::CgroupTree;
using ::testing::HasSubstr;

class ShimCgroup : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    if (!tree_.has("memory") || !tree_.has("cpu")) GTEST_SKIP() << tree_.missing();
    pod_ = std::make_unique<TestPod>(EngineUser::kRoot);
  }
  void TearDown() override { EXPECT_TRUE(linux_os::remove_groups(tree_.folders(kGroup))); }

  Launch within(const CgroupLimits& limits, const std::string& script) {
    const auto made = tree_.create(kGroup, limits);
    EXPECT_TRUE(made) << made.error().message;
    Launch launch = TestPod::shell(script);
    launch.containers[0].cgroup = tree_.entry(kGroup);
    return launch;
  }

  static constexpr const char* kGroup = "test";
  CgroupTree tree_ = CgroupTree::find("muster-test-" + std::to_string(::getpid()));
  std::unique_ptr<TestPod> pod_;
};

// Reads a file that never ends into one variable.
constexpr const char* kHog = "x=$(tr '\\0' x < /dev/zero); echo survived";

TEST_F(ShimCgroup, AContainerThatExceedsItsMemoryIsRecordedAsOomKilled) {
  const AttemptRecord record = pod_->run(within({.memory = 32 << 20}, std::string("exec sh -c \"") + kHog + "\""));
  EXPECT_EQ(record.containers[0].code, 137);
  EXPECT_TRUE(record.containers[0].oom);
}

TEST_F(ShimCgroup, WhatAContainerKeepsInMemoryCountsAsItsMemory) {
  for (const std::string folder : {"/tmp", "/var/tmp", "/dev/shm", "/mem"}) {
    if (pod_ == nullptr) pod_ = std::make_unique<TestPod>(EngineUser::kRoot);
    Launch launch = within({.memory = 32 << 20}, "exec head -c 100000000 /dev/zero > " + folder + "/file");
    launch.volumes.push_back({"mem", MemoryFolder{}});
    launch.containers[0].mounts.push_back({.volume = "mem", .sub_path = "", .target = "/mem", .read_only = false});
    const AttemptRecord record = pod_->run(launch);
    EXPECT_EQ(record.containers[0].code, 137) << folder << ": " << record.containers[0].message << pod_->output();
    EXPECT_TRUE(record.containers[0].oom) << folder;
    EXPECT_TRUE(linux_os::remove_groups(tree_.folders(kGroup)));
    pod_.reset();
  }
}

TEST_F(ShimCgroup, AnotherFailureInTheGroupIsNotOne) {
  const AttemptRecord record = pod_->run(within({.memory = 32 << 20}, "kill -9 $$"));
  EXPECT_EQ(record.containers[0].code, 137);
  EXPECT_FALSE(record.containers[0].oom);
}

TEST_F(ShimCgroup, TheGroupLimitsProcesses) {
  const AttemptRecord record =
      pod_->run(within({.processes = 4}, "for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done; echo all"));
  EXPECT_NE(record.containers[0].code, 0);
  EXPECT_THAT(pod_->output(), ::testing::Not(HasSubstr("all")));
}

TEST_F(ShimCgroup, CommandsInTheContainerBelongToTheGroup) {
  const AttemptRecord record = pod_->run(within({.cpu_request = 100, .memory = 64 << 20}, "cat /proc/self/cgroup"));
  EXPECT_EQ(record.containers[0].code, 0);
  EXPECT_THAT(pod_->output(), HasSubstr(std::string("/") + kGroup + "\n"));
}

TEST_F(ShimCgroup, AGroupThatIsGoneIsTheReasonWhyAContainerDoesNotStart) {
  Launch launch = within({}, "true");
  ASSERT_TRUE(linux_os::remove_groups(tree_.folders(kGroup)));
  const AttemptRecord record = pod_->run(launch);
  EXPECT_EQ(record.containers[0].code, 128);
  EXPECT_THAT(record.containers[0].message, HasSubstr("the control group"));
}

/// Some hosts mount version 2 without controllers next to version 1, which is enough to see who is in a group.
TEST(ShimCgroupV2, ProcessesBeginInTheGroup) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const std::string mount =
      ::access("/sys/fs/cgroup/unified/cgroup.procs", W_OK) == 0 ? "/sys/fs/cgroup/unified" : "/sys/fs/cgroup";
  if (::access((mount + "/cgroup.procs").c_str(), W_OK) != 0) GTEST_SKIP() << "no control groups version 2";
  const std::string name = "muster-test-v2-" + std::to_string(::getpid());
  ASSERT_TRUE(make_directories(mount + "/" + name, 0755));
  TestPod pod(EngineUser::kRoot);
  Launch launch = TestPod::shell("cat /proc/self/cgroup");
  launch.containers[0].cgroup.folder = mount + "/" + name;
  EXPECT_EQ(pod.run(launch).containers[0].code, 0);
  EXPECT_THAT(pod.output(), HasSubstr("0::/" + name + "\n"));
  EXPECT_TRUE(linux_os::remove_groups({mount + "/" + name}));
}

TEST(ShimDevices, AContainerSeesOnlyItsOwn) {
  std::string device;
  for (const char* node : {"/dev/loop-control", "/dev/fuse", "/dev/kvm", "/dev/hwrng"}) {
    if (::access(node, F_OK) == 0) device = node;
  }
  if (device.empty()) GTEST_SKIP() << "this machine has none of the devices";
  TestPod pod(::geteuid() == 0 ? EngineUser::kRoot : EngineUser::kOrdinary);
  Launch launch = TestPod::shell("ls /dev");
  launch.containers.push_back(launch.containers[0]);
  launch.containers[1].name = "other";
  launch.containers[0].devices = {device};
  pod.run(launch);
  EXPECT_THAT(split(pod.output(), '\n'), ::testing::Contains(device.substr(5)));
  EXPECT_THAT(split(pod.output("", "other"), '\n'), ::testing::Not(::testing::Contains(device.substr(5))));
  EXPECT_THAT(pod.output("", "other"), ::testing::Not(HasSubstr("nvidia")));
}

/// The kernel counts an ordinary user's processes per user namespace: no control group is needed.
TEST(ShimProcesses, OfAUserAreLimitedPerPod) {
  if (::geteuid() == 0 && ::access("/usr/bin/setpriv", X_OK) != 0) GTEST_SKIP() << "needs setpriv";
  TestPod first(EngineUser::kOrdinary);
  first.make_fifo("up");
  Launch many = TestPod::shell("for i in 1 2 3 4 5 6; do sleep 1000 & done; echo up > /vol/up; wait");
  many.containers[0].processes = 8;
  first.start(many);
  first.go();
  EXPECT_EQ(first.read_fifo("up"), "up");
  TestPod second(EngineUser::kOrdinary);
  Launch same = TestPod::shell(
      "for i in 1 2 3 4 5 6; do sleep 0 & done; echo enough; for i in 1 2 3; do sleep 1000 & "
      "done; for i in 1 2 3 4 5 6; do sleep 1000 & done; echo too many");
  same.containers[0].processes = 8;
  const AttemptRecord record = second.run(same);
  EXPECT_NE(record.containers[0].code, 0);
  EXPECT_THAT(second.output(), HasSubstr("enough\n")) << "the other pod's processes do not count";
  EXPECT_THAT(second.output(), ::testing::Not(HasSubstr("too many\n")));
}

}  // namespace
}  // namespace muster::agent
