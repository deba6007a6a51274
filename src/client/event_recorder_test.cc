#include "client/event_recorder.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/event_correlator.h"
#include "testing/fake_transport.h"
#include "testing/sim_loop.h"

namespace muster::client {
namespace {

api::ObjectReference pod(const std::string& uid = "u-1") {
  api::ObjectReference about;
  about.api_version = "v1";
  about.kind = "Pod";
  about.ns = "default";
  about.name = "web";
  about.uid = uid;
  return about;
}

class EventCorrelatorTest : public ::testing::Test {
 protected:
  std::optional<EventToWrite> correlate(const std::string& message, const std::string& uid = "u-1") {
    return correlator_.correlate(pod(uid), "Warning", "Failed", message, loop_.mono());
  }

  muster::testing::SimLoop loop_;
  EventCorrelator correlator_;
};

TEST_F(EventCorrelatorTest, TheSameMessageIsOneEvent) {
  const auto first = correlate("no such file");
  const auto again = correlate("no such file");
  const auto other = correlate("another");
  ASSERT_TRUE(first && again && other);
  EXPECT_EQ(first->identity, again->identity);
  EXPECT_EQ(again->message, "no such file");
  EXPECT_NE(first->identity, other->identity);
}

TEST_F(EventCorrelatorTest, ManyMessagesOfOneReasonAreCombined) {
  for (int i = 1; i < 10; ++i)
    EXPECT_EQ(correlate(fmt::format("attempt {}", i))->message, fmt::format("attempt {}", i));
  const auto tenth = correlate("attempt 10");
  EXPECT_EQ(tenth->message, "(combined from similar events): attempt 10");
  EXPECT_EQ(correlate("attempt 11")->identity, tenth->identity);
  EXPECT_EQ(correlate("attempt 3")->message, "attempt 3") << "one of the first nine is still its own";
  loop_.advance(std::chrono::minutes(11));
  EXPECT_EQ(correlate("attempt 12")->message, "attempt 12") << "after a quiet time the count starts again";
}

TEST_F(EventCorrelatorTest, AnObjectThatCausesTooManyIsCutOff) {
  for (int i = 0; i < 25; ++i) EXPECT_TRUE(correlate("again"));
  EXPECT_FALSE(correlate("again"));
  EXPECT_FALSE(correlate("something else"));
  EXPECT_TRUE(correlate("again", "u-2")) << "another object";
  loop_.advance(std::chrono::minutes(4));
  EXPECT_FALSE(correlate("again"));
  loop_.advance(std::chrono::minutes(1));
  EXPECT_TRUE(correlate("again")) << "one more each five minutes";
  EXPECT_FALSE(correlate("again"));
}

TEST_F(EventCorrelatorTest, RemembersABoundedNumberOfObjects) {
  for (std::size_t i = 0; i < 3 * EventCorrelator::kMostRemembered; ++i) {
    EXPECT_TRUE(correlate("once", fmt::format("u-{}", i)));
  }
}

class EventRecorderTest : public ::testing::Test {
 protected:
  json::Document body(std::size_t i) { return *json::parse(transport_.request(i).body); }

  muster::testing::SimLoop loop_;
  FakeTransport transport_{loop_};
  ApiClient client_{transport_, ""};
  EventRecorder recorder_{loop_, client_, {.component = "muster-agent", .host = "machine"}};
};

TEST_F(EventRecorderTest, WritesWhoSaysWhatAboutWhom) {
  recorder_.record(pod(), "Normal", "Started", "Started container main");
  loop_.settle();
  ASSERT_EQ(transport_.count(), 1u);
  const json::Document event = body(0);
  EXPECT_EQ(event.string_at("involvedObject", "uid"), "u-1");
  EXPECT_EQ(event.string_at("message"), "Started container main");
  EXPECT_EQ(event.string_at("source", "host"), "machine");
  EXPECT_EQ(event.string_at("reportingComponent"), "muster-agent");
  EXPECT_EQ(event.int_at("count"), 1);
}

TEST_F(EventRecorderTest, CountsUpWhatIsReportedAgainWhileItIsWritten) {
  for (int i = 0; i < 3; ++i) recorder_.record(pod(), "Normal", "Started", "Started container main");
  loop_.settle();
  ASSERT_EQ(transport_.count(), 1u) << "one create for all three";
  transport_.reply(0, 201, "{}");
  loop_.settle();
  ASSERT_EQ(transport_.count(), 2u);
  transport_.reply(1, 200, R"({"metadata":{"resourceVersion":"7"},"count":1})");
  loop_.settle();
  ASSERT_EQ(transport_.count(), 3u);
  EXPECT_EQ(transport_.request(2).method, "PATCH");
  EXPECT_EQ(body(2).int_at("count"), 3);
  EXPECT_EQ(body(2).string_at("metadata", "resourceVersion"), "7");
}

TEST_F(EventRecorderTest, ARepeatOfAnEventThatItHasWrittenIsNoCreate) {
  recorder_.record(pod(), "Normal", "Started", "Started container main");
  loop_.settle();
  transport_.reply(0, 201, "{}");
  loop_.settle();
  recorder_.record(pod(), "Normal", "Started", "Started container main");
  loop_.settle();
  ASSERT_EQ(transport_.count(), 2u);
  EXPECT_EQ(transport_.request(1).method, "GET");
  transport_.reply(1, 404, R"({"kind":"Status","reason":"NotFound"})");
  loop_.settle();
  ASSERT_EQ(transport_.count(), 3u) << "the server has forgotten it";
  EXPECT_EQ(transport_.request(2).method, "POST");
}

TEST_F(EventRecorderTest, TellsWhatTheServerRefuses) {
  std::vector<std::string> refused;
  recorder_.on_refused(
      [&](const std::string& ns, const Error& error) { refused.push_back(ns + ": " + error.message); });
  recorder_.record(pod(), "Normal", "Started", "Started container main");
  loop_.settle();
  transport_.reply(0, 403, R"({"kind":"Status","reason":"Forbidden","message":"it is being terminated"})");
  loop_.settle();
  EXPECT_EQ(refused, std::vector<std::string>{"default: it is being terminated"});
}

TEST_F(EventRecorderTest, TheCombinedEventHasTheNewestMessage) {
  for (int i = 1; i <= 11; ++i) recorder_.record(pod(), "Warning", "Failed", fmt::format("attempt {}", i));
  loop_.settle();
  ASSERT_EQ(transport_.count(), 10u) << "nine of their own and one combined";
  transport_.reply(9, 201, "{}");
  loop_.settle();
  transport_.reply(10, 200, R"({"metadata":{"resourceVersion":"7"},"count":1})");
  loop_.settle();
  EXPECT_EQ(body(11).string_at("message"), "(combined from similar events): attempt 11");
  EXPECT_EQ(body(11).int_at("count"), 2);
}

TEST_F(EventRecorderTest, CutsLongMessages) {
  recorder_.record(pod(), "Warning", "Failed", std::string(5000, 'x'));
  loop_.settle();
  EXPECT_EQ(body(0).string_at("message").size(), EventRecorder::kLongestMessage);
  std::string accents = "x";
  for (int i = 0; i < 1000; ++i) accents += "é";
  recorder_.record(pod(), "Warning", "Failed", accents);
  loop_.settle();
  EXPECT_EQ(body(1).string_at("message").size(), EventRecorder::kLongestMessage - 1) << "no half character at the end";
}

}  // namespace
}  // namespace muster::client
