#include "control/scheduler/schedule.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "api/names.h"

namespace muster::control {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kGpu = "nvidia.com/gpu";

std::shared_ptr<const api::Node> node(const std::string& name, int gpus, bool ready = true) {
  auto made = std::make_shared<api::Node>();
  made->metadata.name = name;
  made->status.allocatable = {
      {"cpu", Quantity::of(2)}, {"memory", Quantity::of(8LL << 30)}, {"pods", Quantity::of(1000)}};
  if (gpus > 0) made->status.allocatable[kGpu] = Quantity::of(gpus);
  made->status.conditions.push_back({.type = "Ready", .status = ready ? "True" : "False"});
  return made;
}

struct PodSpec {
  std::string job;
  int index = 0;
  int gang = 1;
  int gpus = 0;
  int cpus = 0;
  int created = 0;  // seconds
  std::string node;
  std::string phase = "Pending";
};

std::shared_ptr<api::Pod> pod(const PodSpec& spec) {
  auto made = std::make_shared<api::Pod>();
  made->metadata.ns = "default";
  made->metadata.name = fmt::format("{}-{}", spec.job, spec.index);
  made->metadata.uid = "uid-" + made->metadata.name;
  made->metadata.creation_timestamp = Time(std::chrono::seconds(spec.created));
  made->metadata.labels[api::kGroupNameLabel] = spec.job;
  made->metadata.annotations[api::kGangSizeAnnotation] = std::to_string(spec.gang);
  made->metadata.owner_references.push_back(
      {.api_version = "v1", .kind = "J", .name = spec.job, .uid = "job-" + spec.job, .controller = true});
  api::Container container;
  if (spec.gpus > 0) container.resources.limits[kGpu] = Quantity::of(spec.gpus);
  if (spec.cpus > 0) container.resources.requests["cpu"] = Quantity::of(spec.cpus);
  made->spec.containers.push_back(container);
  made->spec.node_name = spec.node;
  made->status.phase = spec.phase;
  return made;
}

std::vector<std::string> bound(const Schedule& schedule) {
  std::vector<std::string> names;
  for (const auto& binding : schedule.bindings) names.push_back(binding.pod + "@" + binding.node);
  return names;
}

std::vector<std::string> waiting(const Schedule& schedule) {
  std::vector<std::string> lines;
  for (const auto& gang : schedule.waiting) lines.push_back(gang.gang + ": " + gang.message);
  return lines;
}

TEST(Schedule, BindsAWholeGang) {
  const Schedule s = schedule(
      {{pod({.job = "a", .index = 0, .gang = 2}), pod({.job = "a", .index = 1, .gang = 2})}, {node("machine", 0)}});
  EXPECT_THAT(bound(s), ElementsAre("a-0@machine", "a-1@machine"));
  EXPECT_THAT(waiting(s), IsEmpty());
}

TEST(Schedule, PodsBeyondWhatTheNodeTakesWait) {
  Cluster cluster;
  cluster.nodes = {node("machine", 0)};
  for (int i = 0; i < 1001; ++i) cluster.pods.push_back(pod({.job = "huge", .index = i, .gang = 1001}));
  cluster.pods.push_back(pod({.job = "small", .created = 1}));
  const Schedule s = schedule(cluster);
  EXPECT_THAT(bound(s), ElementsAre("small-0@machine"));
  EXPECT_THAT(waiting(s), ElementsAre("default/huge: needs 1001 pods, there are 1k in all"));
}

TEST(Schedule, AFullNodeNamesWhoHasThePlacesAndLetsSmallerGangsGoAhead) {
  Cluster cluster;
  cluster.nodes = {node("machine", 0)};
  for (int i = 0; i < 998; ++i)
    cluster.pods.push_back(pod({.job = "held", .index = i, .gang = 998, .node = "machine"}));
  for (int i = 0; i < 3; ++i) cluster.pods.push_back(pod({.job = "three", .index = i, .gang = 3}));
  cluster.pods.push_back(pod({.job = "one", .created = 1}));
  const Schedule s = schedule(cluster);
  EXPECT_THAT(bound(s), ElementsAre("one-0@machine"));
  EXPECT_THAT(waiting(s), ElementsAre("default/three: needs 3 pods, 2 free, held by default/held"));
}

TEST(Schedule, LeavesAGangAloneWhoseMembersAreStillBeingMade) {
  const Schedule s = schedule({{pod({.job = "a", .index = 0, .gang = 2})}, {node("machine", 0)}});
  EXPECT_THAT(bound(s), IsEmpty());
  EXPECT_THAT(waiting(s), IsEmpty());
}

TEST(Schedule, BindsAReplacementWhenThePeersAreThere) {
  const Schedule s = schedule({{pod({.job = "a", .index = 0, .gang = 2, .node = "machine", .phase = "Running"}),
                                pod({.job = "a", .index = 1, .gang = 2})},
                               {node("machine", 0)}});
  EXPECT_THAT(bound(s), ElementsAre("a-1@machine"));
}

TEST(Schedule, SaysWhoHoldsTheDevicesThatAreShort) {
  const Schedule s = schedule(
      {{pod({.job = "bert", .gpus = 2, .node = "machine", .phase = "Running"}),
        pod({.job = "a", .index = 0, .gang = 2, .gpus = 2}), pod({.job = "a", .index = 1, .gang = 2, .gpus = 2})},
       {node("machine", 4)}});
  EXPECT_THAT(bound(s), IsEmpty());
  EXPECT_THAT(waiting(s), ElementsAre("default/a: needs 4 nvidia.com/gpu, 2 free, held by default/bert"));
}

TEST(Schedule, SaysThatThereAreNotEnoughAtAll) {
  EXPECT_THAT(waiting(schedule({{pod({.job = "a", .gpus = 4})}, {node("machine", 2)}})),
              ElementsAre("default/a: needs 4 nvidia.com/gpu, there are 2 in all"));
  EXPECT_THAT(waiting(schedule({{pod({.job = "a", .gpus = 1})}, {node("machine", 0)}})),
              ElementsAre("default/a: needs 1 nvidia.com/gpu, there is none"));
}

TEST(Schedule, DoesNotStarveALargeGangByLaterSmallOnes) {
  const Schedule s = schedule({{pod({.job = "held", .gpus = 1, .node = "machine", .phase = "Running"}),
                                pod({.job = "large", .gpus = 2, .created = 1}),
                                pod({.job = "small", .gpus = 1, .created = 2}), pod({.job = "plain", .created = 3})},
                               {node("machine", 2)}});
  EXPECT_THAT(bound(s), ElementsAre("plain-0@machine"));
  EXPECT_THAT(waiting(s), ElementsAre("default/large: needs 2 nvidia.com/gpu, 1 free, held by default/held",
                                      "default/small: needs 1 nvidia.com/gpu, waits behind default/large"));
}

TEST(Schedule, IsNotBlockedByAGangThatCanNeverRun) {
  const Schedule s =
      schedule({{pod({.job = "huge", .gpus = 8, .created = 1}), pod({.job = "small", .gpus = 1, .created = 2})},
                {node("machine", 2)}});
  EXPECT_THAT(bound(s), ElementsAre("small-0@machine"));
}

TEST(Schedule, AdmitsCpuBeyondTheMachineAndSaysSo) {
  const Schedule s = schedule({{pod({.job = "a", .cpus = 16})}, {node("machine", 0)}});
  EXPECT_THAT(bound(s), ElementsAre("a-0@machine"));
  ASSERT_EQ(s.overcommitted.size(), 1u);
  EXPECT_EQ(s.overcommitted[0].message,
            "asks for more than there is (16 cpu of 2); it starts all the same and shares what there is");
}

TEST(Schedule, FinishedPodsHoldNothingAndLeavingOnesStillDo) {
  auto leaving = pod({.job = "leaving", .gpus = 1, .node = "machine", .phase = "Running"});
  leaving->metadata.deletion_timestamp = Time(std::chrono::seconds(9));
  const Schedule s = schedule({{pod({.job = "done", .gpus = 1, .node = "machine", .phase = "Succeeded"}), leaving,
                                pod({.job = "a", .gpus = 2})},
                               {node("machine", 2)}});
  EXPECT_THAT(waiting(s), ElementsAre("default/a: needs 2 nvidia.com/gpu, 1 free, held by default/leaving"));
}

TEST(Schedule, WaitsForANodeThatIsReady) {
  EXPECT_THAT(waiting(schedule({{pod({.job = "a"})}, {node("machine", 0, false)}})),
              ElementsAre("default/a: no node is ready"));
}

TEST(Schedule, HonoursSchedulingGates) {
  auto gated = pod({.job = "a"});
  gated->spec.rest = json::Object{{"schedulingGates", json::Array{json::Object{{"name", "kueue"}}}}};
  const Schedule s = schedule({{gated}, {node("machine", 0)}});
  EXPECT_THAT(bound(s), IsEmpty());
  EXPECT_THAT(waiting(s), IsEmpty());
}

TEST(Schedule, CountsTheLargestInitContainer) {
  api::Pod one;
  api::Container small;
  small.resources.requests["cpu"] = Quantity::of(1);
  api::Container big;
  big.resources.limits["cpu"] = Quantity::of(5);
  one.spec.containers = {small, small};
  one.spec.init_containers = {big};
  EXPECT_EQ(requests_of(one).at("cpu"), Quantity::of(5));
}

RC_GTEST_PROP(ScheduleLaws, NoPartialGangsAndNoDeviceTwice, ()) {
  const int gpus = *rc::gen::inRange(0, 6);
  const auto sizes = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(1, 4), rc::gen::inRange(0, 3)));
  Cluster cluster;
  cluster.nodes = {node("n1", gpus), node("n2", 1)};
  std::map<std::string, int> gang_of;
  std::map<std::string, int> gpus_of;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    const std::string job = fmt::format("j{}", g);
    for (int i = 0; i < sizes[g].first; ++i) {
      cluster.pods.push_back(pod(
          {.job = job, .index = i, .gang = sizes[g].first, .gpus = sizes[g].second, .created = static_cast<int>(g)}));
      gang_of[cluster.pods.back()->metadata.name] = static_cast<int>(g);
      gpus_of[cluster.pods.back()->metadata.name] = sizes[g].second;
    }
  }
  const Schedule s = schedule(cluster);
  std::map<int, int> started;
  std::map<std::string, int> used;
  for (const auto& binding : s.bindings) {
    ++started[gang_of.at(binding.pod)];
    used[binding.node] += gpus_of.at(binding.pod);
  }
  for (const auto& [gang, count] : started) RC_ASSERT(count == sizes[static_cast<std::size_t>(gang)].first);
  RC_ASSERT(used["n1"] <= gpus);
  RC_ASSERT(used["n2"] <= 1);
  RC_ASSERT(started.size() + s.waiting.size() == sizes.size());
}

}  // namespace
}  // namespace muster::control
