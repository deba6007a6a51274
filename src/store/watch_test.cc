#include <gmock/gmock.h>

#include "testing/store_fixture.h"

namespace muster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string describe(const Event& event) {
  const char* type = event.type == EventType::kAdded      ? "ADDED"
                     : event.type == EventType::kModified ? "MODIFIED"
                                                          : "DELETED";
  return fmt::format("{} {} {}", type, event.key.name, *event.entry.bytes);
}

class WatchTest : public StoreTest {
 protected:
  struct Seen {
    std::vector<std::string> events;
    std::vector<std::shared_ptr<const Event>> raw;
    Store::Id id = 0;
  };
  std::shared_ptr<Seen> watch(Revision after, const std::string& resource = "pods") {
    auto seen = std::make_shared<Seen>();
    auto id = store_->watch(resource, after, [seen](const std::shared_ptr<const Event>& event) {
      seen->events.push_back(describe(*event));
      seen->raw.push_back(event);
    });
    EXPECT_TRUE(id.has_value()) << id.error().message;
    seen->id = *id;
    return seen;
  }
};

TEST_F(WatchTest, DeliversInCommitOrder) {
  open();
  const auto pods = watch(1);
  const auto secrets = watch(1, "secrets");
  loop_.hold();
  start_put(pod("a"), 0, "one");
  start_put({"secrets", "default", "s"}, 0, "secret");
  start_put(pod("a"), 2, "two");
  const auto last = start_remove(pod("a"), 4);
  EXPECT_THAT(pods->events, IsEmpty());
  loop_.let_go();
  ASSERT_TRUE(wait(last).has_value());
  EXPECT_THAT(pods->events, ElementsAre("ADDED a one@2", "MODIFIED a two@4", "DELETED a two@5"));
  EXPECT_THAT(secrets->events, ElementsAre("ADDED s secret@3"));
  EXPECT_EQ(pods->raw[2]->entry.revision, 5u);
}

TEST_F(WatchTest, EventsCarryTheAttributesBeforeTheChange) {
  open();
  const auto pods = watch(1);
  ASSERT_TRUE(put(pod("a"), 0, "one").has_value());
  ASSERT_TRUE(put(pod("a"), 2, "two").has_value());
  ASSERT_TRUE(remove(pod("a"), 3).has_value());
  ASSERT_EQ(pods->raw.size(), 3u);
  EXPECT_EQ(pods->raw[0]->previous.attributes, nullptr);
  EXPECT_EQ(*pods->raw[1]->previous.attributes, (Attributes{{"value", "one"}}));
  EXPECT_EQ(*pods->raw[1]->entry.attributes, (Attributes{{"value", "two"}}));
  EXPECT_EQ(*pods->raw[2]->previous.attributes, (Attributes{{"value", "two"}}));
}

TEST_F(WatchTest, StartsInThePastAndGoesOnLive) {
  open();
  ASSERT_TRUE(put(pod("a"), 0, "one").has_value());
  ASSERT_TRUE(put(pod("b"), 0, "two").has_value());
  const auto from_start = watch(1);
  const auto from_second = watch(2);
  EXPECT_THAT(from_start->events, ElementsAre("ADDED a one@2", "ADDED b two@3"));
  EXPECT_THAT(from_second->events, ElementsAre("ADDED b two@3"));
  ASSERT_TRUE(put(pod("c"), 0, "three").has_value());
  EXPECT_THAT(from_start->events, ElementsAre("ADDED a one@2", "ADDED b two@3", "ADDED c three@4"));
  EXPECT_THAT(from_second->events, ElementsAre("ADDED b two@3", "ADDED c three@4"));
}

TEST_F(WatchTest, StartsInTheFuture) {
  open();
  const auto later = watch(3);
  ASSERT_TRUE(put(pod("a"), 0, "one").has_value());
  ASSERT_TRUE(put(pod("b"), 0, "two").has_value());
  ASSERT_TRUE(put(pod("c"), 0, "three").has_value());
  EXPECT_THAT(later->events, ElementsAre("ADDED c three@4"));
}

TEST_F(WatchTest, OutOfHistoryIsExpired) {
  options_.history_events = 2;
  open();
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(put(pod(name), 0, "x").has_value());
  const auto expired = store_->watch("pods", 1, [](const auto&) { FAIL(); });
  ASSERT_FALSE(expired.has_value());
  EXPECT_EQ(expired.error().reason, Reason::kExpired);
  EXPECT_EQ(expired.error().message, "too old resource version: 1 (2)");
  EXPECT_THAT(watch(2)->events, ElementsAre("ADDED b x@3", "ADDED c x@4"));
}

TEST_F(WatchTest, AfterARestartOnlyThePresentCanBeWatched) {
  open();
  ASSERT_TRUE(put(pod("a"), 0, "one").has_value());
  ASSERT_TRUE(put(pod("b"), 0, "two").has_value());
  Store& store = reopen();
  const auto expired = store.watch("pods", 2, [](const auto&) { FAIL(); });
  ASSERT_FALSE(expired.has_value());
  EXPECT_EQ(expired.error().message, "too old resource version: 2 (3)");
  const auto present = watch(store.revision());
  ASSERT_TRUE(put(pod("c"), 0, "three").has_value());
  EXPECT_THAT(present->events, ElementsAre("ADDED c three@4"));
}

TEST_F(WatchTest, DeliversNothingAfterUnwatch) {
  open();
  const auto pods = watch(1);
  store_->unwatch(pods->id);
  store_->unwatch(pods->id);  // calling it twice is allowed
  ASSERT_TRUE(put(pod("a"), 0, "one").has_value());
  EXPECT_THAT(pods->events, IsEmpty());
}

TEST_F(WatchTest, CallbacksMayUnwatchThemselvesAndOthers) {
  Store& store = open();
  std::vector<std::string> seen;
  Store::Id second = 0;
  Store::Id first = 0;
  first = *store.watch("pods", 1, [&](const auto&) {
    seen.push_back("first");
    store.unwatch(first);
    store.unwatch(second);
  });
  second = *store.watch("pods", 1, [&](const auto&) { seen.push_back("second"); });
  ASSERT_TRUE(store.watch("pods", 1, [&](const auto&) { seen.push_back("third"); }).has_value());
  ASSERT_TRUE(put(pod("a"), 0, "one").has_value());
  ASSERT_TRUE(put(pod("b"), 0, "two").has_value());
  EXPECT_THAT(seen, ElementsAre("first", "third", "third"));
}

TEST_F(WatchTest, AWatchMadeInACallbackMissesNothingAndRepeatsNothing) {
  open();
  std::shared_ptr<Seen> past;
  std::shared_ptr<Seen> present;
  ASSERT_TRUE(store_
                  ->watch("pods", 1,
                          [&](const std::shared_ptr<const Event>& event) {
                            if (past != nullptr) return;
                            past = watch(1);
                            present = watch(event->entry.revision);
                          })
                  .has_value());
  loop_.hold();
  start_put(pod("a"), 0, "one");
  const auto last = start_put(pod("b"), 0, "two");
  loop_.let_go();
  ASSERT_TRUE(wait(last).has_value());
  EXPECT_THAT(past->events, ElementsAre("ADDED a one@2", "ADDED b two@3"));
  EXPECT_THAT(present->events, ElementsAre("ADDED b two@3"));
}

TEST_F(WatchTest, AWriteMadeInACallbackComesAfter) {
  open();
  Outcome second;
  ASSERT_TRUE(store_
                  ->watch("pods", 1,
                          [&](const auto&) {
                            if (second == nullptr) second = start_put(pod("b"), 0, "two");
                          })
                  .has_value());
  const auto pods = watch(1);
  ASSERT_TRUE(put(pod("a"), 0, "one").has_value());
  ASSERT_TRUE(wait(second).has_value());
  EXPECT_THAT(pods->events, ElementsAre("ADDED a one@2", "ADDED b two@3"));
}

}  // namespace
}  // namespace muster::store
