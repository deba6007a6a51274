#include "store/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::shared_ptr<const Event> event(Revision revision, std::string resource = "pods", std::size_t bytes = 10) {
  auto made = std::make_shared<Event>();
  made->key = {std::move(resource), "default", "a"};
  made->entry.revision = revision;
  made->entry.bytes = std::make_shared<const std::string>(bytes, 'x');
  return made;
}

std::vector<Revision> replay(const History& history, Revision after, const std::string& resource = "pods") {
  std::vector<Revision> seen;
  const auto done = history.replay(resource, after, [&](const auto& e) {
    seen.push_back(e->entry.revision);
    return true;
  });
  EXPECT_TRUE(done.has_value());
  return seen;
}

TEST(History, ReplaysLaterEventsOfOneResource) {
  History history(10, {.max_events = 100, .max_bytes = 1u << 20});
  history.append(event(11), MonoTime());
  history.append(event(12, "secrets"), MonoTime());
  history.append(event(14), MonoTime());
  EXPECT_THAT(replay(history, 10), ElementsAre(11, 14));
  EXPECT_THAT(replay(history, 11), ElementsAre(14));
  EXPECT_THAT(replay(history, 13), ElementsAre(14));
  EXPECT_THAT(replay(history, 14), IsEmpty());
  EXPECT_THAT(replay(history, 99), IsEmpty());
  EXPECT_THAT(replay(history, 10, "secrets"), ElementsAre(12));
}

TEST(History, IsExpiredForRevisionsThatItNoLongerHas) {
  History history(100, {.max_events = 100, .max_bytes = 1u << 20});
  const auto status = history.replay("pods", 5, [](const auto&) { return ADD_FAILURE(), false; });
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().reason, Reason::kExpired);
  EXPECT_EQ(status.error().message, "too old resource version: 5 (100)");
  EXPECT_THAT(replay(history, 100), IsEmpty());
}

TEST(History, ForgetsTheOldestBeyondTheNumberOfEvents) {
  History history(0, {.max_events = 3, .max_bytes = 1u << 20});
  for (Revision revision = 1; revision <= 5; ++revision) history.append(event(revision), MonoTime());
  EXPECT_EQ(history.size(), 3u);
  EXPECT_THAT(replay(history, 2), ElementsAre(3, 4, 5));
  EXPECT_FALSE(history.replay("pods", 1, [](const auto&) { return true; }).has_value());
}

TEST(History, ForgetsTheOldestBeyondTheNumberOfBytes) {
  History history(0, {.max_events = 1000, .max_bytes = 10'000});
  for (Revision revision = 1; revision <= 5; ++revision) history.append(event(revision, "pods", 3'000), MonoTime());
  EXPECT_LE(history.bytes(), 10'000u);
  EXPECT_THAT(replay(history, 2), ElementsAre(3, 4, 5));
  history.append(event(6, "pods", 20'000), MonoTime());  // larger than the limit on all events
  EXPECT_EQ(history.size(), 0u);
  EXPECT_EQ(history.bytes(), 0u);
  EXPECT_FALSE(history.replay("pods", 5, [](const auto&) { return true; }).has_value());
  EXPECT_THAT(replay(history, 6), IsEmpty());
}

TEST(History, OldEventsGoButSomeStayHoweverOld) {
  using std::chrono::minutes;
  History history(10, {.max_events = 100, .max_bytes = 1u << 20, .max_age = minutes(10), .events_of_any_age = 2});
  const MonoTime start;
  for (Revision i = 11; i <= 15; ++i) history.append(event(i), start + minutes(i));
  EXPECT_EQ(history.size(), 5u);
  history.compact(start + minutes(21));
  EXPECT_EQ(history.size(), 5u);  // exactly as old as allowed
  history.compact(start + minutes(22));
  EXPECT_EQ(history.size(), 4u);
  EXPECT_EQ(history.replay("pods", 10, [](const auto&) { return true; }).error().reason, Reason::kExpired);
  EXPECT_THAT(replay(history, 11), ElementsAre(12, 13, 14, 15));
  history.compact(start + minutes(1000));
  EXPECT_THAT(replay(history, 13), ElementsAre(14, 15));
  EXPECT_EQ(history.replay("pods", 12, [](const auto&) { return true; }).error().reason, Reason::kExpired);
  history.append(event(16), start + minutes(1001));
  EXPECT_THAT(replay(history, 14), ElementsAre(15, 16));
}

}  // namespace
}  // namespace muster::store
