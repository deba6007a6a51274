#include "client/informer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_transport.h"
#include "testing/seeded_rng.h"
#include "testing/sim_loop.h"

namespace muster::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;

std::string pod(const std::string& name, int version, const std::string& uid = "u") {
  return R"({"metadata":{"namespace":"ns","name":")" + name + R"(","uid":")" + uid + R"(","resourceVersion":")" +
         std::to_string(version) + "\"}}";
}

std::string list_of(const std::vector<std::string>& items, int version, const std::string& token = "") {
  std::string joined;
  for (const std::string& item : items) joined += (joined.empty() ? "" : ",") + item;
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" + std::to_string(version) +
         R"(","continue":")" + token + R"("},"items":[)" + joined + "]}";
}

std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

const std::string kExpiredEvent =
    R"({"type":"ERROR","object":{"kind":"Status","reason":"Expired","code":410,"message":"old"}})"
    "\n";

const std::string kInitialEnd =
    R"({"metadata":{"resourceVersion":"5","annotations":{"k8s.io/initial-events-end":"true"}}})";

class InformerTest : public ::testing::Test {
 protected:
  void make(const ListOptions& selector = {}, const std::optional<Informer::TextOnly>& text_only = {}) {
    informer_ = std::make_unique<Informer>(
        loop_, rng_, client_, ResourceName{"", "v1", "pods"}, selector,
        [this](const Informer::Key& key, const json::Document* before, const json::Document* now) {
          const auto version = [](const json::Document* d) {
            return d == nullptr ? std::string("-") : d->string_at("metadata", "resourceVersion");
          };
          changes_.push_back(key.second + " " + version(before) + ">" + version(now));
          seen_sizes_.push_back(informer_->cache().size());
          if (changes_.size() == destroy_after_) informer_.reset();
        },
        text_only);
    informer_->start();
  }
  /// Starts the informer, answers the first list and leaves it watching: requests 0 and 1.
  void make_synced(const std::vector<std::string>& items = {pod("a", 1), pod("b", 2)}, int version = 5) {
    make();
    answer(200, list_of(items, version));
    transport_.head(last(), 200);
    loop_.settle();
    changes_.clear();
  }
  std::size_t last() const { return transport_.count() - 1; }
  const std::string& target() const { return transport_.request(last()).target; }
  void answer(int status, const std::string& body) {
    transport_.reply(last(), status, body);
    loop_.settle();
  }
  void send(const std::string& bytes) {
    transport_.data(last(), bytes);
    loop_.settle();
  }
  void end(Status status = ok()) {
    transport_.end(last(), std::move(status));
    loop_.settle();
  }
  std::vector<std::string> take() { return std::exchange(changes_, {}); }

  testing::SimLoop loop_;
  testing::SeededRng rng_{7};
  FakeTransport transport_{loop_};
  ApiClient client_{transport_, ""};
  std::unique_ptr<Informer> informer_;
  std::vector<std::string> changes_;
  std::vector<std::size_t> seen_sizes_;
  std::size_t destroy_after_ = 0;
};

TEST_F(InformerTest, ListsThenWatchesFromThatRevision) {
  make({.label_selector = "job=x"});
  bool told = false;
  informer_->when_synced([&] { told = true; });
  EXPECT_EQ(target(), "/api/v1/pods?labelSelector=job%3Dx&limit=500");
  loop_.settle();
  EXPECT_FALSE(informer_->synced());
  answer(200, list_of({pod("a", 3), pod("b", 4)}, 5));
  EXPECT_TRUE(informer_->synced());
  EXPECT_TRUE(told);
  EXPECT_THAT(take(), ElementsAre("a ->3", "b ->4"));
  EXPECT_THAT(seen_sizes_, ElementsAre(2, 2)) << "the view is whole before anyone is told";
  EXPECT_THAT(target(), HasSubstr("/api/v1/pods?watch=true&allowWatchBookmarks=true&labelSelector=job%3Dx"
                                  "&resourceVersion=5&timeoutSeconds="));
  const int timeout = std::stoi(target().substr(target().rfind('=') + 1));
  EXPECT_THAT(timeout, AllOf(Ge(300), Le(600)));
  bool late = false;
  informer_->when_synced([&] { late = true; });
  EXPECT_FALSE(late);
  loop_.settle();
  EXPECT_TRUE(late);
}

TEST_F(InformerTest, TextComesAsTheFirstEventsOfAWatch) {
  make({}, Informer::TextOnly{{"status"}});
  EXPECT_THAT(target(), HasSubstr("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"));
  transport_.head(last(), 200);
  send(event("ADDED", pod("a", 3)) + event("ADDED", pod("b", 4)));
  EXPECT_FALSE(informer_->synced());
  EXPECT_THAT(take(), IsEmpty()) << "a part of the list is not a view";
  send(event("BOOKMARK", kInitialEnd));
  EXPECT_TRUE(informer_->synced());
  EXPECT_THAT(take(), ElementsAre("a ->3", "b ->4"));
  send(event("MODIFIED", pod("a", 6)) + event("DELETED", pod("b", 7)));
  EXPECT_THAT(take(), ElementsAre("a ->6", "b 4>-")) << "who was deleted is told; what changed was not kept";
  EXPECT_EQ(informer_->find("ns", "a")->string_at("metadata", "resourceVersion"), "6");
  EXPECT_EQ(informer_->cache().begin()->second.document, nullptr);
}

TEST_F(InformerTest, GlancesAtTextOfThisProcess) {
  make({}, Informer::TextOnly{{"status"}});
  transport_.head(last(), 200);
  const std::string text =
      R"({"metadata":{"name":"a","namespace":"ns","uid":"u","resourceVersion":"3"},"spec":{"x":1}})";
  transport_.shared_event(last(), "ADDED", text);
  send(event("BOOKMARK", kInitialEnd));
  EXPECT_THAT(take(), ElementsAre("a ->3"));
  EXPECT_EQ(informer_->find("ns", "a")->int_at("spec", "x"), 1) << "all of it is there";
}

TEST_F(InformerTest, TextThatCannotBeParsedCountsAsAbsent) {
  make({}, Informer::TextOnly{{"status"}});
  transport_.head(last(), 200);
  const std::string deep = std::string(json::kMaxDepth + 1, '[') + std::string(json::kMaxDepth + 1, ']');
  transport_.shared_event(
      last(), "ADDED",
      R"({"metadata":{"name":"a","namespace":"ns","uid":"u","resourceVersion":"3"},"spec":)" + deep + "}");
  send(event("BOOKMARK", kInitialEnd));
  EXPECT_THAT(take(), ElementsAre("a ->3"));
  EXPECT_EQ(informer_->find("ns", "a"), nullptr);
}

TEST_F(InformerTest, ListsWhereAServerSendsNoInitialEvents) {
  make({}, Informer::TextOnly{{"status"}});
  answer(422, R"({"kind":"Status","reason":"Invalid","code":422,"message":"sendInitialEvents is forbidden"})");
  EXPECT_EQ(target(), "/api/v1/pods?limit=500");
  answer(200, list_of({pod("a", 3)}, 5));
  EXPECT_THAT(take(), ElementsAre("a ->3"));
  EXPECT_THAT(target(), HasSubstr("resourceVersion=5"));
}

TEST_F(InformerTest, ItemsGetTheKindTheListLeavesOut) {
  make_synced({pod("a", 1)});
  const auto a = informer_->find("ns", "a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->string_at("kind"), "Pod");
  EXPECT_EQ(a->string_at("apiVersion"), "v1");
  EXPECT_EQ(informer_->find("ns", "b"), nullptr);
  EXPECT_EQ(informer_->find("other", "a"), nullptr);
}

TEST_F(InformerTest, EventsUpdateTheCopy) {
  make_synced();
  send(event("ADDED", pod("c", 6)) + event("MODIFIED", pod("a", 7)) + event("DELETED", pod("b", 8)));
  EXPECT_THAT(take(), ElementsAre("c ->6", "a 1>7", "b 2>-"));
  EXPECT_EQ(informer_->cache().size(), 2U);
  EXPECT_EQ(informer_->find("ns", "a")->string_at("metadata", "resourceVersion"), "7");
}

TEST_F(InformerTest, RepeatedAndUnknownEventsChangeNothing) {
  make_synced();
  send(event("ADDED", pod("a", 1)) + event("DELETED", pod("x", 9)) +
       event("BOOKMARK", R"({"kind":"Pod","metadata":{"resourceVersion":"40"}})"));
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_EQ(informer_->cache().size(), 2U);
}

TEST_F(InformerTest, ObjectMadeAgainUnderItsNameIsADeleteAndACreate) {
  make_synced();
  send(event("ADDED", pod("a", 9, "u2")));
  EXPECT_THAT(take(), ElementsAre("a 1>-", "a ->9"));
}

TEST_F(InformerTest, WatchesAgainFromTheLastRevisionWhenTheStreamEnds) {
  make_synced();
  send(event("ADDED", pod("c", 6)) + event("BOOKMARK", R"({"metadata":{"resourceVersion":"40"}})"));
  loop_.advance(seconds(400));
  const std::size_t before = transport_.count();
  end();
  ASSERT_EQ(transport_.count(), before + 1) << "at once: it was a good watch";
  EXPECT_THAT(target(), HasSubstr("watch=true"));
  EXPECT_THAT(target(), HasSubstr("resourceVersion=40&"));
  EXPECT_TRUE(informer_->synced());
}

TEST_F(InformerTest, ServerThatEndsWatchesAtOnceIsNotRetriedInATightLoop) {
  make_synced();
  end();
  const std::size_t before = transport_.count();
  loop_.advance(milliseconds(70));
  EXPECT_EQ(transport_.count(), before);
  loop_.advance(milliseconds(60));
  EXPECT_EQ(transport_.count(), before + 1);
}

TEST_F(InformerTest, ExpiredListsAgainAndReportsTheDifference) {
  make_synced({pod("a", 1), pod("b", 2), pod("c", 3), pod("d", 4, "old")}, 5);
  loop_.advance(seconds(10));
  send(kExpiredEvent);
  EXPECT_EQ(target(), "/api/v1/pods?limit=500");
  EXPECT_EQ(informer_->cache().size(), 4U) << "the old view stands until the new one is whole";
  EXPECT_TRUE(informer_->synced());
  seen_sizes_.clear();
  answer(200, list_of({pod("a", 1), pod("c", 9), pod("d", 10, "new"), pod("e", 11)}, 20));
  EXPECT_THAT(take(), ElementsAre("b 2>-", "c 3>9", "d 4>-", "d ->10", "e ->11"));
  EXPECT_THAT(seen_sizes_, ElementsAre(4, 4, 4, 4, 4));
  EXPECT_THAT(target(), HasSubstr("resourceVersion=20&"));
}

TEST_F(InformerTest, ExpiredAgainAndAgainWaits) {
  make_synced();
  loop_.advance(seconds(10));
  send(kExpiredEvent);
  answer(200, list_of({}, 30));
  transport_.head(last(), 200);
  send(kExpiredEvent);
  const std::size_t before = transport_.count();
  loop_.advance(milliseconds(149));
  EXPECT_EQ(transport_.count(), before);
  loop_.advance(milliseconds(101));
  EXPECT_EQ(transport_.count(), before + 1);
  EXPECT_EQ(target(), "/api/v1/pods?limit=500");
}

TEST_F(InformerTest, PagesAreShownOnlyTogether) {
  make();
  answer(200, list_of({pod("a", 1)}, 5, "next"));
  EXPECT_FALSE(informer_->synced());
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_TRUE(informer_->cache().empty());
  EXPECT_EQ(target(), "/api/v1/pods?limit=500&continue=next");
  answer(200, list_of({pod("b", 2)}, 5));
  EXPECT_THAT(take(), ElementsAre("a ->1", "b ->2"));
}

TEST_F(InformerTest, PagesThatExpireMidwayStartOver) {
  make();
  answer(200, list_of({pod("a", 1)}, 5, "next"));
  answer(410, R"({"kind":"Status","reason":"Expired","code":410,"message":"continue token expired"})");
  EXPECT_FALSE(informer_->synced());
  loop_.advance(milliseconds(150));
  EXPECT_EQ(target(), "/api/v1/pods?limit=500");
  answer(200, list_of({pod("b", 2)}, 6));
  EXPECT_THAT(take(), ElementsAre("b ->2")) << "nothing of the first attempt";
}

TEST_F(InformerTest, WaitsLongerWithEachFailureUpToTenSeconds) {
  make();
  std::int64_t expected_ms = 100;
  for (int i = 0; i < 12; ++i) {
    const std::size_t before = transport_.count();
    answer(500, "broken");
    ASSERT_EQ(transport_.count(), before);
    const Duration wait = loop_.until_next_timer();
    EXPECT_GE(wait, milliseconds(expected_ms * 3 / 4)) << "failure " << i;
    EXPECT_LE(wait, milliseconds(expected_ms * 5 / 4)) << "failure " << i;
    loop_.advance(wait);
    ASSERT_EQ(transport_.count(), before + 1);
    expected_ms = std::min<std::int64_t>(expected_ms * 2, 10'000);
  }
  answer(200, list_of({}, 1));
  EXPECT_TRUE(informer_->synced());
  loop_.advance(seconds(5));  // a watch that lasts resets the failures
  end(Error{.reason = Reason::kServiceUnavailable, .message = "connection lost"});
  EXPECT_LE(loop_.until_next_timer(), milliseconds(125));
}

TEST_F(InformerTest, WaitsAsLongAsTheServerAsks) {
  make();
  transport_.reply(0, 429, "slow down", {{"Retry-After", "7"}});
  loop_.settle();
  EXPECT_GE(loop_.until_next_timer(), seconds(7));
  EXPECT_LT(loop_.until_next_timer(), milliseconds(8750)) << "spread by a quarter at most";
}

TEST_F(InformerTest, WatchThatIsRefusedWaitsAsLongAsTheServerAsks) {
  make_synced();
  const std::size_t before = transport_.count();
  transport_.reply(last(), 429, "slow down", {{"Retry-After", "7"}});
  loop_.advance(milliseconds(6999));
  EXPECT_EQ(transport_.count(), before);
  loop_.advance(milliseconds(1751));
  EXPECT_EQ(transport_.count(), before + 1);
  EXPECT_THAT(target(), AllOf(HasSubstr("watch=true"), HasSubstr("resourceVersion=5&"))) << "and continues from there";
}

TEST_F(InformerTest, LostConnectionResumesWithoutListing) {
  make_synced();
  send(event("ADDED", pod("c", 6)));
  take();
  end(Error{.reason = Reason::kServiceUnavailable, .message = "connection lost"});
  EXPECT_TRUE(informer_->synced());
  EXPECT_EQ(informer_->cache().size(), 3U);
  loop_.advance(milliseconds(130));
  EXPECT_THAT(target(), AllOf(HasSubstr("watch=true"), HasSubstr("resourceVersion=6&")));
}

TEST_F(InformerTest, DestroyedInformerIsSilent) {
  make_synced();
  informer_.reset();
  EXPECT_TRUE(transport_.cancelled(last()));
  send(event("ADDED", pod("c", 6)));
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_EQ(loop_.timers(), 0U);
}

TEST_F(InformerTest, MayBeDestroyedByItsOwnCallback) {
  destroy_after_ = 1;
  make();
  answer(200, list_of({pod("a", 1), pod("b", 2)}, 5));
  EXPECT_THAT(take(), ElementsAre("a ->1"));
  EXPECT_EQ(transport_.count(), 1U) << "and does not watch any more";
}

TEST_F(InformerTest, DestroyedWhileWaitingLeavesNoTimer) {
  make();
  answer(500, "");
  EXPECT_EQ(loop_.timers(), 1U);
  informer_.reset();
  EXPECT_EQ(loop_.timers(), 0U);
}

}  // namespace
}  // namespace muster::client
