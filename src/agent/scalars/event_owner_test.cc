#include "agent/scalars/event_owner.h"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

Time at(int seconds) {
  return Time(std::chrono::seconds(seconds));
}

bool is_of(const std::string& file, int modified = 150) {
  return is_of_owner({.hosts = {"train-worker-", "train-launcher"}, .since = at(100), .until = at(200)}, file,
                     at(modified));
}

TEST(EventOwner, IsTheHostThatTheFileNames) {
  EXPECT_TRUE(is_of("events.out.tfevents.1763541000.train-worker-0.77.0"));
  EXPECT_TRUE(is_of("events.out.tfevents.1763541000.train-worker-12.77.0.v2"));
  EXPECT_TRUE(is_of("events.out.tfevents.1763541000.train-launcher")) << "tensorboardX";
  EXPECT_TRUE(is_of("events.out.tfevents.1763541000.train-worker-0_warmup"));
  EXPECT_FALSE(is_of("events.out.tfevents.1763541000.train-worker-x.77.0"));
  EXPECT_FALSE(is_of("events.out.tfevents.1763541000.train-worker-0-worker-0.77.0"));
  EXPECT_FALSE(is_of("events.out.tfevents.1763541000.other-worker-0.77.0"));
  EXPECT_FALSE(is_of("events.out.tfevents.1763541000.retrain-worker-0.77.0"));
}

TEST(EventOwner, OfAFileWithoutAHostIsWhoRanThen) {
  for (const char* file :
       {"events.out.tfevents.1", "events.out.tfevents.1763541000.v2", "my.tfevents", "tfevents.1.77"}) {
    EXPECT_TRUE(is_of(file)) << file;
    EXPECT_FALSE(is_of(file, 99)) << file;
    EXPECT_FALSE(is_of(file, 201)) << file;
  }
}

TEST(EventOwner, AnEarlierJobOfTheNameHadTheSameHosts) {
  EXPECT_FALSE(is_of("events.out.tfevents.1763541000.train-worker-0.77.0", 99));
  EXPECT_TRUE(is_of("events.out.tfevents.1763541000.train-worker-0.77.0", 300)) << "a clock may be ahead";
}

TEST(EventOwner, WithUnknownHostsIsFoundByTime) {
  const node::EventOwner owner{.hosts = {}, .since = at(100), .until = {}};
  EXPECT_TRUE(is_of_owner(owner, "events.out.tfevents.1763541000.any.77.0", at(500)));
  EXPECT_FALSE(is_of_owner(owner, "events.out.tfevents.1763541000.any.77.0", at(99)));
}

}  // namespace
}  // namespace muster::agent
