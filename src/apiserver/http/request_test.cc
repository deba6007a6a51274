#include "apiserver/http/request.h"

#include <gtest/gtest.h>

namespace muster::apiserver {
namespace {

Result<ResourceRequest> parse(const std::string& method, const std::string& target) {
  auto parsed = parse_target(target);
  if (!parsed) return parsed.error();
  return parse_resource_request(method, *std::move(parsed));
}

TEST(Request, NamesOfObjectsInNamespaces) {
  const auto request = parse("GET", "/api/v1/namespaces/a/pods/p/log?container=c&follow=true");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->resource->kind, "Pod");
  EXPECT_EQ(request->ns, "a");
  EXPECT_EQ(request->name, "p");
  EXPECT_EQ(request->subresource, "log");
  EXPECT_EQ(request->query.get("container"), "c");
  EXPECT_TRUE(request->query.flag("follow"));
  EXPECT_EQ(request->verb, Verb::kGet);
}

TEST(Request, NamespacesAreObjectsToo) {
  const auto one = parse("GET", "/api/v1/namespaces/a");
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->resource->kind, "Namespace");
  EXPECT_EQ(one->name, "a");
  EXPECT_EQ(one->ns, "");
  const auto status = parse("PATCH", "/api/v1/namespaces/a/status");
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->resource->kind, "Namespace");
  EXPECT_EQ(status->subresource, "status");
}

TEST(Request, TwoSlashesAreNotOne) {
  for (const char* path : {"//api/v1/pods", "/api//v1/pods", "/api/v1/pods//", "//"}) {
    const auto target = parse_target(path);
    ASSERT_FALSE(target.has_value()) << path;
    EXPECT_EQ(target.error().reason, Reason::kNotFound) << path;
  }
  EXPECT_TRUE(parse_target("/api/v1/pods/?labelSelector=a//b").has_value());
}

TEST(Request, ABrokenEscapeIsNamed) {
  for (const char* broken : {"%zz", "a%", "%2"}) {
    const auto target = parse_target(std::string("/api/v1/namespaces/a/pods/") + broken + "?x=1");
    ASSERT_FALSE(target.has_value()) << broken;
    EXPECT_EQ(target.error().reason, Reason::kBadRequest);
    EXPECT_EQ(target.error().message, std::string("path: broken percent escape in \"") + broken +
                                          "\"; write % and two hexadecimal digits, and %25 for a % itself");
  }
}

TEST(Request, VerbsFollowMethodAndPath) {
  const std::string jobs = "/apis/kubeflow.org/v1/namespaces/a/pytorchjobs";
  EXPECT_EQ(parse("GET", jobs)->verb, Verb::kList);
  EXPECT_EQ(parse("GET", "/apis/kubeflow.org/v1/pytorchjobs?watch=true")->verb, Verb::kWatch);
  EXPECT_EQ(parse("POST", jobs)->verb, Verb::kCreate);
  EXPECT_EQ(parse("PUT", jobs + "/j")->verb, Verb::kUpdate);
  EXPECT_EQ(parse("PATCH", jobs + "/j/status")->verb, Verb::kPatch);
  EXPECT_EQ(parse("DELETE", jobs + "/j")->verb, Verb::kDelete);
  EXPECT_EQ(parse("DELETE", jobs)->verb, Verb::kDeleteCollection);
}

TEST(Request, WatchesCanBeAskedForInThePath) {
  const auto request = parse("GET", "/api/v1/watch/namespaces/a/pods/p?resourceVersion=7");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->verb, Verb::kWatch);
  EXPECT_EQ(request->resource->kind, "Pod");
  EXPECT_EQ(request->ns, "a");
  EXPECT_EQ(request->name, "p");
  EXPECT_EQ(parse("GET", "/apis/kubeflow.org/v1/watch/pytorchjobs")->verb, Verb::kWatch);
  EXPECT_EQ(parse("POST", "/api/v1/watch/namespaces/a/pods").error().reason, Reason::kMethodNotAllowed);
  EXPECT_EQ(parse("GET", "/api/v1/watch").error().reason, Reason::kNotFound);
  EXPECT_EQ(parse("GET", "/api/v1/watch/namespaces/a/pods/p/log").error().reason, Reason::kNotFound);
}

TEST(Request, WhatIsNotServedIsNotFoundOrNotAllowed) {
  EXPECT_EQ(parse("GET", "/api/v1/namespaces/a/nothings").error().reason, Reason::kNotFound);
  EXPECT_EQ(parse("GET", "/api/v1/namespaces/a/configmaps/c/status").error().reason, Reason::kNotFound);
  EXPECT_EQ(parse("GET", "/api/v1/pods/p").error().reason, Reason::kNotFound);
  EXPECT_EQ(parse("GET", "/api/v1/namespaces/a/pods/p/log/more").error().reason, Reason::kNotFound);
  EXPECT_EQ(parse("POST", "/api/v1/pods").error().reason, Reason::kMethodNotAllowed);
  EXPECT_EQ(parse("DELETE", "/api/v1/namespaces").error().reason, Reason::kMethodNotAllowed);
  EXPECT_EQ(parse("POST", "/api/v1/namespaces/a/pods/p/log").error().reason, Reason::kMethodNotAllowed);
  EXPECT_EQ(parse("OPTIONS", "/api/v1/pods").error().reason, Reason::kMethodNotAllowed);
}

TEST(Request, EscapesAreDecodedOnceAndDotsRefused) {
  EXPECT_EQ(parse("GET", "/api/v1/namespaces/a/pods/p%2e1")->name, "p.1");
  EXPECT_EQ(parse("GET", "/api/v1/pods?labelSelector=a%3Db%2Cc")->query.get("labelSelector"), "a=b,c");
  EXPECT_EQ(parse("GET", "/api/v1/namespaces/%2e%2e/pods").error().reason, Reason::kBadRequest);
  EXPECT_EQ(parse("GET", "/api/v1/pods?x=%zz").error().reason, Reason::kBadRequest);
}

TEST(Request, NumbersInTheQuery) {
  const auto query = Query::parse("a=5&b=x&c=");
  ASSERT_TRUE(query.has_value());
  EXPECT_EQ(**query->number("a"), 5);
  EXPECT_EQ(query->number("b").error().message, "query parameter b: must be a whole number, got \"x\"");
  EXPECT_EQ(query->number("c").error().message, "query parameter c: must be a whole number, got \"\"");
  EXPECT_FALSE(query->number("d")->has_value());
}

TEST(ActionOfRoute, OwnPathsAreActionsInTheirNamespace) {
  const auto action = [](const std::string& method, const std::string& path) {
    const Action a = action_of_route(method, parse_target(path)->path);
    return a.verb + " " + a.path + a.resource + "." + a.group + "/" + a.subresource + " in " + a.ns + " named " +
           a.name;
  };
  const std::string own = "/apis/muster.dev/v1/";
  EXPECT_EQ(action("POST", own + "backups"), "create backups.muster.dev/ in  named ");
  EXPECT_EQ(action("GET", own + "namespaces/lab/pods/p/metrics"), "get pods.muster.dev/metrics in lab named p");
  EXPECT_EQ(action("PUT", own + "namespaces/lab/persistentvolumeclaims/c/files/a/b"),
            "update persistentvolumeclaims.muster.dev/files in lab named c");
  EXPECT_EQ(action("GET", own + "namespaces/lab/pods"), "list pods.muster.dev/ in lab named ");
  EXPECT_EQ(action("GET", own + "namespaces/lab"), "get namespaces.muster.dev/ in  named lab");
  EXPECT_EQ(action("GET", "/api/v1/namespaces/lab/services/s:6006/proxy/x"), "get services./proxy in lab named s:6006");
  EXPECT_EQ(action("GET", "/console/index.html"), "get /console/index.html./ in  named ");
}

}  // namespace
}  // namespace muster::apiserver
