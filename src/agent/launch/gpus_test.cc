#include "agent/launch/gpus.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "agent/document_for_tests.h"
#include "base/files.h"
#include "base/strings.h"
#include "testing/seeded_rng.h"

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<linux_os::Gpu> kTwo = {{.uuid = "GPU-a", .minor = 0, .name = "", .memory = 0},
                                         {.uuid = "GPU-b", .minor = 5, .name = "", .memory = 0}};

TEST(OfferedGpus, AreThoseThatWereFoundUnlessDeclared) {
  EXPECT_THAT(offered_gpus(kTwo, std::nullopt), ElementsAre(GpuDevice{"GPU-a", 0}, GpuDevice{"GPU-b", 5}));
  EXPECT_THAT(offered_gpus(kTwo, 1), ElementsAre(GpuDevice{"GPU-a", 0}));
  EXPECT_THAT(offered_gpus({}, 2),
              ElementsAre(GpuDevice{"declared-0", std::nullopt}, GpuDevice{"declared-1", std::nullopt}));
  EXPECT_THAT(offered_gpus(kTwo, 0), IsEmpty());
}

using Gang = std::vector<std::shared_ptr<const json::Document>>;

class GpuIsolator : public ::testing::Test {
 protected:
  GpuIsolator() {
    char name[] = "/tmp/muster-gpus-XXXXXX";
    root_ = ::mkdtemp(name);
    paths_ = std::make_unique<Paths>(root_);
    gpus_ = made(*paths_, offered_gpus(kTwo, std::nullopt));
  }
  ~GpuIsolator() override { std::filesystem::remove_all(root_); }

  std::unique_ptr<Gpus> made(const Paths& paths, std::vector<GpuDevice> devices) {
    return std::make_unique<Gpus>(paths, std::move(devices), root_, [this](const json::Document&) { return gang_; });
  }
  json::Document pod(const std::string& uid, const std::string& spec) {
    EXPECT_TRUE(make_directories(paths_->pod(uid), 0700));
    return doc(fmt::format(R"({{"metadata":{{"uid":"{}"}},"spec":{}}})", uid, spec));
  }
  json::Document pod_with(const std::string& uid, int count) {
    return pod(uid, fmt::format(R"({{"containers":[{{"name":"c","resources":{{"limits":{{"nvidia.com/gpu":{}}}}}}}]}})",
                                count));
  }
  /// A rank of a job whose ranks see all GPUs of the job.
  json::Document local_rank(const std::string& uid, int rank, int count) {
    EXPECT_TRUE(make_directories(paths_->pod(uid), 0700));
    return doc(fmt::format(R"({{"metadata":{{"uid":"{}","annotations":{{"muster.dev/local-ranks":"true"}}}},
        "spec":{{"containers":[{{"name":"c","env":[{{"name":"RANK","value":"{}"}}],
        "resources":{{"limits":{{"nvidia.com/gpu":{}}}}}}}]}}}})",
                           uid, rank, count));
  }
  static LaunchPlan plan_of(const json::Document& pod) {
    LaunchPlan plan;
    for (const bool is_init : {true, false}) {
      for (const json::Document& container : pod.array_at("spec", is_init ? "initContainers" : "containers")) {
        plan.launch.containers.push_back({.name = container.string_at("name"), .is_init = is_init});
      }
    }
    return plan;
  }
  static std::string variable(const LaunchContainer& container, const std::string& name) {
    for (const auto& [key, value] : container.env) {
      if (key == name) return value;
    }
    return "unset";
  }

  std::string root_;
  std::unique_ptr<Paths> paths_;
  std::unique_ptr<Gpus> gpus_;
  Gang gang_;
};

TEST_F(GpuIsolator, ContainersSeeTheirOwnDevicesCountedFromZero) {
  const auto p = pod("u", R"({"initContainers":[{"name":"i","resources":{"limits":{"nvidia.com/gpu":2}}}],
      "containers":[{"name":"a","resources":{"limits":{"nvidia.com/gpu":1}}},
                    {"name":"b","resources":{"requests":{"nvidia.com/gpu":"1"}}},{"name":"none"}]})");
  LaunchPlan plan = plan_of(p);
  ASSERT_TRUE(gpus_->prepare(p, plan));
  const auto& c = plan.launch.containers;
  EXPECT_EQ(variable(c[0], "CUDA_VISIBLE_DEVICES"), "0,1");
  EXPECT_EQ(variable(c[0], "NVIDIA_VISIBLE_DEVICES"), "GPU-a,GPU-b");
  EXPECT_EQ(variable(c[1], "NVIDIA_VISIBLE_DEVICES"), "GPU-a");
  EXPECT_EQ(variable(c[2], "CUDA_VISIBLE_DEVICES"), "0");
  EXPECT_EQ(variable(c[2], "NVIDIA_VISIBLE_DEVICES"), "GPU-b");
  EXPECT_EQ(c[2].devices[0], "/dev/nvidia5");
  EXPECT_EQ(variable(c[3], "CUDA_VISIBLE_DEVICES"), "unset");
  EXPECT_THAT(c[3].devices, IsEmpty());
}

TEST_F(GpuIsolator, TheManifestsOwnChoiceIsReplacedWithAWarning) {
  const auto p = pod_with("u", 1);
  LaunchPlan plan = plan_of(p);
  plan.launch.containers[0].env = {{"CUDA_VISIBLE_DEVICES", "3"}};
  ASSERT_TRUE(gpus_->prepare(p, plan));
  EXPECT_EQ(variable(plan.launch.containers[0], "CUDA_VISIBLE_DEVICES"), "0");
  EXPECT_EQ(plan.events[0].type, "Warning");
  EXPECT_EQ(plan.events[0].message,
            "container \"c\": CUDA_VISIBLE_DEVICES is \"3\" in the manifest, and set to \"0\": the container sees only "
            "the devices that it was given");
}

TEST_F(GpuIsolator, AContainerThatRequestsNoGpuIsNotToldOfAny) {
  const auto p = pod("u", R"({"containers":[{"name":"a"},{"name":"b"},
                              {"name":"c","resources":{"limits":{"nvidia.com/gpu":1}}}]})");
  LaunchPlan plan = plan_of(p);
  auto& c = plan.launch.containers;
  c[0].env = {{"NVIDIA_VISIBLE_DEVICES", "all"}, {"OTHER", "x"}};
  c[1].env = {{"NVIDIA_VISIBLE_DEVICES", "void"}};
  ASSERT_TRUE(gpus_->prepare(p, plan));
  EXPECT_EQ(variable(c[0], "NVIDIA_VISIBLE_DEVICES"), "unset");
  EXPECT_EQ(variable(c[0], "OTHER"), "x");
  EXPECT_EQ(variable(c[1], "NVIDIA_VISIBLE_DEVICES"), "void");
  EXPECT_EQ(variable(c[2], "NVIDIA_VISIBLE_DEVICES"), "GPU-a");
  EXPECT_EQ(plan.events[0].message,
            "container \"a\": NVIDIA_VISIBLE_DEVICES=\"all\" is not passed on: it requests no GPU");
}

TEST_F(GpuIsolator, TooManyAreRefusedWithNumbers) {
  const auto first = pod_with("u", 1);
  LaunchPlan plan = plan_of(first);
  ASSERT_TRUE(gpus_->prepare(first, plan));
  const auto second = pod_with("v", 2);
  const auto refused = gpus_->prepare(second, plan);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "needs 2 nvidia.com/gpu, 1 of 2 free");
  gpus_->release("u");
  EXPECT_TRUE(gpus_->prepare(second, plan));
}

TEST_F(GpuIsolator, LocalRanksSeeAllGpusOfTheirJobInTheOrderOfRanks) {
  const auto first = local_rank("z", 0, 1);
  const auto second = local_rank("a", 1, 1);
  gang_ = {std::make_shared<const json::Document>(second), std::make_shared<const json::Document>(first)};
  LaunchPlan plan_of_second = plan_of(second);
  ASSERT_TRUE(gpus_->prepare(second, plan_of_second));
  LaunchPlan plan_of_first = plan_of(first);
  ASSERT_TRUE(gpus_->prepare(first, plan_of_first));
  const LaunchContainer& container = plan_of_first.launch.containers[0];
  EXPECT_EQ(variable(container, "CUDA_VISIBLE_DEVICES"), "0,1");
  EXPECT_EQ(variable(container, "NVIDIA_VISIBLE_DEVICES"),
            variable(plan_of_second.launch.containers[0], "NVIDIA_VISIBLE_DEVICES"));
  EXPECT_THAT(container.devices, ::testing::IsSupersetOf({"/dev/nvidia0", "/dev/nvidia5"}));
  ASSERT_EQ(gpus_->held_by("z").size(), 1U) << "each is charged for its own share";
  ASSERT_EQ(gpus_->held_by("a").size(), 1U);
  EXPECT_EQ(variable(container, "NVIDIA_VISIBLE_DEVICES"), gpus_->held_by("z")[0] + "," + gpus_->held_by("a")[0]);
}

TEST_F(GpuIsolator, TheShareOfALocalRankThatIsNeverLaunchedCanBeGivenBack) {
  const auto first = local_rank("r0", 0, 1);
  const auto second = local_rank("r1", 1, 1);
  gang_ = {std::make_shared<const json::Document>(first), std::make_shared<const json::Document>(second)};
  LaunchPlan plan = plan_of(first);
  ASSERT_TRUE(gpus_->prepare(first, plan));
  const auto other = pod_with("v", 1);
  LaunchPlan of_other = plan_of(other);
  EXPECT_FALSE(gpus_->prepare(other, of_other)) << "it is held before its rank starts";
  gpus_->release("r1");
  EXPECT_TRUE(gpus_->prepare(other, of_other));
}

TEST_F(GpuIsolator, ADeviceThatAnotherEngineUsesIsNotGivenOut) {
  const auto first = pod_with("u", 1);
  LaunchPlan plan = plan_of(first);
  ASSERT_TRUE(gpus_->prepare(first, plan));
  EXPECT_EQ(plan.locks.size(), 1);
  std::filesystem::create_directory(root_ + "/other");
  const Paths other_paths(root_ + "/other");
  const auto other = made(other_paths, offered_gpus(kTwo, std::nullopt));
  ASSERT_TRUE(make_directories(other_paths.pod("v"), 0700));
  const auto one = pod_with("v", 1);
  LaunchPlan of_other = plan_of(one);
  ASSERT_TRUE(other->prepare(one, of_other));
  EXPECT_EQ(variable(of_other.launch.containers[0], "NVIDIA_VISIBLE_DEVICES"), "GPU-b");
  const auto more = pod_with("w", 1);
  const auto refused = gpus_->prepare(more, plan);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "needs 1 nvidia.com/gpu, 0 of 2 free; GPU-b is used by a pod of another engine of this machine");
  other->release("v");
  EXPECT_TRUE(gpus_->prepare(more, plan));
}

TEST_F(GpuIsolator, ThePodsOwnLockOutlivesTheEngine) {
  const auto p = pod_with("u", 2);
  LaunchPlan plan = plan_of(p);
  ASSERT_TRUE(gpus_->prepare(p, plan));
  ASSERT_EQ(plan.locks.size(), 2);
  std::vector<Fd> of_shim;  // as the shim inherits them
  for (const int lock : plan.locks) of_shim.emplace_back(::dup(lock));
  gpus_ = made(*paths_, offered_gpus(kTwo, std::nullopt));
  EXPECT_FALSE(GpuLocks(root_).take("GPU-a")) << "the engine is away";
  gpus_->recover("u");
  EXPECT_THAT(gpus_->held_by("u"), ElementsAre("GPU-a", "GPU-b"));
  of_shim.clear();
  gpus_->release("u");
  EXPECT_TRUE(GpuLocks(root_).take("GPU-a"));
}

TEST_F(GpuIsolator, DevicesThatAreOnlyDeclaredAreNotLocked) {
  const auto first = made(*paths_, offered_gpus({}, 1));
  const auto p = pod_with("u", 1);
  LaunchPlan plan = plan_of(p);
  ASSERT_TRUE(first->prepare(p, plan));
  EXPECT_TRUE(plan.locks.empty());
}

/// Random histories of pods on four devices, with a new server every now and then.
TEST_F(GpuIsolator, NoDeviceIsEverHeldTwice) {
  const auto devices = offered_gpus({}, 4);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    testing::SeededRng rng(seed);
    auto gpus = std::make_unique<Gpus>(*paths_, devices, root_, [](const json::Document&) { return Gang(); });
    std::map<std::string, std::string> running;  // uid -> what its container sees
    for (int step = 0; step < 60; ++step) {
      const std::string uid = fmt::format("{}-{}", seed, rng.next() % 6);
      switch (rng.next() % 4) {
        case 0:
          gpus->release(uid);
          running.erase(uid);
          break;
        case 1:
          gpus = std::make_unique<Gpus>(*paths_, devices, root_, [](const json::Document&) { return Gang(); });
          for (const auto& [live, seen] : running) gpus->recover(live);
          break;
        default:
          if (const auto p = pod_with(uid, 1 + static_cast<int>(rng.next() % 3)); !running.contains(uid)) {
            LaunchPlan plan = plan_of(p);
            if (gpus->prepare(p, plan)) running[uid] = variable(plan.launch.containers[0], "NVIDIA_VISIBLE_DEVICES");
          }
      }
      std::multiset<std::string> held;
      for (const auto& [live, seen] : running) {
        for (const std::string& id : gpus->held_by(live)) held.insert(id);
        EXPECT_EQ(join(gpus->held_by(live), ","), seen) << "a running pod keeps its devices";
      }
      ASSERT_EQ(std::set(held.begin(), held.end()).size(), held.size()) << "seed " << seed << ", step " << step;
    }
    for (int i = 0; i < 6; ++i) gpus->release(fmt::format("{}-{}", seed, i));
  }
}

}  // namespace
}  // namespace muster::agent
