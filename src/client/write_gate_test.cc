#include "client/write_gate.h"

#include <gmock/gmock.h>

#include "client/api_client.h"
#include "testing/fake_transport.h"
#include "testing/sim_loop.h"

namespace muster::client {
namespace {

class WriteGateTest : public ::testing::Test {
 protected:
  OnDocument note() {
    return [this](const Result<json::Document>& got) { ends_.push_back(got ? "ok" : got.error().message); };
  }
  void create() { client_.create({"", "v1", "pods"}, "a", json::Object{{"kind", "Pod"}}, {}, note()); }

  muster::testing::SimLoop loop_;
  FakeTransport server_{loop_};
  bool leads_ = true;
  WriteGate gate_{loop_, server_, [this] { return leads_; }};
  ApiClient client_{gate_, ""};
  std::vector<std::string> ends_;
};

TEST_F(WriteGateTest, OnlyALeaderWrites) {
  create();
  leads_ = false;
  create();
  client_.get({.resource = {"", "v1", "pods"}, .ns = "a", .name = "b"}, note());
  loop_.settle();
  EXPECT_EQ(server_.count(), 2u) << "the first write and what only reads";
  EXPECT_THAT(ends_, ::testing::ElementsAre("this operator does not lead any more"));
}

TEST_F(WriteGateTest, ItIsIdleWhenAllWritesAreAnswered) {
  EXPECT_TRUE(gate_.is_idle());
  create();
  create();
  gate_.close();
  create();
  loop_.settle();
  EXPECT_EQ(server_.count(), 2u);
  EXPECT_FALSE(gate_.is_idle());
  server_.reply(0, 201, "{}");
  loop_.settle();
  EXPECT_FALSE(gate_.is_idle());
  server_.reply(1, 201, "{}");
  loop_.settle();
  EXPECT_TRUE(gate_.is_idle());
  EXPECT_EQ(ends_.size(), 3u);
}

}  // namespace
}  // namespace muster::client
