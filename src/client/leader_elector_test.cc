#include "client/leader_elector.h"

#include <gmock/gmock.h>

#include <memory>

#include "base/random.h"
#include "testing/fake_server.h"
#include "testing/seeded_rng.h"
#include "testing/sim_loop.h"

namespace muster::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kLease = "/apis/coordination.k8s.io/v1/namespaces/muster/leases/muster-operator";

/// The way to the server, which can be cut: then nothing answers.
class Line final : public net::Transport {
 public:
  explicit Line(net::Transport& server) : server_(server) {}
  std::unique_ptr<net::Call> send(net::Request request, net::ResponseSink sink) override {
    return cut ? std::make_unique<net::Call>() : server_.send(std::move(request), std::move(sink));
  }
  bool cut = false;

 private:
  net::Transport& server_;
};

class LeaderElectorTest : public ::testing::Test {
 protected:
  struct Candidate {
    Candidate(LeaderElectorTest& test, const std::string& identity)
        : line(test.server_),
          elector(test.loop_, test.rng_, line,
                  {.ns = "muster", .lease = "muster-operator", .identity = identity, .manager = "muster-operator"},
                  {.on_elected = [this] { ++elected; }, .on_lost = [this](const std::string& why) { lost = why; }}) {
      elector.start();
    }
    Line line;
    int elected = 0;
    std::string lost;
    LeaderElector elector;
  };

  void pass(Duration span) { loop_.advance(span); }
  std::string holder() { return server_.find(kLease)->string_at("spec", "holderIdentity"); }

  muster::testing::SimLoop loop_;
  muster::testing::SeededRng rng_{7};
  cli::FakeServer server_{loop_};
};

TEST_F(LeaderElectorTest, OneOfTwoLeadsAndTheOtherOnlyReads) {
  Candidate a(*this, "a");
  pass(seconds(1));
  Candidate b(*this, "b");
  server_.requests.clear();
  pass(seconds(60));
  EXPECT_TRUE(a.elector.leads());
  EXPECT_FALSE(b.elector.leads());
  EXPECT_EQ(a.elected + b.elected, 1);
  EXPECT_EQ(b.elector.holder(), "a");
  const auto count = [&](const std::string& method) {
    return std::ranges::count_if(server_.requests, [&](const std::string& one) { return one.starts_with(method); });
  };
  EXPECT_EQ(count("PUT"), 30) << "one renewal each two seconds";
  EXPECT_EQ(count("POST"), 0);
  EXPECT_GE(count("GET"), 30);
}

TEST_F(LeaderElectorTest, TheOtherLeadsWithinTheDurationOfAKilledOnesLease) {
  auto a = std::make_unique<Candidate>(*this, "a");
  pass(seconds(5));
  Candidate b(*this, "b");
  pass(seconds(4));
  a.reset();
  pass(seconds(12));
  EXPECT_FALSE(b.elector.leads()) << "the Lease may still be valid";
  pass(seconds(4));
  EXPECT_TRUE(b.elector.leads());
  EXPECT_EQ(holder(), "b");
}

TEST_F(LeaderElectorTest, ALeaderThatStopsHandsOverWithinThePeriod) {
  auto a = std::make_unique<Candidate>(*this, "a");
  pass(seconds(5));
  Candidate b(*this, "b");
  pass(seconds(3));
  bool released = false;
  a->elector.stop([&] { released = true; });
  EXPECT_FALSE(a->elector.leads()) << "from the first moment";
  loop_.settle();
  EXPECT_TRUE(released);
  EXPECT_EQ(holder(), "");
  pass(seconds(2));
  EXPECT_TRUE(b.elector.leads());
  EXPECT_THAT(a->lost, IsEmpty());
}

TEST_F(LeaderElectorTest, ARenewalThatIsUnderWayDoesNotKeepTheLease) {
  Candidate a(*this, "a");
  pass(seconds(1));
  json::Document renewed = *server_.find(kLease);
  renewed["spec"]["renewTime"] = "2026-01-01T00:00:09.000000Z";
  server_.put(kLease, renewed);  // as a request does whose answer is not there yet
  bool released = false;
  a.elector.stop([&] { released = true; });
  loop_.settle();
  EXPECT_TRUE(released);
  EXPECT_EQ(holder(), "");
}

TEST_F(LeaderElectorTest, TheReleaseWaitsForADeadServerOnlyShortly) {
  Candidate a(*this, "a");
  pass(seconds(1));
  a.line.cut = true;
  bool released = false;
  a.elector.stop([&] { released = true; });
  pass(seconds(2));
  EXPECT_TRUE(released);
  EXPECT_EQ(loop_.timers(), 0u);
}

TEST_F(LeaderElectorTest, ALeaderThatIsCutOffGivesUpBeforeAnyOtherMayLead) {
  Candidate a(*this, "a");
  pass(seconds(4));
  Candidate b(*this, "b");
  pass(milliseconds(100));
  a.line.cut = true;
  pass(milliseconds(9800));
  EXPECT_TRUE(a.elector.leads());
  pass(milliseconds(200));
  EXPECT_FALSE(a.elector.leads());
  EXPECT_EQ(a.lost, "the Lease could not be renewed within 10s: the API server does not answer");
  EXPECT_FALSE(b.elector.leads());
  pass(seconds(6));
  EXPECT_TRUE(b.elector.leads());
  EXPECT_EQ(a.elected, 1) << "it is over for this one";
}

TEST_F(LeaderElectorTest, AShortOutageIsNoLoss) {
  Candidate a(*this, "a");
  pass(seconds(4));
  a.line.cut = true;
  pass(seconds(4));
  a.line.cut = false;
  pass(seconds(30));
  EXPECT_TRUE(a.elector.leads());
  EXPECT_THAT(a.lost, IsEmpty());
  EXPECT_EQ(a.elected, 1);
}

TEST_F(LeaderElectorTest, ALeaseThatAnotherHasTakenIsLostAtTheNextTry) {
  Candidate a(*this, "a");
  pass(seconds(1));
  json::Document taken = *server_.find(kLease);
  taken["spec"]["holderIdentity"] = "thief";
  server_.put(kLease, taken);
  pass(seconds(4));
  EXPECT_FALSE(a.elector.leads());
  EXPECT_EQ(a.lost, "the Lease is held by thief");
}

TEST_F(LeaderElectorTest, ACandidateSaysWhyItCannotReadTheLease) {
  const json::Document refusal = json::Object{
      {"kind", "Status"}, {"reason", "Forbidden"}, {"code", 403}, {"message", "cannot get resource \"leases\""}};
  server_.refuse("GET", kLease, 403, refusal);
  Candidate a(*this, "a");
  loop_.settle();
  EXPECT_THAT(a.elector.problem(), HasSubstr("cannot get resource"));
  pass(seconds(2));
  EXPECT_EQ(a.elector.problem(), "");
  EXPECT_TRUE(a.elector.leads());
}

TEST_F(LeaderElectorTest, ItWritesNothingButTheLease) {
  Candidate a(*this, "a");
  pass(seconds(10));
  for (const std::string& request : server_.requests) EXPECT_THAT(request, HasSubstr("/leases"));
  EXPECT_EQ(server_.heads.back().get("User-Agent"), "muster-operator");
}

}  // namespace
}  // namespace muster::client
