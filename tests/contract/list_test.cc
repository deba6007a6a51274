#include <algorithm>

#include "base/strings.h"
#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> names_of(const Answer& list) {
  std::vector<std::string> names;
  const Document& items = at(list.body, "items");
  if (!items.is_array()) return names;
  for (const Document& item : items.as_array()) names.push_back(item.string_at("metadata", "name"));
  return names;
}

std::vector<std::string> column_names(const Answer& table) {
  std::vector<std::string> names;
  const Document& columns = at(table.body, "columnDefinitions");
  if (!columns.is_array()) return names;
  for (const Document& column : columns.as_array()) {
    names.push_back(column.string_at("name") + (column.int_at("priority") > 0 ? "*" : ""));
  }
  return names;
}

TEST_P(ApiContract, ListIsSortedAndHasARevision) {
  for (const char* name : {"b", "c", "a"}) ASSERT_EQ(post(core("configmaps"), config_map(name)).code, 201);
  const Answer list = get(core("configmaps"));
  EXPECT_EQ(list.code, 200);
  EXPECT_EQ(list.body.string_at("kind"), "ConfigMapList");
  EXPECT_EQ(list.body.string_at("apiVersion"), "v1");
  EXPECT_TRUE(parse_int(list.version()).has_value());
  EXPECT_THAT(names_of(list), ElementsAre("a", "b", "c"));
}

TEST_P(ApiContract, AnEmptyListIsAListAndNotAnError) {
  const Answer list = get("/apis/kubeflow.org/v1/namespaces/not-there/pytorchjobs");
  EXPECT_EQ(list.code, 200);
  EXPECT_EQ(list.body.string_at("kind"), "PyTorchJobList");
  EXPECT_EQ(json::serialize(at(list.body, "items")), "[]");
}

TEST_P(ApiContract, ListOverAllNamespaces) {
  ASSERT_EQ(post(core("configmaps"), config_map("across", R"({"contract-ns":")" + ns_ + R"("})")).code, 201);
  const Answer list = get("/api/v1/configmaps?labelSelector=contract-ns%3D" + ns_);
  EXPECT_THAT(names_of(list), ElementsAre("across"));
}

TEST_P(ApiContract, LabelSelectors) {
  ASSERT_EQ(post(core("configmaps"), config_map("a", R"({"x":"1","y":"1"})")).code, 201);
  ASSERT_EQ(post(core("configmaps"), config_map("b", R"({"x":"2"})")).code, 201);
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  const auto selected = [&](const std::string& selector) {
    return names_of(get(core("configmaps") + "?labelSelector=" + net::percent_encode(selector)));
  };
  EXPECT_THAT(selected("x=1"), ElementsAre("a"));
  EXPECT_THAT(selected("x==1"), ElementsAre("a"));
  EXPECT_THAT(selected("x!=1"), ElementsAre("b", "c"));
  EXPECT_THAT(selected("x"), ElementsAre("a", "b"));
  EXPECT_THAT(selected("!x"), ElementsAre("c"));
  EXPECT_THAT(selected("x in (1,2),y"), ElementsAre("a"));
  EXPECT_THAT(selected("x notin (1)"), ElementsAre("b", "c"));
  EXPECT_THAT(selected("x>1"), ElementsAre("b"));
  EXPECT_THAT(selected("x<2"), ElementsAre("a"));
}

TEST_P(ApiContract, BrokenLabelSelectorsAreBadRequests) {
  for (const char* selector : {"a in (b", "a=b=c", "a b", "=x", "a in b"}) {
    const Answer refused = get(core("configmaps") + "?labelSelector=" + net::percent_encode(selector));
    EXPECT_EQ(refused.code, 400) << selector << ": " << refused.text;
    EXPECT_EQ(refused.reason(), "BadRequest");
    EXPECT_THAT(refused.message(), HasSubstr("found '"));
  }
}

TEST_P(ApiContract, LabelsAreComparedWithNumbersOnly) {
  for (const char* selector : {"a>b", "a<", "a>1.5"}) {
    const Answer refused = get(core("configmaps") + "?labelSelector=" + net::percent_encode(selector));
    EXPECT_EQ(refused.code, 400) << selector << ": " << refused.text;
    EXPECT_THAT(refused.message(), HasSubstr("the value must be an integer")) << selector;
  }
}

TEST_P(ApiContract, FieldSelectors) {
  ASSERT_EQ(post(core("pods"), pod("a")).code, 201);
  ASSERT_EQ(post(core("pods"), pod("b")).code, 201);
  ASSERT_EQ(patch(core("pods/b/status"), R"({"status":{"phase":"Running"}})").code, 200);
  const auto selected = [&](const std::string& selector) {
    return names_of(get(core("pods") + "?fieldSelector=" + net::percent_encode(selector)));
  };
  EXPECT_THAT(selected("metadata.name=a"), ElementsAre("a"));
  EXPECT_THAT(selected("status.phase=Running"), ElementsAre("b"));
  EXPECT_THAT(selected("status.phase!=Running"), ElementsAre("a"));
  EXPECT_THAT(selected("spec.nodeName="), ElementsAre("a", "b"));
  EXPECT_THAT(selected("status.phase=Running,metadata.name=a"), ElementsAre());
}

TEST_P(ApiContract, BrokenFieldSelectorsAreBadRequests) {
  for (const char* selector : {"metadata.name=a=b", "metadata.name=a\\b", "metadata.name", "metadata.name=a\\"}) {
    const Answer refused = get(core("configmaps") + "?fieldSelector=" + net::percent_encode(selector));
    EXPECT_EQ(refused.code, 400) << selector << ": " << refused.text;
    EXPECT_EQ(refused.reason(), "BadRequest");
  }
  EXPECT_EQ(get(core("configmaps") + "?fieldSelector=" + net::percent_encode(R"(metadata.name=a\=b\,c)")).code, 200);
}

TEST_P(ApiContract, UnknownFieldSelectorsAreBadRequests) {
  Answer refused = get(core("pods") + "?fieldSelector=spec.foo%3Dx");
  EXPECT_EQ(refused.code, 400);
  EXPECT_EQ(refused.reason(), "BadRequest");
  EXPECT_EQ(refused.message(), "field label not supported: spec.foo");
  refused = get(kubeflow("pytorchjobs") + "?fieldSelector=spec.foo%3Dx");
  EXPECT_EQ(refused.code, 400);
  EXPECT_EQ(refused.message(), "field label not supported: spec.foo");
}

TEST_P(ApiContract, EventsAreSelectedByTheirObject) {
  const auto event = [&](const std::string& name, const std::string& about) {
    return post(core("events"), R"({"metadata":{"name":")" + name + R"("},"involvedObject":{"kind":"Pod","name":")" +
                                    about + R"(","namespace":")" + ns_ +
                                    R"(","uid":"u1"},"reason":"Started","message":"m","type":"Normal"})");
  };
  ASSERT_EQ(event("e1", "p1").code, 201);
  ASSERT_EQ(event("e2", "p2").code, 201);
  const Answer list = get(core("events") + "?fieldSelector=involvedObject.name%3Dp1,involvedObject.uid%3Du1");
  EXPECT_THAT(names_of(list), ElementsAre("e1"));
}

TEST_P(ApiContract, PagesTogetherAreTheListAsItWasAtTheFirst) {
  for (const char* name : {"a", "b", "c", "d", "e"}) ASSERT_EQ(post(core("configmaps"), config_map(name)).code, 201);
  const Answer first = get(core("configmaps") + "?limit=2");
  EXPECT_THAT(names_of(first), ElementsAre("a", "b"));
  EXPECT_EQ(at(first.body, "metadata", "remainingItemCount"), Document(3));
  ASSERT_EQ(remove(core("configmaps/c")).code, 200);
  ASSERT_EQ(post(core("configmaps"), config_map("bb")).code, 201);
  ASSERT_EQ(patch(core("configmaps/d"), R"({"data":{"a":"2"}})").code, 200);
  const std::string token = net::percent_encode(first.body.string_at("metadata", "continue"));
  const Answer second = get(core("configmaps") + "?limit=2&continue=" + token);
  EXPECT_THAT(names_of(second), ElementsAre("c", "d"));
  EXPECT_EQ(at(second.body, "items", 1, "data", "a"), Document("1"));
  EXPECT_EQ(second.version(), first.version());
  EXPECT_EQ(at(second.body, "metadata", "remainingItemCount"), Document(1));
  const std::string next = net::percent_encode(second.body.string_at("metadata", "continue"));
  const Answer third = get(core("configmaps") + "?limit=2&continue=" + next);
  EXPECT_THAT(names_of(third), ElementsAre("e"));
  EXPECT_EQ(at(third.body, "metadata", "continue"), Document());
  EXPECT_EQ(at(third.body, "metadata", "remainingItemCount"), Document());
  // Without a limit, the rest comes in one piece.
  EXPECT_THAT(names_of(get(core("configmaps") + "?continue=" + token)), ElementsAre("c", "d", "e"));
  const Answer t = table(core("configmaps") + "?limit=2");
  EXPECT_EQ(at(t.body, "rows").as_array().size(), 2u);
  EXPECT_FALSE(t.body.string_at("metadata", "continue").empty());
}

TEST_P(ApiContract, PagesOverAllNamespacesAndWithSelectors) {
  const std::string label = R"({"page":")" + ns_ + R"("})";
  for (const char* name : {"a", "b", "c"}) ASSERT_EQ(post(core("configmaps"), config_map(name, label)).code, 201);
  std::vector<std::string> names;
  std::string token;
  do {
    const Answer page = get("/api/v1/configmaps?limit=1&labelSelector=page%3D" + ns_ +
                            (token.empty() ? "" : "&continue=" + net::percent_encode(token)));
    ASSERT_EQ(page.code, 200) << page.text;
    EXPECT_EQ(at(page.body, "metadata", "remainingItemCount"), Document());  // omitted when a selector filters the list
    for (const std::string& name : names_of(page)) names.push_back(name);
    token = page.body.string_at("metadata", "continue");
  } while (!token.empty());
  EXPECT_THAT(names, ElementsAre("a", "b", "c"));
}

TEST_P(ApiContract, ListsOfAnExactRevision) {
  ASSERT_EQ(post(core("configmaps"), config_map("a")).code, 201);
  const Answer b = post(core("configmaps"), config_map("b"));
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  ASSERT_EQ(remove(core("configmaps/a")).code, 200);
  const std::string at_b = core("configmaps") + "?resourceVersion=" + b.version();
  const Answer exact = get(at_b + "&resourceVersionMatch=Exact");
  EXPECT_THAT(names_of(exact), ElementsAre("a", "b"));
  EXPECT_EQ(exact.version(), b.version());
  EXPECT_THAT(names_of(get(at_b + "&limit=5")), ElementsAre("a", "b"));
  EXPECT_THAT(names_of(get(at_b)), ElementsAre("b", "c"));
  EXPECT_THAT(names_of(get(at_b + "&resourceVersionMatch=NotOlderThan")), ElementsAre("b", "c"));
  EXPECT_THAT(names_of(get(core("configmaps") + "?resourceVersion=0&limit=1")), ElementsAre("b", "c"));
}

TEST_P(ApiContract, ForgottenPagesAndRevisionsAreExpired) {
  for (const char* name : {"a", "b", "c"}) ASSERT_EQ(post(core("configmaps"), config_map(name)).code, 201);
  const Answer first = get(core("configmaps") + "?limit=1");
  ASSERT_EQ(remove(core("configmaps/b")).code, 200);
  forget_history();
  const auto page = [&](const Answer& from) {
    return get(core("configmaps") +
               "?limit=5&continue=" + net::percent_encode(from.body.string_at("metadata", "continue")));
  };
  const Answer refused = page(first);
  EXPECT_EQ(refused.code, 410) << refused.text;
  EXPECT_EQ(refused.reason(), "Expired");
  EXPECT_THAT(refused.message(), StartsWith("The provided continue parameter is too old"));
  // The new token continues in the current state.
  EXPECT_THAT(names_of(page(refused)), ElementsAre("c"));
  const Answer old = get(core("configmaps") + "?resourceVersionMatch=Exact&resourceVersion=" + first.version());
  EXPECT_EQ(old.code, 410);
  EXPECT_EQ(old.reason(), "Expired");
  EXPECT_EQ(old.message(), "The resourceVersion for the provided list is too old.");
  EXPECT_EQ(get(core("configmaps") + "?resourceVersion=" + first.version()).code, 200);
}

TEST_P(ApiContract, RevisionsOfLists) {
  const Answer made = post(core("configmaps"), config_map("c"));
  EXPECT_EQ(get(core("configmaps") + "?resourceVersion=0").code, 200);
  const Answer newer =
      get(core("configmaps") + "?resourceVersion=" + made.version() + "&resourceVersionMatch=NotOlderThan");
  EXPECT_THAT(names_of(newer), ElementsAre("c"));
  Answer refused = get(core("configmaps") + "?resourceVersion=99999999");
  EXPECT_EQ(refused.code, 504) << refused.text;
  EXPECT_EQ(refused.reason(), "Timeout");
  EXPECT_THAT(refused.causes(), ElementsAre("ResourceVersionTooLarge "));
  EXPECT_EQ(refused.body.int_at("details", "retryAfterSeconds"), 1);
  refused = get(core("configmaps") + "?resourceVersion=abc");
  EXPECT_EQ(refused.code, 400) << refused.text;
  const auto causes = [&](const std::string& query) {
    const Answer answer = get(core("configmaps") + "?" + query);
    EXPECT_EQ(answer.code, 422) << answer.text;
    return answer.causes();
  };
  EXPECT_THAT(causes("resourceVersionMatch=Exact"), ElementsAre("FieldValueForbidden resourceVersionMatch"));
  EXPECT_THAT(causes("resourceVersionMatch=Bogus&resourceVersion=1"),
              ElementsAre("FieldValueNotSupported resourceVersionMatch"));
  EXPECT_THAT(causes("resourceVersionMatch=Bogus"),
              ElementsAre("FieldValueForbidden resourceVersionMatch", "FieldValueNotSupported resourceVersionMatch"));
  EXPECT_THAT(causes("resourceVersionMatch=Exact&resourceVersion=0"),
              ElementsAre("FieldValueForbidden resourceVersionMatch"));
  EXPECT_THAT(causes("sendInitialEvents=true"), ElementsAre("FieldValueForbidden sendInitialEvents"));
  for (const char* query : {"continue=abc", "continue=e30", "limit=abc", "resourceVersion=-1",
                            "resourceVersion=99999999999999999999999", "timeoutSeconds=abc"}) {
    refused = get(core("configmaps") + "?" + query);
    EXPECT_EQ(refused.code, 400) << query << ": " << refused.text;
    EXPECT_EQ(refused.reason(), "BadRequest") << query;
  }
}

TEST_P(ApiContract, UnknownPathsAndMethods) {
  Answer refused = get(core("nothings"));
  EXPECT_EQ(refused.code, 404);
  EXPECT_EQ(refused.reason(), "NotFound");
  EXPECT_EQ(refused.message(), "the server could not find the requested resource");
  EXPECT_EQ(get("/nothing").code, 404);
  EXPECT_EQ(get("/apis/nothing.dev/v1/things").code, 404);
  EXPECT_EQ(get(core("configmaps/c/status")).code, 404);
  refused = post("/api/v1/pods", pod("p"));
  EXPECT_EQ(refused.code, 405);
  EXPECT_EQ(refused.reason(), "MethodNotAllowed");
  EXPECT_EQ(call("PUT", core("configmaps"), "{}").code, 405);
  const Answer missing = get(core("pods/none"));
  EXPECT_EQ(missing.code, 404);
  EXPECT_EQ(missing.message(), "pods \"none\" not found");
  EXPECT_EQ(missing.body.string_at("details", "kind"), "pods");
}

TEST_P(ApiContract, WhatCannotBeGivenIsNotAcceptable) {
  const Answer refused = call("GET", core("pods"), "", kJson, "application/vnd.nothing");
  EXPECT_EQ(refused.code, 406);
  EXPECT_EQ(refused.reason(), "NotAcceptable");
  EXPECT_EQ(call("GET", core("pods"), "", kJson, "*/*").code, 200);
}

TEST_P(ApiContract, PodTable) {
  ASSERT_EQ(post(core("pods"), pod("p")).code, 201);
  const Answer t = table(core("pods"));
  ASSERT_EQ(t.code, 200);
  EXPECT_EQ(t.body.string_at("kind"), "Table");
  EXPECT_EQ(t.body.string_at("apiVersion"), "meta.k8s.io/v1");
  EXPECT_TRUE(parse_int(t.version()).has_value());
  EXPECT_THAT(column_names(t), ElementsAre("Name", "Ready", "Status", "Restarts", "Age", "IP*", "Node*",
                                           "Nominated Node*", "Readiness Gates*"));
  const Document& row = at(t.body, "rows", 0);
  EXPECT_EQ(at(row, "cells", 0), Document("p"));
  EXPECT_EQ(at(row, "cells", 1), Document("0/1"));
  EXPECT_EQ(at(row, "cells", 2), Document("Pending"));
  EXPECT_EQ(at(row, "cells", 3), Document("0"));
  EXPECT_EQ(at(row, "cells", 5), Document("<none>"));
  EXPECT_EQ(at(row, "object", "kind"), Document("PartialObjectMetadata"));
  EXPECT_EQ(at(row, "object", "metadata", "name"), Document("p"));
  const Answer full = table(core("pods/p") + "?includeObject=Object");
  EXPECT_EQ(at(full.body, "rows", 0, "object", "kind"), Document("Pod"));
}

TEST_P(ApiContract, PodTableOfARunningAndAFailedContainer) {
  ASSERT_EQ(post(core("pods"), pod("p")).code, 201);
  patch(
      core("pods/p/status"),
      R"({"status":{"phase":"Running","podIP":"127.0.0.9","containerStatuses":[{"name":"main","image":"i","imageID":"",)"
      R"("ready":true,"restartCount":2,"state":{"running":{"startedAt":"2026-01-01T00:00:00Z"}}}]}})");
  Answer t = table(core("pods/p"));
  EXPECT_EQ(at(t.body, "rows", 0, "cells", 1), Document("1/1")) << t.text;
  EXPECT_EQ(at(t.body, "rows", 0, "cells", 2), Document("Running"));
  EXPECT_EQ(at(t.body, "rows", 0, "cells", 3), Document("2"));
  patch(core("pods/p/status"),
        R"({"status":{"containerStatuses":[{"name":"main","image":"i","imageID":"","ready":false,"restartCount":2,)"
        R"("state":{"terminated":{"exitCode":3}}}]}})");
  t = table(core("pods/p"));
  EXPECT_EQ(at(t.body, "rows", 0, "cells", 1), Document("0/1"));
  EXPECT_EQ(at(t.body, "rows", 0, "cells", 2), Document("ExitCode:3"));
}

TEST_P(ApiContract, TablesOfOtherBuiltInKinds) {
  ASSERT_EQ(
      post(core("services"), R"({"metadata":{"name":"s"},"spec":{"clusterIP":"None","ports":[{"port":80}]}})").code,
      201);
  Answer t = table(core("services"));
  EXPECT_THAT(column_names(t), ElementsAre("Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age", "Selector*"));
  EXPECT_EQ(at(t.body, "rows", 0, "cells", 1), Document("ClusterIP"));
  EXPECT_EQ(at(t.body, "rows", 0, "cells", 2), Document("None"));
  EXPECT_EQ(at(t.body, "rows", 0, "cells", 3), Document("<none>"));
  EXPECT_EQ(at(t.body, "rows", 0, "cells", 4), Document("80/TCP"));
  EXPECT_THAT(column_names(table("/api/v1/namespaces")), ElementsAre("Name", "Status", "Age"));
  EXPECT_THAT(column_names(table("/api/v1/nodes")),
              ElementsAre("Name", "Status", "Roles", "Age", "Version", "Internal-IP*", "External-IP*", "OS-Image*",
                          "Kernel-Version*", "Container-Runtime*"));
  EXPECT_THAT(column_names(table(core("events"))), ElementsAre("Last Seen", "Type", "Reason", "Object", "Subobject*",
                                                               "Source*", "Message", "First Seen*", "Count*", "Name*"));
  EXPECT_THAT(column_names(table(core("configmaps"))), ElementsAre("Name", "Data", "Age"));
  EXPECT_THAT(column_names(table(core("secrets"))), ElementsAre("Name", "Type", "Data", "Age"));
  EXPECT_THAT(column_names(table(core("persistentvolumeclaims"))),
              ElementsAre("Name", "Status", "Volume", "Capacity", "Access Modes", "StorageClass",
                          "VolumeAttributesClass", "Age", "VolumeMode*"));
}

TEST_P(ApiContract, Discovery) {
  const Answer groups = get("/apis");
  EXPECT_EQ(groups.body.string_at("kind"), "APIGroupList");
  std::vector<std::string> names;
  for (const Document& group : at(groups.body, "groups").as_array()) names.push_back(group.string_at("name"));
  EXPECT_THAT(names, Contains("kubeflow.org"));
  EXPECT_THAT(names, Contains("batch.tensorstack.dev"));
  EXPECT_EQ(get("/api").body.string_at("kind"), "APIVersions");

  const Answer list = get("/apis/kubeflow.org/v1");
  EXPECT_EQ(list.body.string_at("kind"), "APIResourceList");
  EXPECT_EQ(list.body.string_at("groupVersion"), "kubeflow.org/v1");
  std::vector<std::string> resources;
  for (const Document& item : at(list.body, "resources").as_array()) resources.push_back(item.string_at("name"));
  EXPECT_THAT(resources, Contains("pytorchjobs"));
  EXPECT_THAT(resources, Contains("pytorchjobs/status"));
  EXPECT_THAT(resources, Contains("pytorchjobs/scale"));

  const Answer aggregated =
      call("GET", "/apis", "", kJson,
           "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json");
  EXPECT_EQ(aggregated.headers.get("Content-Type"),
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  EXPECT_EQ(aggregated.body.string_at("kind"), "APIGroupDiscoveryList");
}

TEST_P(ApiContract, VersionAndHealth) {
  EXPECT_EQ(get("/version").body.string_at("gitVersion"), "v1.33.4");
  EXPECT_EQ(get("/version").body.string_at("minor"), "33");
  for (const char* path : {"/healthz", "/livez", "/readyz"}) {
    const Answer health = get(path);
    EXPECT_EQ(health.code, 200);
    EXPECT_EQ(health.text, "ok");
    EXPECT_EQ(health.headers.get("Content-Type"), "text/plain; charset=utf-8");
    EXPECT_EQ(get(std::string(path) + "?exclude=ping").text, "ok");
    EXPECT_EQ(get(std::string(path) + "/ping").text, "ok");
    EXPECT_EQ(get(std::string(path) + "/none").code, 404);
    const std::string told = get(std::string(path) + "?verbose").text;
    EXPECT_TRUE(told.starts_with("[+]ping ok\n")) << told;
    EXPECT_TRUE(told.ends_with(std::string(" ok\n") + (path + 1) + " check passed\n")) << told;
    const std::string less = get(std::string(path) + "?verbose=&exclude=ping&exclude=b&exclude=a").text;
    EXPECT_TRUE(less.starts_with("[+]ping excluded: ok\n")) << less;
    EXPECT_TRUE(less.ends_with(std::string(R"(
warn: some health checks cannot be excluded: no matches for "a","b"
)") + (path + 1) + " check passed\n"))
        << less;
  }
}

}  // namespace
}  // namespace muster::contract
