#include "agent/logs/log_retention.h"

#include <gmock/gmock.h>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Time kNow{std::chrono::hours(1000)};

KeptPod pod_deleted(const std::string& uid, Duration ago, std::int64_t bytes) {
  return {.uid = uid, .deleted = kNow - ago, .bytes = bytes};
}

KeptRun run_written(int run, Duration ago, std::int64_t bytes) {
  return {.run = run, .written = kNow - ago, .bytes = bytes};
}

TEST(LogsAreKept, KeepsWhatIsWithinTheLimits) {
  const LogRetention limits{.keep_for = 2h, .keep_bytes = 100, .keep_pods = 3};
  EXPECT_THAT(pods_to_remove({pod_deleted("a", 1h, 50), pod_deleted("b", 2min, 50)}, limits, kNow), IsEmpty());
}

TEST(LogsAreKept, RemovesByAgeBytesAndNumberTheOldestFirst) {
  const std::vector<KeptPod> pods{pod_deleted("new", 1min, 10), pod_deleted("old", 3h, 10),
                                  pod_deleted("older", 4h, 10), pod_deleted("mid", 1h, 10)};
  const LogRetention by_age{.keep_for = 2h};
  EXPECT_THAT(pods_to_remove(pods, by_age, kNow), ElementsAre("older", "old"));
  const LogRetention by_bytes{.keep_for = 24h, .keep_bytes = 25};
  EXPECT_THAT(pods_to_remove(pods, by_bytes, kNow), ElementsAre("older", "old"));
  const LogRetention by_number{.keep_for = 24h, .keep_bytes = 1000, .keep_pods = 1};
  EXPECT_THAT(pods_to_remove(pods, by_number, kNow), ElementsAre("older", "old", "mid"));
}

TEST(LogsAreKept, ALargeLogDoesNotMakeRoomForOlderOnes) {
  const LogRetention limits{.keep_for = 24h, .keep_bytes = 100};
  EXPECT_THAT(pods_to_remove({pod_deleted("small", 3h, 10), pod_deleted("large", 2h, 500)}, limits, kNow),
              ElementsAre("small", "large"));
}

TEST(LogsAreKept, TheLastTwoRunsStay) {
  const LogRetention limits{.max_bytes_per_container = 10, .keep_for = 1h};
  EXPECT_THAT(runs_to_remove({run_written(0, 9h, 100), run_written(1, 8h, 100)}, limits, kNow), IsEmpty());
  EXPECT_THAT(runs_to_remove({run_written(0, 9h, 1), run_written(2, 2h, 1), run_written(1, 3h, 1)}, limits, kNow),
              ElementsAre(0));
}

TEST(LogsAreKept, EarlierRunsShareTheBytesOfOne) {
  const LogRetention limits{.max_bytes_per_container = 100, .keep_for = 24h};
  EXPECT_THAT(
      runs_to_remove({run_written(0, 4h, 40), run_written(1, 3h, 40), run_written(2, 2h, 40), run_written(3, 1h, 90)},
                     limits, kNow),
      ElementsAre(0));
}

}  // namespace
}  // namespace muster::agent
