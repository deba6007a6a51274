#include "control/scheduler/schedule.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "api/muster/sweep_names.h"
#include "testing/scheduler_objects.h"

namespace muster::control::scheduler_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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
  EXPECT_THAT(waiting(s), ElementsAre("default/huge: needs 1001 pods, this machine has 1000; use fewer replicas"));
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
  EXPECT_THAT(
      waiting(schedule({{pod({.job = "a", .gpus = 4})}, {node("machine", 2)}})),
      ElementsAre("default/a: needs 4 nvidia.com/gpu, this machine has 2; declare more with `resources:` in the "
                  "configuration or request less"));
  EXPECT_THAT(
      waiting(schedule({{pod({.job = "a", .gpus = 1})}, {node("machine", 0)}})),
      ElementsAre("default/a: needs 1 nvidia.com/gpu, this machine has 0; declare them with `resources:` in the "
                  "configuration or remove the request"));
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
  EXPECT_EQ(s.overcommitted[0].message, "requests 16 CPUs, this machine has 2; started anyway, its pods share them");
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

TEST(Schedule, StartsTheMinimumOfAnElasticGangAndMoreWhenThereIsRoom) {
  Cluster cluster;
  cluster.nodes = {node("machine", 3)};
  for (int i = 0; i < 4; ++i) cluster.pods.push_back(pod({.job = "a", .index = i, .gang = 2, .gpus = 1}));
  cluster.pods.push_back(pod({.job = "b", .gpus = 1, .created = 1}));
  const Schedule s = schedule(cluster);
  EXPECT_THAT(bound(s), ElementsAre("a-0@machine", "a-1@machine", "a-2@machine"));
  EXPECT_THAT(waiting(s),
              ElementsAre("default/a: needs 1 nvidia.com/gpu, 0 free", "default/b: needs 1 nvidia.com/gpu, 0 free"));
}

TEST(Schedule, WhatAGangHasBeyondItsMinimumBlocksNobody) {
  const Schedule s =
      schedule({{pod({.job = "a", .index = 0, .gang = 1, .gpus = 1, .node = "machine", .phase = "Running"}),
                 pod({.job = "a", .index = 1, .gang = 1, .gpus = 2}), pod({.job = "b", .gpus = 1, .created = 1})},
                {node("machine", 2)}});
  EXPECT_THAT(bound(s), ElementsAre("b-0@machine"));
}

TEST(Schedule, HonoursAGroupThatAUserMade) {
  Cluster cluster{{own_pod("x", "g"), own_pod("y", "g")}, {node("machine", 0)}};
  EXPECT_THAT(waiting(schedule(cluster)),
              ElementsAre("default/g: PodGroup default/g does not exist; create it or remove the label "
                          "scheduler.tensorstack.dev/group-name"));
  cluster.groups = {group("g", 3)};
  EXPECT_THAT(waiting(schedule(cluster)), ElementsAre("default/g: 2 of 3 pods of the group exist"));
  cluster.pods.push_back(own_pod("z", "g"));
  const Schedule s = schedule(cluster);
  EXPECT_THAT(bound(s), ElementsAre("x-0@machine", "y-0@machine", "z-0@machine"));
  // The agent starts them together, although their manifests do not say how many they are.
  for (const Binding& binding : s.bindings) EXPECT_EQ(binding.gang_size, 3u);
}

TEST(Schedule, CountsTheRolesOfAGroup) {
  auto with_roles = group("g", 2);
  with_roles->spec.roles = {{.name = "ps", .min_member = 1}};
  auto ps = own_pod("p", "g");
  Cluster cluster{{own_pod("x", "g"), own_pod("y", "g")}, {node("machine", 0)}, {with_roles}};
  EXPECT_THAT(waiting(schedule(cluster)), ElementsAre("default/g: 0 of 1 pods of role ps exist"));
  ps->metadata.labels[api::kGroupRoleLabel] = "ps";
  cluster.pods.push_back(ps);
  EXPECT_EQ(schedule(cluster).bindings.size(), 3u);
}

TEST(Schedule, WaitsForTheGroupOfAJobWithoutAnyReport) {
  Ledger ledger;
  ledger.note_pod({"default", "a-0"}, pod({.job = "a"}));
  const Schedule s = control::schedule(ledger, {.nodes = {node("machine", 0)}});
  EXPECT_THAT(bound(s), IsEmpty());
  EXPECT_THAT(waiting(s), IsEmpty());
}

TEST(Schedule, StrictSchedulingMakesCpuWait) {
  Cluster cluster{{pod({.job = "a", .cpus = 16}), pod({.job = "b", .cpus = 2, .created = 1}),
                   pod({.job = "c", .cpus = 1, .created = 2}), pod({.job = "d", .created = 3})},
                  {node("machine", 0)}};
  cluster.strict = true;
  const Schedule s = schedule(cluster);
  EXPECT_THAT(bound(s), ElementsAre("b-0@machine", "d-0@machine"));
  EXPECT_THAT(s.overcommitted, IsEmpty());
  EXPECT_THAT(waiting(s),
              ElementsAre("default/a: needs 16 cpu, this machine has 2; request less, or remove `scheduling: "
                          "strict` from the configuration",
                          "default/c: needs 1 cpu, 0 free"));
}

TEST(Schedule, APodOfAnotherNodeSaysSo) {
  EXPECT_THAT(
      waiting(schedule({{pod({.job = "a", .node = "gpu-7"})}, {node("machine", 0)}})),
      ElementsAre("default/a-0: spec.nodeName: node \"gpu-7\" does not exist, this is \"machine\"; remove nodeName"));
}

TEST(Schedule, APodThatIsNotForThisNodeBlocksNobody) {
  auto elsewhere = pod({.job = "a", .gpus = 1});
  elsewhere->spec.rest = json::Object{{"nodeSelector", json::Object{{"disk", "ssd"}}}};
  const Schedule s = schedule({{elsewhere, pod({.job = "b", .gpus = 1, .created = 1})}, {node("machine", 1)}});
  EXPECT_THAT(bound(s), ElementsAre("b-0@machine"));
  EXPECT_THAT(waiting(s),
              ElementsAre("default/a: spec.nodeSelector: disk must be \"ssd\", node machine has no such label; "
                          "remove it or run `kubectl label node machine disk=ssd`"));
}

/// Whatever the queues, priorities and minimums: a gang gets its minimum or nothing, and no device or quota is
/// exceeded.
RC_GTEST_PROP(ScheduleLaws, NoGangBelowItsMinimumAndNoQuotaExceeded, ()) {
  const int gpus = *rc::gen::inRange(0, 8);
  const int quota = *rc::gen::inRange(0, 5);
  const int jobs = *rc::gen::inRange(0, 8);
  Cluster cluster;
  cluster.nodes = {node("machine", gpus)};
  cluster.queues = {queue("small", quota), queue("shut")};
  auto shut = queue("shut");
  shut->spec.closed = true;
  cluster.queues[1] = shut;
  cluster.strict = *rc::gen::arbitrary<bool>();
  std::map<std::string, std::pair<int, int>> wanted;  // job -> minimum, GPUs of each pod
  std::map<std::string, std::string> queue_of;
  for (int g = 0; g < jobs; ++g) {
    const std::string job = fmt::format("j{}", g);
    const int size = *rc::gen::inRange(1, 5);
    const int least = *rc::gen::inRange(1, size + 1);
    const int each = *rc::gen::inRange(0, 3);
    const auto name = *rc::gen::element<std::string>("default", "small", "shut", "none");
    queue_of[job] = name;
    wanted[job] = {least, each};
    cluster.groups.push_back(group(job, least, name, *rc::gen::inRange(0, 3)));
    for (int i = 0; i < size; ++i) {
      cluster.pods.push_back(pod({.job = job, .index = i, .gang = least, .gpus = each, .cpus = each, .created = g}));
    }
  }
  const Schedule s = schedule(cluster);
  std::map<std::string, int> started;
  std::map<std::string, int> used;
  for (const auto& binding : s.bindings) {
    const std::string job = binding.pod.substr(0, binding.pod.find('-'));
    ++started[job];
    used["machine"] += wanted.at(job).second;
    used[queue_of.at(job)] += wanted.at(job).second;
  }
  for (const auto& [job, count] : started) RC_ASSERT(count >= wanted.at(job).first);
  RC_ASSERT(used["machine"] <= gpus);
  RC_ASSERT(used["small"] <= quota);
  RC_ASSERT(used["shut"] == 0);
  if (cluster.strict) RC_ASSERT(used["machine"] <= 2 && used["none"] == 0);
}

// ---- sweeps ----

PodSpec run_of_sweep(int number, const std::string& node = "") {
  return {.job = fmt::format("s-{}", number),
          .gpus = 1,
          .created = number,
          .node = node,
          .phase = node.empty() ? "Pending" : "Running",
          .sweep = "s",
          .parallel = 2};
}

TEST(ScheduleSweep, StartsAsManyJobsAsMayRunAtOnce) {
  const Schedule s = schedule(
      {{pod(run_of_sweep(1)), pod(run_of_sweep(2)), pod(run_of_sweep(3)), pod(run_of_sweep(4))}, {node("machine", 8)}});
  EXPECT_THAT(bound(s), ElementsAre("s-1-0@machine", "s-2-0@machine"));
  EXPECT_THAT(waiting(s), ElementsAre("default/s-3: waits for its sweep: 2 of 2 run",
                                      "default/s-4: waits for its sweep: 2 of 2 run"));
}

TEST(ScheduleSweep, CountsThoseThatRunAlready) {
  const Schedule s =
      schedule({{pod(run_of_sweep(1, "machine")), pod(run_of_sweep(2)), pod(run_of_sweep(3))}, {node("machine", 8)}});
  EXPECT_THAT(bound(s), ElementsAre("s-2-0@machine"));
  EXPECT_THAT(waiting(s), ElementsAre("default/s-3: waits for its sweep: 2 of 2 run"));
}

TEST(ScheduleSweep, AnEndedJobMakesRoomForTheNext) {
  auto ended = pod(run_of_sweep(1, "machine"));
  ended->status.phase = "Succeeded";
  const Schedule s = schedule({{ended, pod(run_of_sweep(2, "machine")), pod(run_of_sweep(3))}, {node("machine", 8)}});
  EXPECT_THAT(bound(s), ElementsAre("s-3-0@machine"));
}

TEST(ScheduleSweep, OneThatWaitsForItsSweepClaimsNoDevices) {
  const Schedule s = schedule({{pod(run_of_sweep(1, "machine")), pod(run_of_sweep(2, "machine")), pod(run_of_sweep(3)),
                                pod({.job = "other", .gpus = 1, .created = 9})},
                               {node("machine", 3)}});
  EXPECT_THAT(bound(s), ElementsAre("other-0@machine"));
}

TEST(ScheduleSweep, AJobThatRunsGetsItsReplacementAboveTheLimit) {
  PodSpec first = run_of_sweep(1, "machine");
  PodSpec second = run_of_sweep(1);
  first.gang = second.gang = 2;
  second.index = 1;
  first.parallel = second.parallel = 1;
  const Schedule s = schedule({{pod(first), pod(second)}, {node("machine", 8)}});
  EXPECT_THAT(bound(s), ElementsAre("s-1-1@machine"));
}

TEST(ScheduleSweep, SweepsOfOneNameInTwoNamespacesAreTwo) {
  auto elsewhere = pod(run_of_sweep(9, "machine"));
  elsewhere->metadata.ns = "team";
  PodSpec here = run_of_sweep(1);
  here.parallel = 1;
  EXPECT_THAT(bound(schedule({{elsewhere, pod(here)}, {node("machine", 8)}})), ElementsAre("s-1-0@machine"));
}

TEST(ScheduleSweep, ANumberThatIsNoneLimitsNothing) {
  auto one = pod(run_of_sweep(1));
  auto two = pod(run_of_sweep(2));
  one->metadata.annotations[api::kParallelAnnotation] = "many";
  two->metadata.annotations[api::kParallelAnnotation] = "-1";
  EXPECT_EQ(bound(schedule({{one, two}, {node("machine", 8)}})).size(), 2u);
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

}  // namespace muster::control::scheduler_test
