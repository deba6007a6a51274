#include "apiserver/http/router.h"

#include <gmock/gmock.h>

#include "testing/engine_fixture.h"

namespace muster::apiserver {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

Router files_and_backups() {
  Router router;
  router.add({{.pattern = "apis/x/namespaces/{namespace}/claims/{name}/files/{path...}",
               .methods = {"GET", "PUT"},
               .handle = nullptr,
               .streams_body = true},
              {.pattern = "apis/x/backups", .methods = {"POST"}, .handle = nullptr}});
  return router;
}

TEST(Router, NamesTheSegmentsAndTheRest) {
  const Router router = files_and_backups();
  const auto found = router.find("PUT", {"apis", "x", "namespaces", "n", "claims", "c", "files", "a", "b.txt"});
  ASSERT_TRUE(found && *found);
  EXPECT_THAT((*found)->at, UnorderedElementsAre(Pair("namespace", "n"), Pair("name", "c"), Pair("path", "a/b.txt")));
  const auto folder = router.find("GET", {"apis", "x", "namespaces", "n", "claims", "c", "files"});
  ASSERT_TRUE(folder && *folder);
  EXPECT_EQ((*folder)->at.at("path"), "");
}

TEST(Router, LeavesOtherPathsAlone) {
  const Router router = files_and_backups();
  for (const std::vector<std::string>& path :
       {std::vector<std::string>{}, {"apis", "x"}, {"apis", "x", "backups", "more"}, {"api", "v1", "pods"}}) {
    const auto found = router.find("GET", path);
    ASSERT_TRUE(found);
    EXPECT_FALSE(*found);
  }
}

TEST(Router, RefusesOtherMethods) {
  const auto found = files_and_backups().find("GET", {"apis", "x", "backups"});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().reason, Reason::kMethodNotAllowed);
}

TEST(Router, OnlyRoutesThatSaySoStreamTheirBodies) {
  const Router router = files_and_backups();
  EXPECT_TRUE(router.streams_body({.method = "PUT", .target = "/apis/x/namespaces/n/claims/c/files/a%20b?x=y"}));
  EXPECT_FALSE(router.streams_body({.method = "DELETE", .target = "/apis/x/namespaces/n/claims/c/files/a"}));
  EXPECT_FALSE(router.streams_body({.method = "POST", .target = "/apis/x/backups"}));
  EXPECT_FALSE(router.streams_body({.method = "PUT", .target = "/%zz"}));
}

class Routed : public Engine {
 protected:
  void SetUp() override {
    Engine::SetUp();
    server_->add_routes({{.pattern = "apis/muster.dev/v1/echo/{name}",
                          .methods = {"PUT"},
                          .handle =
                              [](RoutedRequest request, std::shared_ptr<net::Exchange> exchange) {
                                auto body = std::make_shared<std::string>(request.at["name"] + ": ");
                                exchange->read_input(
                                    {.on_data = [body](std::string_view more) { *body += more; },
                                     .on_end = [body, exchange] { exchange->respond({.body = *body}); }});
                              },
                          .streams_body = true}});
  }
};

TEST_F(Routed, ABodyIsStreamedInTheSameProcessToo) {
  LocalTransport transport(loop_, *server_);
  std::string answer;
  bool ended = false;
  net::ResponseSink sink;
  sink.on_data = [&](std::string_view bytes) { answer += bytes; };
  sink.on_end = [&](Status) { ended = true; };
  const auto call =
      transport.send({.method = "PUT", .target = "/apis/muster.dev/v1/echo/a", .body = "text"}, std::move(sink));
  until([&] { return ended; });
  EXPECT_EQ(answer, "a: text");
}

TEST_F(Routed, StrangersAreRefused) {
  auto exchange = std::make_shared<Recorder>();
  net::Request request{.method = "PUT", .target = "/apis/muster.dev/v1/echo/a", .headers = {{"Host", "here"}}};
  server_->handle(std::move(request), exchange);
  EXPECT_EQ(exchange->status, 401);
  EXPECT_EQ(call("GET", "/apis/muster.dev/v1/echo/a")->status, 405);
  EXPECT_EQ(call("GET", "/apis/muster.dev/v1/other")->status, 404);
}

}  // namespace
}  // namespace muster::apiserver
