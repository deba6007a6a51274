#include "base/strings.h"
#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::HasSubstr;

TEST_P(ApiContract, WatchTellsChangesInOrder) {
  const Answer list = get(core("configmaps"));
  const auto tail = watch(core("configmaps") + "?watch=true&resourceVersion=" + list.version());
  EXPECT_EQ(tail->code(), 200);  // the head arrives before any event
  const Answer made = post(core("configmaps"), config_map("c"));
  const Answer changed = patch(core("configmaps/c"), R"({"data":{"a":"2"}})");
  ASSERT_EQ(remove(core("configmaps/c")).code, 200);
  WatchEvent event = tail->next();
  EXPECT_EQ(event.type, "ADDED");
  EXPECT_EQ(event.object, made.body);
  event = tail->next();
  EXPECT_EQ(event.type, "MODIFIED");
  EXPECT_EQ(event.object, changed.body);
  event = tail->next();
  EXPECT_EQ(event.type, "DELETED");
  EXPECT_EQ(event.object.string_at("data", "a"), "2");
  EXPECT_GT(parse_int(event.object.string_at("metadata", "resourceVersion")), parse_int(changed.version()));
}

TEST_P(ApiContract, WatchInThePath) {
  const Answer list = get(core("configmaps"));
  const auto tail = watch("/api/v1/watch/namespaces/" + ns_ + "/configmaps?resourceVersion=" + list.version());
  const Answer made = post(core("configmaps"), config_map("a"));
  const WatchEvent event = tail->next();
  EXPECT_EQ(event.type, "ADDED");
  EXPECT_EQ(event.object, made.body);
  EXPECT_EQ(post("/api/v1/watch/namespaces/" + ns_ + "/configmaps", config_map("b")).code, 405);
}

TEST_P(ApiContract, WatchWithoutARevisionBeginsWithWhatThereIs) {
  ASSERT_EQ(post(core("configmaps"), config_map("a")).code, 201);
  for (const char* start : {"", "&resourceVersion=0", "&resourceVersion="}) {
    // With "0" a server may answer from a cache that lags a moment behind; a list beforehand brings it up to date.
    get(core("configmaps"));
    const auto tail = watch(core("configmaps") + "?watch=true" + start);
    const WatchEvent event = tail->next();
    EXPECT_EQ(event.type, "ADDED");
    EXPECT_EQ(event.name(), "a");
  }
}

TEST_P(ApiContract, WatchResumesWithoutAGap) {
  const Answer a = post(core("configmaps"), config_map("a"));
  const Answer b = post(core("configmaps"), config_map("b"));
  const Answer c = post(core("configmaps"), config_map("c"));
  const auto tail = watch(core("configmaps") + "?watch=1&resourceVersion=" + a.version());
  EXPECT_EQ(tail->next().name(), "b");
  EXPECT_EQ(tail->next().name(), "c");
}

TEST_P(ApiContract, WatchTurnsSelectorTransitionsIntoAddsAndDeletes) {
  const Answer list = get(core("configmaps"));
  const auto tail = watch(core("configmaps") + "?watch=true&labelSelector=x%3D1&resourceVersion=" + list.version());
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  ASSERT_EQ(patch(core("configmaps/c"), R"({"metadata":{"labels":{"x":"1"}}})").code, 200);
  ASSERT_EQ(patch(core("configmaps/c"), R"({"data":{"a":"2"}})").code, 200);
  const Answer left = patch(core("configmaps/c"), R"({"metadata":{"labels":{"x":"2"}}})");
  ASSERT_EQ(patch(core("configmaps/c"), R"({"data":{"a":"3"}})").code, 200);
  ASSERT_EQ(patch(core("configmaps/c"), R"({"metadata":{"labels":{"x":"1"}}})").code, 200);
  EXPECT_EQ(tail->next().type, "ADDED");
  EXPECT_EQ(tail->next().type, "MODIFIED");
  const WatchEvent gone = tail->next();
  EXPECT_EQ(gone.type, "DELETED");
  EXPECT_EQ(gone.object.string_at("metadata", "resourceVersion"), left.version());
  EXPECT_EQ(tail->next().type, "ADDED");
}

TEST_P(ApiContract, WatchByFieldSelector) {
  ASSERT_EQ(post(core("pods"), pod("p")).code, 201);
  const Answer list = get(core("pods"));
  const auto tail =
      watch(core("pods") + "?watch=true&fieldSelector=status.phase%3DRunning&resourceVersion=" + list.version());
  ASSERT_EQ(patch(core("pods/p/status"), R"({"status":{"phase":"Running"}})").code, 200);
  ASSERT_EQ(patch(core("pods/p/status"), R"({"status":{"phase":"Failed"}})").code, 200);
  EXPECT_EQ(tail->next().type, "ADDED");
  EXPECT_EQ(tail->next().type, "DELETED");
}

TEST_P(ApiContract, WatchOfOneObjectByName) {
  const Answer list = get(core("configmaps"));
  const auto tail =
      watch(core("configmaps") + "?watch=true&fieldSelector=metadata.name%3Dc&resourceVersion=" + list.version());
  ASSERT_EQ(post(core("configmaps"), config_map("b")).code, 201);
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  EXPECT_EQ(tail->next().name(), "c");
}

TEST_P(ApiContract, WatchOverAllNamespacesSeesJobs) {
  const Answer list = get("/apis/kubeflow.org/v1/pytorchjobs");
  const auto tail = watch("/apis/kubeflow.org/v1/pytorchjobs?watch=true&fieldSelector=metadata.namespace%3D" + ns_ +
                          "&resourceVersion=" + list.version());
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  const WatchEvent event = tail->next();
  EXPECT_EQ(event.type, "ADDED");
  EXPECT_EQ(event.object.string_at("kind"), "PyTorchJob");
}

TEST_P(ApiContract, WatchEndsAfterItsTimeout) {
  const auto tail = watch(core("configmaps") + "?watch=true&timeoutSeconds=1&allowWatchBookmarks=true");
  EXPECT_EQ(tail->code(), 200);
  EXPECT_TRUE(tail->ended());
}

TEST_P(ApiContract, WatchWithInitialEventsMarksTheirEnd) {
  ASSERT_EQ(post(core("configmaps"), config_map("a")).code, 201);
  const auto tail =
      watch(core("configmaps") +
            "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  WatchEvent event = tail->next();
  EXPECT_EQ(event.type, "ADDED");
  EXPECT_EQ(event.name(), "a");
  event = tail->next();
  EXPECT_EQ(event.type, "BOOKMARK");
  EXPECT_EQ(event.object.string_at("kind"), "ConfigMap");
  EXPECT_EQ(event.object.string_at("metadata", "annotations", "k8s.io/initial-events-end"), "true");
  EXPECT_FALSE(event.object.string_at("metadata", "resourceVersion").empty());
  const Answer refused = get(core("configmaps") + "?watch=true&sendInitialEvents=true");
  EXPECT_EQ(refused.code, 422) << refused.text;
  EXPECT_EQ(refused.reason(), "Invalid");
}

TEST_P(ApiContract, WatchMayDoWithoutInitialEvents) {
  ASSERT_EQ(post(core("configmaps"), config_map("a")).code, 201);
  get(core("configmaps"));
  const auto tail =
      watch(core("configmaps") +
            "?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  ASSERT_EQ(tail->code(), 200);  // the watch has begun; what is created earlier would not be an event of it
  ASSERT_EQ(post(core("configmaps"), config_map("b")).code, 201);
  EXPECT_EQ(tail->next().name(), "b");
  // The end of initial events is reported only to clients that accept bookmarks.
  const auto plain = watch(core("configmaps") + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
  EXPECT_EQ(plain->next().name(), "a");
  EXPECT_EQ(plain->next().name(), "b");
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  const WatchEvent event = plain->next();
  EXPECT_EQ(event.type, "ADDED");
  EXPECT_EQ(event.name(), "c");
}

TEST_P(ApiContract, WatchIsOfCollectionsOnly) {
  ASSERT_EQ(post(core("configmaps"), config_map("a")).code, 201);
  const Answer got = get(core("configmaps/a?watch=true"));
  EXPECT_EQ(got.code, 200);
  EXPECT_EQ(got.body.string_at("kind"), "ConfigMap");
}

TEST_P(ApiContract, WatchOfNoTimeEndsAtOnce) {
  const auto tail = watch(core("configmaps") + "?watch=true&timeoutSeconds=-1");
  EXPECT_EQ(tail->code(), 200);
  EXPECT_TRUE(tail->ended());
}

TEST_P(ApiContract, WatchFromAForgottenRevisionIsExpired) {
  if (!is_ours()) GTEST_SKIP() << "etcd keeps five minutes of history; there is nothing old enough in a fresh one";
  forget_history();
  const auto tail = watch("/api/v1/namespaces?watch=true&resourceVersion=1");
  const WatchEvent event = tail->next();
  EXPECT_EQ(event.type, "ERROR");
  EXPECT_EQ(event.object.int_at("code"), 410);
  EXPECT_EQ(event.object.string_at("reason"), "Expired");
  EXPECT_THAT(event.object.string_at("message"), HasSubstr("too old resource version: 1 ("));
  EXPECT_TRUE(tail->ended());
  // The client can still list: there the revision only means "not older than".
  EXPECT_EQ(get("/api/v1/namespaces?resourceVersion=1").code, 200);
}

TEST_P(ApiContract, WatchAsTableNamesTheColumnsOnce) {
  ASSERT_EQ(post(core("configmaps"), config_map("a")).code, 201);
  ASSERT_EQ(post(core("configmaps"), config_map("b")).code, 201);
  get(core("configmaps"));
  const auto tail = watch(core("configmaps") + "?watch=true", "application/json;as=Table;v=v1;g=meta.k8s.io");
  const WatchEvent first = tail->next();
  EXPECT_EQ(first.object.string_at("kind"), "Table");
  EXPECT_EQ(at(first.object, "columnDefinitions", 1, "name"), Document("Data"));
  EXPECT_EQ(at(first.object, "rows", 0, "cells", 0), Document("a"));
  const WatchEvent second = tail->next();
  EXPECT_EQ(at(second.object, "columnDefinitions"), Document());
  EXPECT_EQ(at(second.object, "rows", 0, "cells", 0), Document("b"));
}

}  // namespace
}  // namespace muster::contract
