#include "control/scheduler/queues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/scheduler_objects.h"

namespace muster::control::scheduler_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SchedulerQueues, AClosedQueueTakesNothingNewButLetsRunningGangsGoOn) {
  auto shut = queue("night");
  shut->spec.closed = true;
  Cluster cluster{
      {pod({.job = "new"}), pod({.job = "old", .index = 0, .gang = 2, .node = "machine", .phase = "Running"}),
       pod({.job = "old", .index = 1, .gang = 2})},
      {node("machine", 0)},
      {group("new", 1, "night"), group("old", 2, "night")},
      {shut}};
  const Schedule s = schedule(cluster);
  EXPECT_THAT(bound(s), ElementsAre("old-1@machine"));
  EXPECT_THAT(waiting(s), ElementsAre("default/new: queue night is closed; open it or use another one"));
}

TEST(SchedulerQueues, AQuotaThatIsUsedUpNamesWhoHasIt) {
  Cluster cluster{
      {pod({.job = "bert", .gpus = 1, .node = "machine", .phase = "Running"}), pod({.job = "a", .gpus = 2}),
       pod({.job = "b", .gpus = 1, .created = 1}), pod({.job = "c", .gpus = 1, .created = 2}),
       pod({.job = "huge", .gpus = 3, .created = 3})},
      {node("machine", 8)},
      {group("bert", 1, "small"), group("a", 1, "small"), group("b", 1, "small"), group("huge", 1, "small")},
      {queue("small", 2)}};
  const Schedule s = schedule(cluster);
  // The other queue is not held up, although the machine's GPUs are what both want.
  EXPECT_THAT(bound(s), ElementsAre("c-0@machine"));
  EXPECT_THAT(
      waiting(s),
      ElementsAre("default/a: needs 2 nvidia.com/gpu, queue small has 1 of 2 left, held by default/bert",
                  "default/b: needs 1 nvidia.com/gpu, waits behind default/a in queue small",
                  "default/huge: needs 3 nvidia.com/gpu, queue small allows 2; request less or raise its quota"));
}

TEST(SchedulerQueues, WhatExceedsTheQuotaByItselfBlocksNobody) {
  Cluster cluster{{pod({.job = "huge", .gpus = 3}), pod({.job = "b", .gpus = 2, .created = 1})},
                  {node("machine", 8)},
                  {group("huge", 1, "small"), group("b", 1, "small")},
                  {queue("small", 2)}};
  const Schedule s = schedule(cluster);
  EXPECT_THAT(bound(s), ElementsAre("b-0@machine"));
  EXPECT_THAT(
      waiting(s),
      ElementsAre("default/huge: needs 3 nvidia.com/gpu, queue small allows 2; request less or raise its quota"));
}

TEST(SchedulerQueues, AQueueThatDoesNotExistIsTheDefaultOne) {
  Cluster cluster{{pod({.job = "a"})}, {node("machine", 0)}, {group("a", 1, "nihgt")}};
  Schedule s = schedule(cluster);
  EXPECT_THAT(bound(s), ElementsAre("a-0@machine"));
  ASSERT_EQ(s.without_queues.size(), 1u);
  EXPECT_EQ(s.without_queues[0].message, "queue nihgt does not exist; its pods use queue default");

  cluster.strict = true;
  s = schedule(cluster);
  EXPECT_THAT(bound(s), IsEmpty());
  EXPECT_THAT(s.without_queues, IsEmpty());
  EXPECT_THAT(waiting(s), ElementsAre("default/a: queue nihgt does not exist; create it or use another one"));
}

TEST(SchedulerQueues, AQueueIsForTheNamespacesThatItSelects) {
  auto closed_shop = queue("research");
  closed_shop->spec.namespace_selector = api::LabelSelector{.match_labels = {{"team", "research"}}, .rest = {}};
  const Cluster cluster{{pod({.job = "a"})}, {node("machine", 0)}, {group("a", 1, "research")}, {closed_shop}};
  ClusterObjects objects = objects_of(cluster);
  auto ns = std::make_shared<api::Namespace>();
  ns->metadata.name = "default";
  objects.namespaces = {ns};
  EXPECT_THAT(waiting(control::schedule(ledger_of(cluster), objects)),
              ElementsAre("default/a: queue research does not allow namespace default; use another queue or change its "
                          "namespaceSelector"));
  ns->metadata.labels["team"] = "research";
  EXPECT_THAT(bound(control::schedule(ledger_of(cluster), objects)), ElementsAre("a-0@machine"));
}

TEST(SchedulerQueues, OrdersByQueueThenGroupThenClassThenAge) {
  auto urgent = queue("urgent");
  urgent->spec.priority = 10;
  auto classy = pod({.job = "class", .gpus = 1, .created = 8});
  classy->spec.rest = json::Object{{"priorityClassName", "high"}};
  const Cluster cluster{
      {pod({.job = "old", .gpus = 1, .created = 1}), pod({.job = "young", .gpus = 1, .created = 2}), classy,
       pod({.job = "ranked", .gpus = 1, .created = 9}), pod({.job = "first", .gpus = 1, .created = 10})},
      {node("machine", 5)},
      {group("ranked", 1, "default", 50), group("first", 1, "urgent")},
      {urgent}};
  ClusterObjects objects = objects_of(cluster);
  auto high = std::make_shared<api::PriorityClass>();
  high->metadata.name = "high";
  high->value = 1000;
  objects.priority_classes = {high};
  EXPECT_THAT(
      bound(control::schedule(ledger_of(cluster), objects)),
      ElementsAre("first-0@machine", "ranked-0@machine", "class-0@machine", "old-0@machine", "young-0@machine"));
}

TEST(SchedulerQueues, APodWithoutAGroupNamesItsQueueByLabel) {
  auto alone = own_pod("x", "");
  alone->metadata.labels[api::kQueueLabel] = "small";
  alone->spec.containers[0].resources.limits[kGpu] = Quantity::of(1);
  EXPECT_THAT(
      waiting(schedule({{alone}, {node("machine", 1)}, {}, {queue("small", 0)}})),
      ElementsAre("default/x-0: needs 1 nvidia.com/gpu, queue small allows 0; request less or raise its quota"));
}

TEST(SchedulerQueues, AQueueMayBeForSomeNodesOnly) {
  auto fast = queue("fast");
  fast->spec.node_selector = api::LabelSelector{.match_labels = {{"disk", "ssd"}}, .rest = {}};
  auto labelled = node("machine", 0);
  const Cluster cluster{{pod({.job = "a"})}, {labelled}, {group("a", 1, "fast")}, {fast}};
  EXPECT_THAT(waiting(schedule(cluster)),
              ElementsAre("default/a: no node matches the nodeSelector of queue fast; label a "
                          "node or use another queue"));
  labelled->metadata.labels["disk"] = "ssd";
  EXPECT_THAT(bound(schedule(cluster)), ElementsAre("a-0@machine"));
}

}  // namespace muster::control::scheduler_test
