#include "client/election.h"

#include <gmock/gmock.h>

namespace muster::client {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using Move = Election::Move;

constexpr Time kWall = Time(seconds(1'800'000'000));

MonoTime at(int second) {
  return MonoTime(seconds(1000 + second));
}

json::Document lease_of(const std::string& holder, const std::string& renewed, int duration = 15) {
  return json::Object{{"metadata", json::Object{{"name", "muster-operator"}, {"resourceVersion", "7"}}},
                      {"spec", json::Object{{"holderIdentity", holder},
                                            {"leaseDurationSeconds", duration},
                                            {"renewTime", renewed},
                                            {"leaseTransitions", 3}}}};
}

Error not_found() {
  return {.reason = Reason::kNotFound, .message = "no"};
}

Election leader() {
  Election election("me", {});
  election.was_read(not_found(), at(0));
  json::Document lease = election.next(at(0), kWall).lease;
  lease["metadata"]["resourceVersion"] = "8";
  election.was_written(lease, at(0));
  return election;
}

TEST(ElectionTest, TheFirstCandidateCreatesTheLease) {
  Election election("me", {});
  EXPECT_EQ(election.next(at(0), kWall).move, Move::kRead);
  election.was_read(not_found(), at(0));
  const auto step = election.next(at(0), kWall);
  EXPECT_EQ(step.move, Move::kCreate);
  EXPECT_EQ(step.lease.string_at("spec", "holderIdentity"), "me");
  EXPECT_EQ(step.lease.int_at("spec", "leaseDurationSeconds"), 15);
  EXPECT_EQ(step.lease.int_at("spec", "leaseTransitions"), 0);
  EXPECT_FALSE(election.leads()) << "nothing is written yet";
  election.was_written(step.lease, at(0));
  EXPECT_TRUE(election.leads());
  EXPECT_EQ(election.deadline(), at(10));
}

TEST(ElectionTest, ALeaderRenewsWithoutReadingFirst) {
  const Election election = leader();
  const auto step = election.next(at(2), kWall + seconds(2));
  EXPECT_EQ(step.move, Move::kUpdate);
  EXPECT_EQ(step.lease.string_at("metadata", "resourceVersion"), "8") << "so that a write in between is noticed";
  EXPECT_EQ(step.lease.int_at("spec", "leaseTransitions"), 0);
  EXPECT_EQ(step.lease.string_at("spec", "acquireTime"), "2027-01-15T08:00:00.000000Z");
  EXPECT_EQ(step.lease.string_at("spec", "renewTime"), "2027-01-15T08:00:02.000000Z");
}

TEST(ElectionTest, ALeaseOfAnotherIsTakenOnlyWhenItHasNotChangedForItsDuration) {
  Election election("me", {});
  election.was_read(lease_of("other", "2020-01-01T00:00:00.000000Z"), at(0));
  EXPECT_EQ(election.next(at(0), kWall).move, Move::kWait) << "its clock is years behind, and it may be alive";
  election.was_read(lease_of("other", "2020-01-01T00:00:02.000000Z"), at(14));
  EXPECT_EQ(election.next(at(28), kWall).move, Move::kWait) << "it was renewed at 14";
  election.was_read(lease_of("other", "2020-01-01T00:00:02.000000Z"), at(29));
  const auto step = election.next(at(29), kWall);
  EXPECT_EQ(step.move, Move::kUpdate);
  EXPECT_EQ(step.lease.int_at("spec", "leaseTransitions"), 4);
  EXPECT_EQ(step.lease.string_at("metadata", "resourceVersion"), "7");
}

TEST(ElectionTest, TheDurationIsTheHolders) {
  Election election("me", {});
  election.was_read(lease_of("other", "a", 60), at(0));
  EXPECT_EQ(election.expires(), at(60));
}

TEST(ElectionTest, AReleasedLeaseIsTakenAtOnce) {
  const auto released = leader().released(kWall);
  ASSERT_TRUE(released);
  EXPECT_EQ(released->at("spec", "holderIdentity"), nullptr);
  EXPECT_EQ(released->int_at("spec", "leaseDurationSeconds"), 1);
  Election other("other", {});
  other.was_read(*released, at(3));
  EXPECT_EQ(other.next(at(3), kWall).move, Move::kUpdate);
}

TEST(ElectionTest, ALeaderThatFindsAnotherHolderLeadsNoMore) {
  Election election = leader();
  election.was_written(Error{.reason = Reason::kConflict, .message = "changed"}, at(2));
  EXPECT_TRUE(election.leads()) << "until the Lease was read";
  EXPECT_EQ(election.next(at(2), kWall).move, Move::kRead);
  election.was_read(lease_of("other", "now"), at(2));
  EXPECT_FALSE(election.leads());
  EXPECT_FALSE(election.released(kWall));
}

TEST(ElectionTest, AWriteWithoutAnAnswerMayHaveSucceeded) {
  Election election = leader();
  const json::Document sent = election.next(at(2), kWall + seconds(2)).lease;
  election.was_dropped();
  EXPECT_EQ(election.deadline(), at(10)) << "it does not count as renewed";
  election.was_read(sent, at(4));
  EXPECT_TRUE(election.leads());
  EXPECT_EQ(election.next(at(4), kWall + seconds(4)).move, Move::kUpdate);
}

TEST(ElectionTest, MembersThatOthersHaveSetStay) {
  json::Document lease = lease_of("other", "a", 1);
  lease["spec"]["preferredHolder"] = "somebody";
  lease["metadata"]["labels"] = json::Object{{"a", "b"}};
  Election election("me", {});
  election.was_read(lease, at(0));
  const auto step = election.next(at(1), kWall);
  EXPECT_EQ(step.lease.string_at("spec", "preferredHolder"), "somebody");
  EXPECT_EQ(step.lease.string_at("metadata", "labels", "a"), "b");
}

TEST(ElectionTest, AnEmptyLeaseIsFree) {
  Election election("me", {});
  election.was_read(json::Document(json::Object{{"metadata", json::Object{{"resourceVersion", "1"}}}}), at(0));
  EXPECT_EQ(election.next(at(0), kWall).move, Move::kUpdate);
}

TEST(ElectionTest, TimesThatLetTwoLeadAreRefused) {
  EXPECT_TRUE(check_election_times({}));
  const auto message = [](int lease, int renew, int retry) {
    const Status checked = check_election_times({seconds(lease), seconds(renew), seconds(retry)});
    return checked ? "" : checked.error().message;
  };
  EXPECT_EQ(message(10, 10, 2), "--lease-duration: must be more than --renew-deadline (10s), got 10s; raise it");
  EXPECT_EQ(message(15, 4, 2), "--renew-deadline: must be more than twice --retry-period (2s), got 4s; raise it");
  EXPECT_THAT(message(15, 10, 0), HasSubstr("--retry-period: must be more than 0s"));
}

}  // namespace
}  // namespace muster::client
