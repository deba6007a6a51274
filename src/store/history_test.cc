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
  const auto done = history.replay(resource, after, [&](const auto& e) { seen.push_back(e->entry.revision); });
  EXPECT_TRUE(done.has_value());
  return seen;
}

TEST(History, ReplaysWhatCameAfterForOneResource) {
  History history(10, 100, 1u << 20);
  history.append(event(11));
  history.append(event(12, "secrets"));
  history.append(event(14));
  EXPECT_THAT(replay(history, 10), ElementsAre(11, 14));
  EXPECT_THAT(replay(history, 11), ElementsAre(14));
  EXPECT_THAT(replay(history, 13), ElementsAre(14));
  EXPECT_THAT(replay(history, 14), IsEmpty());
  EXPECT_THAT(replay(history, 99), IsEmpty());
  EXPECT_THAT(replay(history, 10, "secrets"), ElementsAre(12));
}

TEST(History, SaysWhenItDoesNotReachBackThatFar) {
  History history(100, 100, 1u << 20);
  const auto status = history.replay("pods", 5, [](const auto&) { FAIL(); });
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().reason, Reason::kExpired);
  EXPECT_EQ(status.error().message, "too old resource version: 5 (100)");
  EXPECT_THAT(replay(history, 100), IsEmpty());
}

TEST(History, ForgetsTheOldestBeyondTheNumberOfEvents) {
  History history(0, 3, 1u << 20);
  for (Revision revision = 1; revision <= 5; ++revision) history.append(event(revision));
  EXPECT_EQ(history.size(), 3u);
  EXPECT_THAT(replay(history, 2), ElementsAre(3, 4, 5));
  EXPECT_FALSE(history.replay("pods", 1, [](const auto&) {}).has_value());
}

TEST(History, ForgetsTheOldestBeyondTheNumberOfBytes) {
  History history(0, 1000, 10'000);
  for (Revision revision = 1; revision <= 5; ++revision) history.append(event(revision, "pods", 3'000));
  EXPECT_LE(history.bytes(), 10'000u);
  EXPECT_THAT(replay(history, 2), ElementsAre(3, 4, 5));
  history.append(event(6, "pods", 20'000));  // larger than all of it
  EXPECT_EQ(history.size(), 0u);
  EXPECT_EQ(history.bytes(), 0u);
  EXPECT_FALSE(history.replay("pods", 5, [](const auto&) {}).has_value());
  EXPECT_THAT(replay(history, 6), IsEmpty());
}

}  // namespace
}  // namespace muster::store
