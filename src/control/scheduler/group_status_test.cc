#include "control/scheduler/group_status.h"

#include <gtest/gtest.h>

#include "testing/scheduler_objects.h"

namespace muster::control::scheduler_test {

namespace {

std::string condition_text(const api::PodGroupStatus& status, std::size_t at) {
  const api::Condition& c = status.conditions.at(at);
  return fmt::format("{} {} {}: {}", c.type, c.status, c.reason, c.message);
}

}  // namespace

TEST(GroupStatus, CountsPodsAndSaysWhyTheyWait) {
  const auto two = group("a", 2);
  const Ledger ledger =
      ledger_of({{pod({.job = "a", .index = 0, .gang = 2, .gpus = 1, .node = "machine", .phase = "Running"}),
                  pod({.job = "a", .index = 1, .gang = 2})},
                 {},
                 {two}});
  const api::PodGroupStatus status = group_status(*two, ledger, "needs more", Time(std::chrono::seconds(7)));
  EXPECT_EQ(status.running, 1);
  EXPECT_EQ(status.pending, 1);
  EXPECT_EQ(status.allocated, (api::ResourceList{{kGpu, Quantity::of(1)}}));
  EXPECT_EQ(condition_text(status, 0), "SufficientGroupMember True Complete: 2 of 2 pods exist");
  EXPECT_EQ(condition_text(status, 1), "GroupScheduled False Unschedulable: needs more");
}

TEST(GroupStatus, TimesChangeOnlyWithTheStatus) {
  const auto one = group("a", 1);
  const Ledger ledger = ledger_of({{pod({.job = "a", .node = "machine"})}, {}, {one}});
  one->status = group_status(*one, ledger, "", Time(std::chrono::seconds(7)));
  EXPECT_EQ(condition_text(one->status, 1), "GroupScheduled True Scheduled: all its pods are scheduled");
  const api::PodGroupStatus later = group_status(*one, ledger, "", Time(std::chrono::seconds(9)));
  EXPECT_EQ(later.conditions, one->status.conditions);
}

TEST(QueueStatus, ShowsWhatIsUsed) {
  const auto small = queue("small", 4);
  const Cluster cluster{{pod({.job = "a", .gpus = 2, .node = "machine", .phase = "Running"}),
                         pod({.job = "b", .gpus = 1}), pod({.job = "c", .gpus = 1, .node = "machine"})},
                        {},
                        {group("a", 1, "small"), group("b", 1, "small")},
                        {small}};
  const api::QueueStatus status = queue_status(*small, ledger_of(cluster), objects_of(cluster));
  EXPECT_EQ(status.allocated, (api::ResourceList{{kGpu, Quantity::of(2)}}));
  EXPECT_EQ(status.running, 1);
  EXPECT_EQ(status.pending, 1);
}

}  // namespace muster::control::scheduler_test
