#include "main/content_listen.h"

#include <gmock/gmock.h>

#include "net/event_loop.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

class ContentPort : public ::testing::Test {
 protected:
  /// Returns a free port whose successor is also free.
  int free_pair() {
    for (;;) {
      net::HttpServer first(loop_, {}, nullptr);
      net::HttpServer second(loop_, {}, nullptr);
      const int port = *first.listen("127.0.0.1", 0);
      if (port < 65535 && second.listen("127.0.0.1", port + 1)) return port;
    }
  }

  net::EventLoop loop_;
  net::HttpServer server_{loop_, {}, nullptr};
  door::Door door_{loop_, "/nonexistent"};
};

TEST_F(ContentPort, FollowsTheMainPort) {
  const int main = free_pair();
  const auto port = listen_for_content(server_, {}, {.host = "127.0.0.1", .port = main}, main, door_);
  ASSERT_TRUE(port) << port.error().message;
  EXPECT_EQ(*port, main + 1);
}

TEST_F(ContentPort, IsAnyFreeOneWhereTheNextIsTakenOrTheMainPortWasAnyToo) {
  const int main = free_pair();
  net::HttpServer other(loop_, {}, nullptr);
  ASSERT_TRUE(other.listen("127.0.0.1", main + 1));
  const auto port = listen_for_content(server_, {}, {.host = "127.0.0.1", .port = main}, main, door_);
  ASSERT_TRUE(port) << port.error().message;
  EXPECT_NE(*port, main + 1);
  EXPECT_TRUE(listen_for_content(server_, {}, {.host = "127.0.0.1", .port = 0}, 65535, door_));
}

TEST_F(ContentPort, AFirstStartPassesByAPortThatSomebodyHas) {
  const int usual = free_pair();
  net::HttpServer other(loop_, {}, nullptr);
  ASSERT_TRUE(other.listen("127.0.0.1", usual));
  const auto port = listen_near(server_, {.host = "127.0.0.1", .port = usual}, door_);
  ASSERT_TRUE(port) << port.error().message;
  EXPECT_GT(*port, usual);
  EXPECT_EQ((*port - usual) % 2, 0);
}

TEST_F(ContentPort, IsWhereTheConfigurationSays) {
  net::HttpServer other(loop_, {}, nullptr);
  const int taken = *other.listen("127.0.0.1", 0);
  Config config;
  config.content_listen = "127.0.0.1:" + std::to_string(taken);
  const auto port = listen_for_content(server_, config, {.host = "127.0.0.1", .port = 1}, 1, door_);
  ASSERT_FALSE(port);
  EXPECT_THAT(port.error().message, HasSubstr("contentListen: listen on 127.0.0.1"));
}

TEST(ContentUrl, IsPlainHttpOnLoopbackOnly) {
  EXPECT_EQ(content_url({}, {.host = "localhost", .port = 1}, "box", 8766), "http://127.0.0.1:8766");
  EXPECT_EQ(content_url({}, {.host = "0.0.0.0", .port = 1}, "box", 8766), "https://box:8766");
  EXPECT_EQ(content_url({}, {.host = "::1", .port = 1}, "box", 8766), "http://[::1]:8766");
  Config config;
  config.content_listen = "10.0.0.7:8000";
  EXPECT_EQ(content_url(config, {.host = "127.0.0.1", .port = 1}, "box", 8000), "https://10.0.0.7:8000");
}

TEST(ContentListen, OwnOriginsAreThoseThatNoOtherProgramCanTake) {
  using Origins = std::vector<std::string>;
  EXPECT_EQ(own_origins("127.0.0.1", "box", {}, 1), Origins{"http://127.0.0.1:1"});
  EXPECT_EQ(own_origins("::1", "box", {}, 1), Origins{"http://[::1]:1"});
  EXPECT_EQ(own_origins("10.0.0.7", "box", {}, 1), Origins{"https://10.0.0.7:1"});
  EXPECT_EQ(own_origins("0.0.0.0", "10.0.0.7", {"127.0.0.1", "localhost", "::1", "box", "0.0.0.0", "10.0.0.7"}, 1),
            (Origins{"https://10.0.0.7:1", "https://box:1", "http://127.0.0.1:1"}));
}

}  // namespace
}  // namespace muster
