// Requests for things that do not exist: wrong verbs, wrong parameters.
#include <algorithm>

#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::ElementsAre;

TEST_P(ApiContract, ObjectsAreNotPostedTo) {
  ASSERT_EQ(post(core("configmaps"), config_map("a")).code, 201);
  const Answer answer = post(core("configmaps/a"), config_map("a"));
  EXPECT_EQ(answer.code, 405);
  EXPECT_EQ(answer.reason(), "MethodNotAllowed");
}

TEST_P(ApiContract, NothingIsDeletedInAllNamespacesAtOnce) {
  ASSERT_EQ(post(core("configmaps"), config_map("stays")).code, 201);
  EXPECT_EQ(remove("/api/v1/configmaps?labelSelector=no%3Dsuch").code, 405);
  EXPECT_EQ(get(core("configmaps/stays")).code, 200);
}

TEST_P(ApiContract, TheRootNamesThePaths) {
  const Answer answer = get("/");
  ASSERT_EQ(answer.code, 200) << answer.text;
  std::vector<std::string> paths;
  for (const json::Document& path : at(answer.body, "paths").as_array()) paths.push_back(path.as_string());
  EXPECT_THAT(paths, ::testing::IsSupersetOf({"/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1",
                                              "/apis/kubeflow.org/v1", "/healthz", "/livez", "/metrics", "/openapi/v2",
                                              "/openapi/v3", "/readyz", "/version"}));
  EXPECT_TRUE(std::ranges::is_sorted(paths));
}

TEST_P(ApiContract, WhatIsServedIsOnlyRead) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    for (const char* path : {"/api", "/api/v1", "/apis/apps/v1", "/version"}) {
      const Answer answer = call(method, path);
      EXPECT_EQ(answer.code, 405) << method << " " << path << " " << answer.text;
      EXPECT_EQ(answer.reason(), "MethodNotAllowed");
    }
    for (const char* path : {"/api/v2", "/apis/none", "/apis/apps/v9", "/apis/kubeflow.org/v9", "/version/x"}) {
      EXPECT_EQ(call(method, path).code, 404) << method << " " << path;
    }
  }
}

TEST_P(ApiContract, OptionsOfADeletionAreNoOtherKind) {
  ASSERT_EQ(post(core("configmaps"), config_map("stays")).code, 201);
  for (const std::string& body : {config_map("stays"), std::string("[]"), std::string("{\"x")}) {
    EXPECT_GE(call("DELETE", core("configmaps/stays"), body).code, 400) << body;
  }
  EXPECT_EQ(get(core("configmaps/stays")).code, 200);
}

TEST_P(ApiContract, DryRunHasOneWord) {
  ASSERT_EQ(post(core("configmaps"), config_map("a")).code, 201);
  for (const char* query : {"dryRun=", "dryRun=Some", "dryRun=All&dryRun=Some"}) {
    const std::string target = core("configmaps/a?") + query;
    for (const Answer& answer : {post(core("configmaps?") + query, config_map("b")),
                                 call("PUT", target, config_map("a")), patch(target, "{}"), remove(target)}) {
      EXPECT_EQ(answer.code, 422) << query << " " << answer.text;
      EXPECT_THAT(answer.causes(), ElementsAre("FieldValueNotSupported dryRun"));
    }
  }
  EXPECT_EQ(get(core("configmaps/b")).code, 404);
  EXPECT_EQ(get(core("configmaps/a")).code, 200);
}

/// kubectl debug reads the details without checking that they exist.
TEST_P(ApiContract, WhatIsNotServedHasDetails) {
  for (const Answer& answer : {get(core("nothings")), get(core("pods/p/nothing")), get("/api/v1/nothings/x")}) {
    EXPECT_EQ(answer.code, 404);
    EXPECT_EQ(at(answer.body, "details"), Document(json::Object())) << answer.text;
  }
  const Answer method = call("PUT", core("configmaps"), "{}");
  EXPECT_EQ(method.code, 405);
  EXPECT_EQ(at(method.body, "details"), Document(json::Object())) << method.text;
}

TEST_P(ApiContract, NumbersOfListsAreNumbers) {
  for (const char* query : {"limit=many", "limit=", "limit=1.5", "limit=99999999999999999999", "timeoutSeconds=x",
                            "watch=true&limit=x", "watch=true&timeoutSeconds=x"}) {
    EXPECT_EQ(get(core("configmaps?") + query).code, 400) << query;
  }
  EXPECT_EQ(get(core("configmaps?limit=-1")).code, 200);
}

TEST_P(ApiContract, FlagsAreSetByAllButFalseAndZero) {
  ASSERT_EQ(post(core("configmaps"), config_map("a")).code, 201);
  for (const char* word : {"0", "false", "False"}) {
    EXPECT_EQ(get(core("configmaps?watch=") + word).body.string_at("kind"), "ConfigMapList") << word;
  }
  for (const char* word : {"", "1", "true", "maybe"}) {
    const auto tail = watch(core("configmaps?timeoutSeconds=1&resourceVersion=0&watch=") + word);
    EXPECT_EQ(tail->next().name(), "a") << word;
  }
}

}  // namespace
}  // namespace muster::contract
