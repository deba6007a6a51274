#include "apiserver/http/health.h"

#include <gmock/gmock.h>

#include "testing/engine_fixture.h"

namespace muster::apiserver {
namespace {

using ::testing::HasSubstr;

class HealthEngine : public Engine {
 protected:
  void SetUp() override {
    server_options_.informers_synced = [this] { return synced_; };
    Engine::SetUp();
  }
  std::string told(const std::string& target) {
    const auto answer = call("GET", target);
    return std::to_string(answer->status) + " " + answer->body;
  }
  bool synced_ = true;
};

TEST_F(HealthEngine, SaysWhatItLookedAt) {
  EXPECT_EQ(told("/readyz"), "200 ok");
  EXPECT_EQ(told("/readyz?verbose"), "200 [+]ping ok\n[+]store ok\n[+]informer-sync ok\nreadyz check passed\n");
  EXPECT_EQ(told("/healthz?verbose"), "200 [+]ping ok\n[+]store ok\nhealthz check passed\n");
  EXPECT_EQ(told("/livez?verbose"), "200 [+]ping ok\nlivez check passed\n");
  EXPECT_EQ(told("/readyz/store"), "200 ok");
  EXPECT_THAT(told("/livez/informer-sync"), HasSubstr("404 "));
}

TEST_F(HealthEngine, IsNotReadyBeforeTheControllersHaveSeenEverything) {
  synced_ = false;
  EXPECT_EQ(told("/readyz"),
            "500 [+]ping ok\n[+]store ok\n[-]informer-sync failed: reason withheld\nreadyz check failed\n");
  EXPECT_EQ(told("/readyz?exclude=informer-sync"), "200 ok");
  EXPECT_EQ(told("/readyz/informer-sync"), "500 internal server error: the controllers are still reading\n");
  EXPECT_EQ(told("/healthz"), "200 ok");
}

TEST_F(HealthEngine, AFullDiskIsNotHealthyAndYetAlive) {
  disk_.full = true;
  EXPECT_EQ(call("POST", kConfigMaps, R"({"metadata":{"name":"a"}})")->status, 507);
  EXPECT_THAT(told("/readyz"), HasSubstr("500 [+]ping ok\n[-]store failed: reason withheld\n"));
  EXPECT_EQ(told("/healthz/store"), "500 internal server error: the disk is full: only deletes are accepted\n");
  EXPECT_EQ(told("/livez"), "200 ok");
}

}  // namespace
}  // namespace muster::apiserver
