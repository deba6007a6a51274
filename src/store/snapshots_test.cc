#include "store/snapshots.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <thread>

#include "store/backup.h"
#include "testing/sim_loop.h"
#include "testing/store_fixture.h"

namespace muster::store {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class SnapshotsTest : public ::testing::Test {
 protected:
  SnapshotsTest() {
    auto opened = Store::open(loop_, test_options(directory_));
    CHECK(opened.has_value());
    store_ = *std::move(opened);
  }

  void put(const std::string& name) {
    bool done = false;
    store_->put(pod(name), 0, body("value"), [&](const Result<Entry>& result) {
      EXPECT_TRUE(result.has_value());
      done = true;
    });
    while (!done) settle();
  }
  void settle() {
    std::this_thread::yield();
    loop_.settle();
  }
  /// Advances the time and waits for the writer until there are this many snapshots.
  void expect_after(Duration span, std::size_t count) {
    loop_.advance(span);
    while (list_snapshots(directory_).size() < count) settle();
    settle();
    EXPECT_EQ(list_snapshots(directory_).size(), count);
  }

  TempDir dir_;
  std::string directory_ = dir_.path() + "/data";
  testing::SimLoop loop_;
  std::unique_ptr<Store> store_;
};

TEST_F(SnapshotsTest, OneAnHourWhileThereIsSomethingNewAndTheNewestAreKept) {
  Snapshots snapshots(loop_, *store_, {.store_directory = directory_, .every = hours(1), .keep = 3});
  put("a");
  expect_after(minutes(1), 1);
  const Snapshot first = list_snapshots(directory_)[0];
  EXPECT_THAT(first.path, EndsWith("/data/snapshots/20260101T000100Z-2.db"));
  EXPECT_EQ(first.revision, 2u);
  EXPECT_EQ(format_rfc3339(first.made), "2026-01-01T00:01:00Z");
  EXPECT_EQ(check_copy(Disk::real(), first.path)->objects, 1u);

  loop_.advance(hours(5));  // nothing is new, so there is no snapshot
  settle();
  EXPECT_EQ(list_snapshots(directory_).size(), 1u);
  put("b");
  expect_after(hours(1), 2);
  put("c");
  expect_after(hours(1), 3);
  put("d");
  loop_.advance(hours(1));
  while (list_snapshots(directory_).back().revision != 5u || list_snapshots(directory_).size() != 3u) settle();
  EXPECT_EQ(list_snapshots(directory_)[0].revision, 3u);
}

TEST_F(SnapshotsTest, ARestartKeepsTheRhythm) {
  put("a");
  {
    Snapshots snapshots(loop_, *store_, {.store_directory = directory_, .every = hours(1), .keep = 3});
    expect_after(minutes(1), 1);
  }
  put("b");
  loop_.advance(minutes(30));
  Snapshots snapshots(loop_, *store_, {.store_directory = directory_, .every = hours(1), .keep = 3});
  loop_.advance(minutes(29));
  settle();
  EXPECT_EQ(list_snapshots(directory_).size(), 1u);
  expect_after(minutes(1), 2);
}

TEST_F(SnapshotsTest, TwoAtOnceAreBothWholeAndAThirdIsRefused) {
  put("a");
  Snapshots snapshots(loop_, *store_, {.store_directory = directory_, .every = Duration(0)});
  std::map<int, Result<Snapshot>> taken;
  const auto take = [&](int i) {
    snapshots.take_now([&, i](Result<Snapshot> result) { taken.emplace(i, std::move(result)); });
  };
  for (int i = 0; i < 3; ++i) take(i);
  EXPECT_TRUE(taken.empty()) << "never inline";
  while (taken.size() < 3) settle();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(taken.at(i).has_value()) << taken.at(i).error().message;
    EXPECT_EQ(check_copy(Disk::real(), taken.at(i)->path)->objects, 1u);
  }
  ASSERT_FALSE(taken.at(2).has_value());
  EXPECT_EQ(taken.at(2).error().reason, Reason::kTooManyRequests);
  take(3);
  while (taken.size() < 4) settle();
  EXPECT_TRUE(taken.at(3).has_value());
}

TEST_F(SnapshotsTest, AFolderThatCannotBeMadeIsReportedLater) {
  std::ofstream(directory_ + "/snapshots") << "in the way";
  Snapshots snapshots(loop_, *store_, {.store_directory = directory_, .every = Duration(0)});
  std::optional<Result<Snapshot>> taken;
  snapshots.take_now([&](Result<Snapshot> result) { taken = std::move(result); });
  EXPECT_FALSE(taken.has_value());
  while (!taken) settle();
  EXPECT_FALSE(taken->has_value());
}

TEST_F(SnapshotsTest, ADamagedDatabaseNamesTheNewestOne) {
  put("a");
  {
    Snapshots snapshots(loop_, *store_, {.store_directory = directory_});
    expect_after(minutes(1), 1);
  }
  store_->close();
  loop_.settle();
  store_.reset();
  std::ofstream(directory_ + "/muster.db", std::ios::trunc) << "somebody wrote notes over it, much longer than a page";
  const auto opened = Store::open(loop_, test_options(directory_));
  ASSERT_FALSE(opened.has_value());
  EXPECT_THAT(opened.error().message, HasSubstr("file is not a database"));
  EXPECT_THAT(opened.error().message,
              EndsWith(fmt::format("; the newest snapshot is of 2026-01-01T00:01:00Z (revision 2): muster restore "
                                   "{}/snapshots/20260101T000100Z-2.db",
                                   directory_)));
}

}  // namespace
}  // namespace muster::store
