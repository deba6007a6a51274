#include "agent/launch/cgroups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/document_for_tests.h"
#include "base/files.h"
#include "linux/files.h"
#include "testing/sim_loop.h"

namespace muster::agent {
namespace {

using ::testing::ElementsAre;

/// Plain folders in place of version 1 hierarchies. A real one makes the files of a group itself.
class CgroupIsolator : public ::testing::Test {
 protected:
  CgroupIsolator() {
    char name[] = "/tmp/muster-cgroups-XXXXXX";
    root_ = ::mkdtemp(name);
    paths_ = std::make_unique<Paths>(root_ + "/data");
    EXPECT_TRUE(make_directories(paths_->pod("u1"), 0700));
  }
  ~CgroupIsolator() override { std::filesystem::remove_all(root_); }

  void have(const std::string& controller) {
    EXPECT_TRUE(make_directories(root_ + "/mounts/" + controller, 0755));
    own_ += "1:" + controller + ":/\n";
  }
  void make_file(const std::string& controller, const std::string& group, const std::string& name) {
    const std::string folder = group_folder(controller, group);
    EXPECT_TRUE(make_directories(folder, 0755));
    EXPECT_TRUE(linux_os::overwrite_file(folder + "/" + name, "", 0644));
  }
  std::string group_folder(const std::string& controller, const std::string& group) const {
    return root_ + "/mounts/" + controller + "/engine/" + group;
  }
  Cgroups& isolator() {
    machine_.cpus = 2;
    machine_.memory = 1LL << 34;
    machine_.cgroups = linux_os::CgroupTree::find("engine", root_ + "/mounts", own_);
    isolator_ = std::make_unique<Cgroups>(loop_, *paths_, machine_, 100);
    return *isolator_;
  }
  LaunchPlan plan() const {
    LaunchPlan plan;
    plan.launch.containers.resize(2);
    plan.launch.containers[0].name = "main";
    plan.launch.containers[1].name = "side";
    return plan;
  }

  std::string root_;
  std::string own_;
  std::unique_ptr<Paths> paths_;
  testing::SimLoop loop_;
  Machine machine_;
  std::unique_ptr<Cgroups> isolator_;
  json::Document pod_ = doc(R"({"metadata":{"uid":"u1"},"spec":{"containers":[
      {"name":"main","resources":{"limits":{"memory":"1Mi","cpu":1}}},{"name":"side"}]}})");
};

TEST_F(CgroupIsolator, OnlyAContainerWithLimitsHasAGroup) {
  have("memory");
  make_file("memory", "u1.main", "memory.limit_in_bytes");
  LaunchPlan launch = plan();
  ASSERT_TRUE(isolator().prepare(pod_, launch));
  const std::string folder = group_folder("memory", "u1.main");
  EXPECT_EQ(*read_file(folder + "/memory.limit_in_bytes"), "1048576");
  EXPECT_THAT(launch.launch.containers[0].cgroup.join_files, ElementsAre(folder + "/tasks"));
  EXPECT_EQ(launch.launch.containers[0].cgroup.oom_file, folder + "/memory.oom_control");
  EXPECT_TRUE(launch.launch.containers[1].cgroup.join_files.empty());
  EXPECT_EQ(launch.launch.containers[1].processes, 100) << "with or without a group";
  ASSERT_EQ(launch.events.size(), 1U);
  EXPECT_EQ(launch.events[0].reason, "LimitsNotEnforced");
  EXPECT_THAT(launch.events[0].message,
              ::testing::StartsWith("limits.cpu not enforced: control groups version 1 without"));
}

TEST_F(CgroupIsolator, FoldersInMemoryAreNotLargerThanTheLimitsAlsoWithoutGroups) {
  LaunchPlan launch = plan();
  launch.launch.volumes = {{"any", MemoryFolder{}}, {"small", MemoryFolder{1000}}, {"large", MemoryFolder{1LL << 30}}};
  const auto sizes = [&] {
    std::vector<std::int64_t> found;
    for (const LaunchVolume& volume : launch.launch.volumes)
      found.push_back(std::get<MemoryFolder>(volume.source).size_limit);
    return found;
  };
  ASSERT_TRUE(isolator().prepare(pod_, launch));
  EXPECT_EQ(launch.launch.containers[0].memory, 1 << 20);
  EXPECT_EQ(launch.launch.containers[1].memory, 0);
  EXPECT_THAT(sizes(), ElementsAre(0, 1000, 1LL << 30)) << "one container has no limit";
  pod_["spec"]["containers"].as_array()[1]["resources"] = doc(R"({"limits":{"memory":"2Mi"}})");
  ASSERT_TRUE(isolator().prepare(pod_, launch));
  EXPECT_THAT(sizes(), ElementsAre(3 << 20, 1000, 3 << 20));
}

TEST_F(CgroupIsolator, GroupsGoWithThePodAlsoWhenAnotherServerMadeThem) {
  have("pids");
  LaunchPlan launch = plan();
  const auto prepared = isolator().prepare(pod_, launch);
  EXPECT_FALSE(prepared) << "plain folders have no pids.max";
  EXPECT_TRUE(std::filesystem::exists(group_folder("pids", "u1.main")));
  own_ = "";  // the next server may use none
  isolator().release("u1");
  EXPECT_FALSE(std::filesystem::exists(root_ + "/mounts/pids/engine"));
  EXPECT_FALSE(std::filesystem::exists(paths_->cgroups("u1")));
}

TEST_F(CgroupIsolator, AGroupThatIsStillInUseIsRemovedLater) {
  have("memory");
  make_file("memory", "u1.main", "memory.limit_in_bytes");
  LaunchPlan launch = plan();
  ASSERT_TRUE(isolator().prepare(pod_, launch));
  isolator_->release("u1");
  EXPECT_TRUE(std::filesystem::exists(group_folder("memory", "u1.main")))
      << "a plain folder is removed only when empty";
  std::filesystem::remove(group_folder("memory", "u1.main") + "/memory.limit_in_bytes");
  loop_.advance(std::chrono::seconds(1));
  EXPECT_FALSE(std::filesystem::exists(group_folder("memory", "u1.main")));
  EXPECT_FALSE(std::filesystem::exists(paths_->cgroups("u1")));
}

}  // namespace
}  // namespace muster::agent
