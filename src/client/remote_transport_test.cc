#include "client/remote_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_transport.h"
#include "testing/seeded_rng.h"
#include "testing/sim_loop.h"

namespace muster::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

/// Returns the credentials that the test queued: the next one after a rejection, while there are more.
class ScriptedCredentials final : public CredentialSource {
 public:
  Result<Credential> get(const Clock&) override {
    if (failure) return *failure;
    return all.at(at);
  }
  Result<bool> renew(const Credential& refused, const Clock&) override {
    ++renewals;
    if (failure) return *failure;
    if (all.at(at) == refused && at + 1 < all.size()) ++at;
    return !(all.at(at) == refused);
  }

  std::vector<Credential> all = {{.token = "one"}};
  std::size_t at = 0;
  int renewals = 0;
  std::optional<Error> failure;
};

Error lost() {
  return {.reason = Reason::kServiceUnavailable, .message = "connection lost"};
}

class RemoteTransportTest : public ::testing::Test {
 protected:
  RemoteTransportTest() {
    auto credentials = std::make_unique<ScriptedCredentials>();
    credentials_ = credentials.get();
    remote_ = std::make_unique<RemoteTransport>(loop_, rng_, std::move(credentials), [this](const Credential& as) {
      certificates_.push_back(as.client_certificate_pem);
      return std::make_unique<Door>(wire_);
    });
  }

  void send(std::string method, bool repeatable = false) {
    net::ResponseSink sink;
    sink.on_head = [this](int status, const net::Headers&) { got_.push_back(std::to_string(status)); };
    sink.on_data = [this](std::string_view bytes) { got_.emplace_back(bytes); };
    sink.on_end = [this](const Status& status) { got_.push_back(status ? "end" : status.error().message); };
    call_ = remote_->send({.method = std::move(method), .target = "/", .repeatable = repeatable}, std::move(sink));
  }
  /// Answers the latest request.
  void reply(int status, std::string body, net::Headers headers = {}) {
    wire_.reply(wire_.count() - 1, status, std::move(body), std::move(headers));
    loop_.settle();
  }
  void fail(bool sent, Error error = lost()) {
    if (sent) wire_.sent(wire_.count() - 1);
    wire_.end(wire_.count() - 1, std::move(error));
    loop_.settle();
  }
  std::string token(std::size_t i) { return std::string(wire_.request(i).headers.get("Authorization")); }
  /// Makes the server known to be reachable.
  void has_answered() {
    send("GET");
    reply(200, "");
    got_.clear();
  }

  /// The transport to the wire, which is created again for each certificate.
  class Door final : public net::Transport {
   public:
    explicit Door(FakeTransport& wire) : wire_(wire) {}
    std::unique_ptr<net::Call> send(net::Request request, net::ResponseSink sink) override {
      return wire_.send(std::move(request), std::move(sink));
    }

   private:
    FakeTransport& wire_;
  };

  testing::SimLoop loop_;
  testing::SeededRng rng_;
  FakeTransport wire_{loop_};
  std::vector<std::string> certificates_;
  std::vector<std::string> got_;
  ScriptedCredentials* credentials_ = nullptr;
  std::unique_ptr<RemoteTransport> remote_;
  std::unique_ptr<net::Call> call_;
};

TEST_F(RemoteTransportTest, PassesGoodAnswersAndErrorsOn) {
  send("POST");
  EXPECT_EQ(token(0), "Bearer one");
  reply(201, "made");
  send("POST");
  reply(409, "there");
  send("GET");
  reply(500, "broken");
  send("GET");
  reply(503, "no time given");
  send("GET");
  reply(429, "neither here");
  EXPECT_THAT(got_, ElementsAre("201", "made", "end", "409", "there", "end", "500", "broken", "end", "503",
                                "no time given", "end", "429", "neither here", "end"));
  EXPECT_EQ(wire_.count(), 5U);
  EXPECT_EQ(loop_.timers(), 0U);
}

TEST_F(RemoteTransportTest, RetriesWhenTheServerAsksForIt) {
  for (const int status : {429, 503}) {
    got_.clear();
    const std::size_t before = wire_.count();
    send("POST");  // for any verb: the server did nothing
    reply(status, "not now", {{"Retry-After", "2"}});
    EXPECT_TRUE(got_.empty());
    loop_.advance(milliseconds(1999));
    EXPECT_EQ(wire_.count(), before + 1);
    loop_.advance(milliseconds(502));
    EXPECT_EQ(wire_.count(), before + 2);
    reply(201, "made");
    EXPECT_THAT(got_, ElementsAre("201", "made", "end"));
  }
}

TEST_F(RemoteTransportTest, TheFirstAnswerIsTheAnswerForWhoeverWantsThat) {
  net::ResponseSink sink;
  sink.on_head = [this](int status, const net::Headers&) { got_.push_back(std::to_string(status)); };
  call_ = remote_->send({.method = "POST", .target = "/", .one_answer = true}, std::move(sink));
  reply(429, "not now", {{"Retry-After", "2"}});
  EXPECT_THAT(got_, ElementsAre("429"));
  EXPECT_EQ(loop_.timers(), 0U);
}

TEST_F(RemoteTransportTest, GivesUpWhenItWouldTakeMoreThanHalfAMinute) {
  send("GET");
  reply(429, "not now", {{"Retry-After", "20"}});
  loop_.advance(seconds(25));
  EXPECT_EQ(wire_.count(), 2U);
  reply(429, "not now", {{"Retry-After", "20"}});
  EXPECT_THAT(got_, ElementsAre("429", "not now", "end"));
  EXPECT_EQ(loop_.timers(), 0U);

  got_.clear();
  const std::size_t before = wire_.count();
  send("GET");
  reply(429, "much later", {{"Retry-After", "31"}});
  EXPECT_THAT(got_, ElementsAre("429", "much later", "end"));
  EXPECT_EQ(wire_.count(), before + 1);
}

TEST_F(RemoteTransportTest, AServerThatHasNeverAnsweredIsSoonGivenUp) {
  send("GET");
  while (got_.empty()) {
    fail(true);
    if (loop_.timers() != 0) loop_.advance(loop_.until_next_timer());
  }
  EXPECT_GE(wire_.count(), 3U);
  EXPECT_LE(loop_.mono(), MonoTime(seconds(3)));
  EXPECT_THAT(got_, ElementsAre("connection lost"));
}

TEST_F(RemoteTransportTest, GivesUpAfterTheMaximumOfAttempts) {
  has_answered();
  send("GET");
  while (got_.empty()) {
    ASSERT_LE(wire_.count(), 11U);
    fail(true);
    if (loop_.timers() != 0) loop_.advance(loop_.until_next_timer());
  }
  EXPECT_GE(wire_.count(), 8U);
  EXPECT_LE(loop_.mono(), MonoTime(seconds(30)));
  EXPECT_THAT(got_, ElementsAre("connection lost"));
}

TEST_F(RemoteTransportTest, RequestsThatMayHaveBeenExecutedAreNotRetried) {
  has_answered();
  const std::size_t before = wire_.count();
  send("POST");
  fail(true);
  EXPECT_THAT(got_, ElementsAre("connection lost"));
  EXPECT_EQ(loop_.timers(), 0U);
  EXPECT_EQ(wire_.count(), before + 1);
}

TEST_F(RemoteTransportTest, IdempotentRequestsAreRetried) {
  for (const bool repeatable : {true, false}) {
    got_.clear();
    send(repeatable ? "PUT" : "GET", repeatable);
    fail(true);
    EXPECT_TRUE(got_.empty());
    loop_.advance(milliseconds(125));
    reply(200, "done");
    EXPECT_THAT(got_, ElementsAre("200", "done", "end"));
  }
}

TEST_F(RemoteTransportTest, AResponseThatHasStartedIsNotRetried) {
  send("GET");
  wire_.head(0, 200);
  wire_.data(0, "half");
  fail(true);
  EXPECT_THAT(got_, ElementsAre("200", "half", "connection lost"));
  EXPECT_EQ(loop_.timers(), 0U);
}

TEST_F(RemoteTransportTest, AServerThatHasAnsweredMayBeRestarting) {
  send("POST");
  fail(false);
  EXPECT_THAT(got_, ElementsAre("connection lost")) << "never there: told at once";
  has_answered();
  send("POST");
  fail(false);
  EXPECT_TRUE(got_.empty());
  loop_.advance(milliseconds(125));
  reply(201, "made");
  EXPECT_THAT(got_, ElementsAre("201", "made", "end"));
}

TEST_F(RemoteTransportTest, ErrorsThatWaitingDoesNotCureAreReported) {
  has_answered();
  send("GET");
  fail(false, Error{.reason = Reason::kBadRequest, .message = "bad path"});
  EXPECT_THAT(got_, ElementsAre("bad path"));
}

TEST_F(RemoteTransportTest, ARefusedTokenIsRenewedOnce) {
  credentials_->all = {{.token = "one"}, {.token = "two"}, {.token = "three"}};
  send("POST");
  reply(401, "who?");
  loop_.settle();
  EXPECT_TRUE(got_.empty());
  EXPECT_EQ(token(1), "Bearer two");
  reply(401, "who again?");
  EXPECT_THAT(got_, ElementsAre("401", "who again?", "end"));
  EXPECT_EQ(credentials_->renewals, 1);
  EXPECT_THAT(certificates_, ElementsAre("")) << "the connection is the same";
}

TEST_F(RemoteTransportTest, ARejectedTokenWithoutAnAlternativeIsReported) {
  send("GET");
  reply(401, "who?");
  EXPECT_THAT(got_, ElementsAre("401", "who?", "end"));
  EXPECT_EQ(wire_.count(), 1U);
}

TEST_F(RemoteTransportTest, AnotherCertificateNeedsAnotherConnection) {
  credentials_->all = {{.client_certificate_pem = "A", .client_key_pem = "a"},
                       {.client_certificate_pem = "B", .client_key_pem = "b"}};
  send("GET");
  EXPECT_FALSE(wire_.request(0).headers.has("Authorization"));
  reply(401, "who?");
  loop_.settle();
  reply(200, "hello");
  EXPECT_THAT(certificates_, ElementsAre("A", "B"));
  EXPECT_THAT(got_, ElementsAre("200", "hello", "end"));
}

TEST_F(RemoteTransportTest, FailingToGetACredentialIsTheAnswer) {
  credentials_->failure = Error{.reason = Reason::kNotFound, .message = "no such plugin"};
  send("GET");
  EXPECT_TRUE(got_.empty()) << "never inline";
  loop_.settle();
  EXPECT_THAT(got_, ElementsAre("no such plugin"));
  EXPECT_EQ(wire_.count(), 0U);

  credentials_->failure.reset();
  got_.clear();
  send("GET");
  credentials_->failure = Error{.message = "plugin is gone"};
  reply(401, "who?");
  EXPECT_THAT(got_, ElementsAre("plugin is gone"));
}

TEST_F(RemoteTransportTest, DestroyingTheCallEndsTheTries) {
  send("GET");
  reply(429, "", {{"Retry-After", "1"}});
  EXPECT_EQ(loop_.timers(), 1U);
  call_.reset();
  EXPECT_EQ(loop_.timers(), 0U);
  send("GET");
  call_.reset();
  EXPECT_TRUE(wire_.cancelled(1));
}

TEST_F(RemoteTransportTest, DestroyedTransportIsSilent) {
  send("GET");
  remote_.reset();
  reply(200, "late");
  EXPECT_TRUE(got_.empty());
}

}  // namespace
}  // namespace muster::client
