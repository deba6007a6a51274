#include "agent/volumes/empty_dir_limits.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "agent/disk/tree_size.h"

namespace muster::agent {
namespace {

json::Document pod_with(const std::string& phase) {
  return *json::parse(R"({"metadata":{"uid":"u"},"spec":{"volumes":[
      {"name":"a","emptyDir":{"sizeLimit":"1Mi"}},{"name":"b","emptyDir":{}},
      {"name":"c","emptyDir":{"medium":"Memory","sizeLimit":"1Mi"}},
      {"name":"d","emptyDir":{"sizeLimit":5000}},{"name":"e","emptyDir":{"sizeLimit":"0"}}]},
      "status":{"phase":")" +
                      phase + R"("}})");
}

TEST(EmptyDirLimits, OnlyVolumesOnDiskWithALimitAreMeasured) {
  const auto volumes = limited_volumes(pod_with("Running"), "/data/pods/u/0", Paths("/data"));
  ASSERT_EQ(volumes.size(), 2U);
  EXPECT_EQ(volumes[0].paths, std::vector<std::string>{"/data/pods/u/volumes/a"});
  EXPECT_EQ(volumes[0].most_bytes, 1 << 20);
  EXPECT_EQ(volumes[1].most_bytes, 5000);
  EXPECT_TRUE(limited_volumes(pod_with("Succeeded"), "", Paths("/data")).empty());
}

TEST(EmptyDirLimits, TheReasonHasTheNumber) {
  const LimitedVolume volume{.uid = "u", .name = "scratch", .paths = {}, .limit = "1Mi", .most_bytes = 1 << 20};
  EXPECT_EQ(eviction_message(volume, 3000000),
            "Usage of EmptyDir volume \"scratch\" exceeds the limit \"1Mi\": it holds 3000000 bytes");
}

TEST(EmptyDirLimits, ContainersAndTheirPodHaveLimitsOfEphemeralStorage) {
  const auto pod = json::parse(R"({"metadata":{"uid":"u"},"spec":{"containers":[
      {"name":"a","resources":{"limits":{"ephemeral-storage":"1Mi"}}},{"name":"b"},
      {"name":"c","resources":{"limits":{"ephemeral-storage":"2Mi"}}}],
      "volumes":[{"name":"v","emptyDir":{}},{"name":"m","emptyDir":{"medium":"Memory"}}]},
      "status":{"phase":"Running"}})");
  const auto limits = limited_volumes(*pod, "/d/pods/u/0", Paths("/d"));
  ASSERT_EQ(limits.size(), 3U);
  EXPECT_EQ(limits[0].paths, (std::vector<std::string>{"/d/pods/u/0/scratch/a", "/d/pods/u/logs/a"}));
  EXPECT_EQ(eviction_message(limits[0], 2 << 20),
            "Container a exceeded its local ephemeral storage limit \"1Mi\": it holds 2097152 bytes");
  EXPECT_EQ(limits[2].paths.size(), 7U) << "of three containers, and the volume on disk";
  EXPECT_EQ(limits[2].most_bytes, 3 << 20);
  EXPECT_EQ(eviction_message(limits[2], 4 << 20),
            "Pod ephemeral local storage usage exceeds the total limit of containers 3Mi: it holds 4194304 bytes");
}

class TreeSizeTest : public ::testing::Test {
 protected:
  TreeSizeTest() {
    char name[] = "/tmp/muster-tree-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~TreeSizeTest() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(TreeSizeTest, CountsWhatIsBelowAndFollowsNoLink) {
  EXPECT_EQ(measure_tree(folder_, {}).bytes, 0);
  std::filesystem::create_directories(folder_ + "/a/b");
  std::ofstream(folder_ + "/a/b/file") << std::string(100'000, 'x');
  std::filesystem::create_symlink("/usr", folder_ + "/usr");
  const TreeSize size = measure_tree(folder_, {});
  EXPECT_EQ(size.entries, 4);
  EXPECT_GE(size.bytes, 100'000);
  EXPECT_LT(size.bytes, 200'000);
  EXPECT_TRUE(size.is_complete);
}

TEST_F(TreeSizeTest, AWalkEndsAtItsLimit) {
  for (int i = 0; i < 10; ++i) std::ofstream(folder_ + "/" + std::to_string(i)) << "x";
  const TreeSize size = measure_tree(folder_, {}, 5);
  EXPECT_EQ(size.entries, 5);
  EXPECT_FALSE(size.is_complete);
  EXPECT_TRUE(measure_tree(folder_, {}, 10).is_complete);
  EXPECT_EQ(measure_tree(folder_ + "/none", {}).entries, 0);
}

}  // namespace
}  // namespace muster::agent
