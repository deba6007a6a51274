#include "control/scheduler/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "testing/scheduler_objects.h"

namespace muster::control::scheduler_test {

namespace {

std::string text_of(const api::ResourceList& list) {
  std::string text;
  for (const auto& [resource, amount] : list) {
    if (!amount.is_zero()) text += fmt::format("{}={} ", resource, amount.text());
  }
  return text;
}

std::string text_of(const Ledger& ledger) {
  std::string text;
  for (const Gang* gang : ledger.waiting()) {
    text += fmt::format("waiting {} {}/{}\n", gang->id, gang->waiting.size(), gang->present);
  }
  for (const Gang* gang : ledger.holding()) {
    const PodCounts& counts = gang->counts;
    text += fmt::format("holding {} {}{} {} {} {}\n", gang->id, text_of(gang->held), counts.pending, counts.running,
                        counts.succeeded, counts.failed);
  }
  return text + text_of(ledger.taken_on("machine"));
}

}  // namespace

TEST(Ledger, EndedPodsHoldNothingButBelongToTheirGang) {
  Ledger ledger;
  ledger.note_pod({"default", "a-0"},
                  pod({.job = "a", .index = 0, .gang = 2, .gpus = 1, .node = "machine", .phase = "Running"}));
  ledger.note_pod({"default", "a-0"},
                  pod({.job = "a", .index = 0, .gang = 2, .gpus = 1, .node = "machine", .phase = "Succeeded"}));
  ledger.note_pod({"default", "a-1"}, pod({.job = "a", .index = 1, .gang = 2}));
  EXPECT_TRUE(ledger.holding().empty());
  ASSERT_EQ(ledger.waiting().size(), 1u);
  EXPECT_EQ(ledger.waiting()[0]->present, 2u);
  EXPECT_EQ(ledger.waiting()[0]->counts.succeeded, 1);
}

TEST(Ledger, AGroupOfAnEarlierJobIsNotTheGroupOfALaterOne) {
  Ledger ledger;
  auto of_earlier = group("a", 1);
  of_earlier->metadata.owner_references.push_back(
      {.api_version = "v1", .kind = "J", .name = "a", .uid = "earlier", .controller = true});
  ledger.note_group({"default", "a"}, of_earlier);
  ledger.note_pod({"default", "a-0"}, pod({.job = "a"}));
  EXPECT_EQ(ledger.group_of(*ledger.waiting()[0]), nullptr);
  EXPECT_TRUE(ledger.gangs_of(*of_earlier).empty());
}

RC_GTEST_PROP(LedgerLaws, ChangesOneByOneGiveTheSameAsTheLastStateAtOnce, ()) {
  const auto steps = *rc::gen::container<std::vector<std::tuple<int, int, int, bool>>>(rc::gen::tuple(
      rc::gen::inRange(0, 3), rc::gen::inRange(0, 3), rc::gen::inRange(0, 5), rc::gen::arbitrary<bool>()));
  Ledger changed;
  std::map<Ledger::Key, PodPtr> last;
  for (const auto& [job, index, state, is_leaving] : steps) {
    static const char* const kPhases[] = {"Pending", "Running", "Succeeded", "Failed"};
    const std::string name = fmt::format("j{}-{}", job, index);
    PodPtr now;
    if (state < 4) {
      auto made = pod({.job = fmt::format("j{}", job),
                       .index = index,
                       .gang = 2,
                       .gpus = index,
                       .node = state == 0 ? "" : "machine",
                       .phase = kPhases[state]});
      if (is_leaving) made->metadata.deletion_timestamp = Time(std::chrono::seconds(1));
      now = made;
    }
    changed.note_pod({"default", name}, now);
    last[{"default", name}] = now;
  }
  Ledger fresh;
  for (const auto& [key, pod] : last) fresh.note_pod(key, pod);
  RC_ASSERT(text_of(changed) == text_of(fresh));
}

}  // namespace muster::control::scheduler_test
