#include "apiserver/watch/watch.h"

#include <gmock/gmock.h>

#include "testing/engine_fixture.h"

namespace muster::apiserver {
namespace {

using ::testing::HasSubstr;

using ::testing::Not;

const std::string kWatch = std::string(kConfigMaps) + "?watch=true";
constexpr const char* kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";

std::string config_map(const std::string& name) {
  return R"({"metadata":{"name":")" + name + R"("}})";
}

std::size_t times(const std::string& part, const std::string& text) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_F(Engine, WatchersOfOneChoiceShareTheirBytes) {
  const auto a = start("GET", kWatch);
  const auto b = start("GET", kWatch);
  const auto other = start("GET", "/api/v1/configmaps?watch=true&labelSelector=!none");
  call("POST", kConfigMaps, config_map("c"));
  loop_.settle();
  ASSERT_EQ(a->written.size(), 1u);
  ASSERT_EQ(b->written.size(), 1u);
  EXPECT_EQ(a->written[0].get(), b->written[0].get());
  EXPECT_EQ(other->body, a->body);
}

TEST_F(Engine, WhatThereIsComesAtTheSpeedOfItsReader) {
  for (int i = 0; i < 600; ++i) call("POST", kConfigMaps, config_map("c" + std::to_string(i)));
  const auto watch = start("GET", kWatch);
  watch->backlog = (1u << 20) + 1;
  loop_.advance(std::chrono::seconds(10));
  const std::size_t slices = watch->written.size();
  EXPECT_LE(slices, 500u);
  watch->read_until(1u << 20);
  loop_.settle();
  EXPECT_EQ(watch->written.size(), 600u);
  EXPECT_FALSE(watch->aborted);
  // A watcher that disconnects meanwhile is forgotten.
  const auto gone = start("GET", kWatch);
  gone->backlog = (1u << 20) + 1;
  loop_.settle();
  gone->gone();
  gone->read_until(0);
  loop_.advance(std::chrono::seconds(10));
  EXPECT_LE(gone->written.size(), 500u);
}

TEST_F(Engine, AWatchBeginsWithWhatThereWasAndGoesOnFromThere) {
  for (int i = 0; i < 600; ++i) call("POST", kConfigMaps, config_map("c" + std::to_string(i)));
  const auto slow = start("GET", kWatch);
  const auto other = start("GET", kWatch);
  slow->backlog = (1u << 20) + 1;
  loop_.settle();
  call("DELETE", std::string(kConfigMaps) + "/c0");
  call("DELETE", std::string(kConfigMaps) + "/c599");
  call("POST", kConfigMaps, config_map("new"));
  const auto later = start("GET", kWatch);
  loop_.settle();
  EXPECT_EQ(times(R"({"type":"DELETED")", slow->body), 1u) << "of an object that it was told of";
  slow->read_until(0);
  loop_.advance(std::chrono::milliseconds(4));
  EXPECT_EQ(times(R"({"type":"ADDED")", other->body), 601u);
  EXPECT_EQ(times(R"({"type":"DELETED")", other->body), 2u);
  EXPECT_LT(other->body.rfind(R"("name":"c6")"), other->body.find(R"({"type":"DELETED")"));
  EXPECT_LT(other->body.find(R"({"type":"DELETED")"), other->body.find(R"("name":"new")"));
  EXPECT_EQ(times(R"({"type":"ADDED")", slow->body), 600u) << "what is gone before its turn is never told";
  EXPECT_EQ(times(R"({"type":"DELETED")", slow->body), 1u);
  EXPECT_THAT(slow->body, Not(HasSubstr(R"("name":"c599")")));
  EXPECT_EQ(times(R"("name":"new")", slow->body), 1u);
  EXPECT_EQ(times(R"({"type":)", later->body), 599u);
  EXPECT_THAT(later->body, Not(HasSubstr(R"("name":"c599")")));
}

TEST_F(Engine, ChangesDuringTheInitialEventsAreToldOnce) {
  for (int i = 0; i < 600; ++i) call("POST", kConfigMaps, config_map("c" + std::to_string(i)));
  const auto slow = start("GET", kWatch +
                                     "&allowWatchBookmarks=true&sendInitialEvents=true"
                                     "&resourceVersionMatch=NotOlderThan");
  slow->backlog = (1u << 20) + 1;
  loop_.settle();
  for (const char* name : {"/c1", "/c99"}) call("PATCH", std::string(kConfigMaps) + name, R"({"data":{"a":"b"}})");
  EXPECT_EQ(times(R"({"type":"MODIFIED")", slow->body), 1u);
  slow->read_until(0);
  loop_.settle();
  call("PATCH", std::string(kConfigMaps) + "/c99", R"({"data":{"a":"c"}})");
  loop_.advance(std::chrono::milliseconds(4));
  EXPECT_EQ(times(R"({"type":"ADDED")", slow->body), 600u);
  EXPECT_EQ(times(R"({"type":"MODIFIED")", slow->body), 2u);
  EXPECT_LT(slow->body.rfind(R"({"type":"ADDED")"), slow->body.find(R"({"type":"BOOKMARK")"));
  EXPECT_LT(slow->body.find(R"({"type":"BOOKMARK")"), slow->body.rfind(R"({"type":"MODIFIED")"));
}

const std::string kText = R"(,"data":{"text":")" + std::string(900'000, 'x') + R"("}})";
std::string large_map(int i) {
  return R"({"metadata":{"name":"c)" + std::to_string(i) + "\"}" + kText;
}

TEST_F(Engine, ASliceIsBoundedByItsBytes) {
  for (int i = 0; i < 8; ++i) call("POST", kConfigMaps, large_map(i));
  const auto watch = start("GET", kWatch);
  watch->backlog = (1u << 20) + 1;
  loop_.advance(std::chrono::seconds(10));
  EXPECT_EQ(watch->written.size(), 1u);
  watch->read_until(1u << 20);
  loop_.settle();
  EXPECT_EQ(watch->written.size(), 8u);
}

TEST_F(Engine, TheHistoryComesAtTheSpeedOfItsReader) {
  const std::string from = "&resourceVersion=" + std::to_string(store_->revision());
  for (int i = 0; i < 6; ++i) call("POST", kConfigMaps, large_map(i));
  const auto watch = start("GET", kWatch + from);
  watch->backlog = (1u << 20) + 1;
  loop_.advance(std::chrono::seconds(10));
  EXPECT_EQ(watch->written.size(), 1u);
  watch->read_until(0);
  loop_.settle();
  EXPECT_EQ(watch->written.size(), 6u);
  EXPECT_FALSE(watch->aborted);
}

TEST_F(Engine, TheWatchesOfAnAccountHoldABoundedAmountTogether) {
  for (int i = 0; i < 4; ++i) call("POST", kConfigMaps, large_map(i));
  std::vector<std::shared_ptr<Recorder>> watches;
  for (int i = 0; i < 100; ++i) watches.push_back(start("GET", kWatch + "&labelSelector=a!=" + std::to_string(i)));
  loop_.advance(std::chrono::seconds(1));
  const auto held = [&] {
    std::size_t bytes = 0;
    for (const auto& watch : watches) {
      for (const net::Bytes& piece : watch->written) bytes += piece->size();
    }
    return bytes;
  };
  EXPECT_GT(held(), 60u << 20);
  EXPECT_LT(held(), 66u << 20);
  // All get everything as they read, and each line is sent once.
  std::vector<std::size_t> told(watches.size());
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < watches.size(); ++i) {
      told[i] += watches[i]->written.size();
      watches[i]->written.clear();
    }
    loop_.settle();
    EXPECT_LT(held(), 66u << 20);
  }
  EXPECT_THAT(told, ::testing::Each(4u));
}

TEST_F(Engine, EventsAreToldAtTheEndOfATurn) {
  const auto watch = start("GET", kWatch);
  const auto made = start("POST", kConfigMaps, config_map("a"));
  made->on_response = [&] { EXPECT_EQ(watch->written.size(), 0u); };
  until([&] { return made->ended; });
  loop_.settle();
  EXPECT_EQ(watch->written.size(), 1u);
}

TEST_F(Engine, EventsThatFollowEachOtherAreGathered) {
  const auto watch = start("GET", kWatch);
  call("POST", kConfigMaps, config_map("a"));
  loop_.settle();
  EXPECT_EQ(watch->written.size(), 1u) << "the first comes at once";
  call("POST", kConfigMaps, config_map("b"));
  call("POST", kConfigMaps, config_map("c"));
  loop_.settle();
  EXPECT_EQ(watch->written.size(), 1u);
  loop_.advance(std::chrono::milliseconds(4));
  ASSERT_EQ(watch->written.size(), 2u);
  EXPECT_THAT(*watch->written[1], HasSubstr(R"("name":"c")"));
  loop_.advance(std::chrono::milliseconds(4));
  call("POST", kConfigMaps, config_map("d"));
  loop_.settle();
  EXPECT_EQ(watch->written.size(), 3u) << "after a pause too";
}

TEST_F(Engine, AWatcherThatComesInTheMiddleOfATurnIsToldOnce) {
  const auto early = start("GET", kWatch);
  const std::string before = std::to_string(store_->revision());
  std::shared_ptr<Recorder> resumed;
  std::shared_ptr<Recorder> fresh;
  const auto made = start("POST", kConfigMaps, config_map("a"));
  made->on_response = [&] {
    resumed = start("GET", kWatch + "&resourceVersion=" + before);
    fresh = start("GET", kWatch);
  };
  until([&] { return made->ended; });
  call("POST", kConfigMaps, config_map("b"));
  loop_.advance(std::chrono::milliseconds(4));
  for (const auto& watch : {early, resumed, fresh}) {
    EXPECT_EQ(times(R"("name":"a")", watch->body), 1u) << watch->body;
    EXPECT_EQ(times(R"("name":"b")", watch->body), 1u) << watch->body;
    EXPECT_LT(watch->body.find(R"("name":"a")"), watch->body.find(R"("name":"b")"));
  }
}

TEST_F(Engine, AWatcherMayComeWhenAllOthersTurnOutTooSlow) {
  const auto slow = start("GET", kWatch);
  std::shared_ptr<Recorder> quick;
  const auto made = start("POST", kConfigMaps, config_map("a"));
  made->on_response = [&] {
    slow->backlog = (8u << 20) + 1;
    quick = start("GET", kWatch);
  };
  until([&] { return made->ended; });
  call("POST", kConfigMaps, config_map("b"));
  loop_.settle();
  EXPECT_TRUE(slow->aborted);
  EXPECT_EQ(times(R"("name":"a")", quick->body), 1u);
  EXPECT_EQ(times(R"("name":"b")", quick->body), 1u);
}

TEST_F(Engine, EveryTableWatchNamesItsColumnsOnce) {
  const std::string now = "&resourceVersion=" + std::to_string(store_->revision());
  const auto a = start("GET", kWatch + now, "", kTable);
  const auto b = start("GET", kWatch + now, "", kTable);
  call("POST", kConfigMaps, config_map("x"));
  loop_.settle();
  const auto late = start("GET", kWatch + "&resourceVersion=" + std::to_string(store_->revision()), "", kTable);
  call("POST", kConfigMaps, config_map("y"));
  loop_.advance(std::chrono::milliseconds(4));
  for (const auto& watch : {a, b, late}) {
    EXPECT_EQ(times(R"("columnDefinitions":[)", watch->body), 1u) << watch->body;
    EXPECT_EQ(times(R"("type":"ADDED")", watch->body), watch == late ? 1u : 2u);
  }
}

TEST_F(Engine, AWatchOfARevisionToComeIsToldWhatComesAfterIt) {
  until([&] { return store_->count("serviceaccounts") == 3; });  // the last objects that a start writes
  const auto watch = start("GET", kWatch + "&resourceVersion=" + std::to_string(store_->revision() + 1));
  call("POST", kConfigMaps, config_map("a"));
  call("POST", kConfigMaps, config_map("b"));
  loop_.settle();
  EXPECT_THAT(watch->body, Not(HasSubstr(R"("name":"a")")));
  EXPECT_THAT(watch->body, HasSubstr(R"("name":"b")"));
}

TEST_F(Engine, ABookmarkComesAfterWhatItCovers) {
  const auto watch = start("GET", kWatch + "&allowWatchBookmarks=true&timeoutSeconds=30");
  const auto made = start("POST", kConfigMaps, config_map("a"));
  made->on_response = [&] { loop_.advance(std::chrono::seconds(31)); };  // the watch ends before the turn does
  until([&] { return made->ended; });
  loop_.settle();
  EXPECT_TRUE(watch->ended);
  EXPECT_LT(watch->body.find(R"("type":"ADDED")"), watch->body.find(R"("type":"BOOKMARK")")) << watch->body;
}

TEST_F(Engine, SlowWatchersAreCutOff) {
  const auto slow = start("GET", std::string(kConfigMaps) + "?watch=true");
  const auto quick = start("GET", std::string(kConfigMaps) + "?watch=true");
  slow->backlog = (8u << 20) + 1;
  call("POST", kConfigMaps, R"({"metadata":{"name":"a"}})");
  loop_.settle();
  call("POST", kConfigMaps, R"({"metadata":{"name":"b"}})");
  loop_.advance(std::chrono::milliseconds(4));
  EXPECT_TRUE(slow->aborted);
  EXPECT_EQ(slow->written.size(), 0u);
  EXPECT_EQ(quick->written.size(), 2u);
}

TEST_F(Engine, BookmarksComeEveryMinuteAndAtTheEnd) {
  const auto watch = start("GET", std::string(kConfigMaps) + "?watch=true&allowWatchBookmarks=true&timeoutSeconds=90");
  const auto silent = start("GET", std::string(kConfigMaps) + "?watch=true&timeoutSeconds=90");
  loop_.advance(std::chrono::seconds(61));
  ASSERT_EQ(watch->written.size(), 1u);
  EXPECT_THAT(*watch->written[0], HasSubstr(R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1")"));
  EXPECT_FALSE(watch->ended);
  loop_.advance(std::chrono::seconds(30));
  EXPECT_EQ(watch->written.size(), 2u);
  EXPECT_TRUE(watch->ended);
  EXPECT_EQ(silent->body, "");
  EXPECT_TRUE(silent->ended);
}

TEST_F(Engine, AWatcherThatWentIsForgotten) {
  const auto watch = start("GET", std::string(kConfigMaps) + "?watch=true");
  watch->gone();
  call("POST", kConfigMaps, R"({"metadata":{"name":"c"}})");
  loop_.settle();
  EXPECT_EQ(watch->written.size(), 0u);
}

}  // namespace
}  // namespace muster::apiserver
