#include "store/store.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include "testing/store_fixture.h"

namespace muster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(StoreTest, CreatesUpdatesAndDeletes) {
  Store& store = open();
  EXPECT_EQ(store.revision(), 1u);
  const auto created = put(pod("a"), 0, "one");
  ASSERT_TRUE(created.has_value());
  EXPECT_EQ(created->revision, 2u);
  EXPECT_EQ(*created->bytes, "one@2");
  EXPECT_EQ(*created->attributes, (Attributes{{"value", "one"}}));
  EXPECT_EQ(store.revision(), 2u);

  const auto updated = put(pod("a"), 2, "two");
  ASSERT_TRUE(updated.has_value());
  EXPECT_EQ(*store.get(pod("a"))->bytes, "two@3");
  EXPECT_EQ(store.count("pods"), 1u);

  const auto removed = remove(pod("a"), 3);
  ASSERT_TRUE(removed.has_value());
  EXPECT_EQ(*removed->bytes, "two@4");  // the last state, with the revision of the deletion
  EXPECT_EQ(store.get(pod("a")), nullptr);
  EXPECT_EQ(store.latest(pod("a")), nullptr);
  EXPECT_EQ(store.count("pods"), 0u);
  EXPECT_EQ(store.revision(), 4u);
}

TEST_F(StoreTest, RefusesWritesMadeForAnotherRevision) {
  open();
  ASSERT_TRUE(put(pod("a"), 0, "one").has_value());

  const auto twice = put(pod("a"), 0, "again");
  ASSERT_FALSE(twice.has_value());
  EXPECT_EQ(twice.error().reason, Reason::kAlreadyExists);
  EXPECT_EQ(twice.error().message, "pods/default/a: already exists");

  const auto stale = put(pod("a"), 1, "stale");
  ASSERT_FALSE(stale.has_value());
  EXPECT_EQ(stale.error().reason, Reason::kConflict);
  EXPECT_EQ(stale.error().message, "pods/default/a: is at revision 2, the write was made for 1");

  const auto absent = put(pod("b"), 2, "absent");
  ASSERT_FALSE(absent.has_value());
  EXPECT_EQ(absent.error().reason, Reason::kNotFound);
  EXPECT_EQ(absent.error().message, "pods/default/b: not found");

  EXPECT_EQ(remove(pod("a"), 1).error().reason, Reason::kConflict);
  EXPECT_EQ(remove(pod("a"), 0).error().reason, Reason::kConflict);  // there is no unconditional delete
  EXPECT_EQ(remove(pod("b"), 2).error().reason, Reason::kNotFound);
  EXPECT_THAT(all(), ElementsAre("default/a=one@2"));
}

TEST_F(StoreTest, ReadersSeeAWriteOnlyOnceItIsDurable) {
  Store& store = open();
  const auto outcome = start_put(pod("a"), 0, "one");
  EXPECT_EQ(store.get(pod("a")), nullptr);
  EXPECT_EQ(store.revision(), 1u);
  ASSERT_NE(store.latest(pod("a")), nullptr);
  EXPECT_EQ(store.latest(pod("a"))->revision, 2u);
  EXPECT_FALSE(outcome->has_value());
  ASSERT_TRUE(wait(outcome).has_value());
  EXPECT_NE(store.get(pod("a")), nullptr);
}

TEST_F(StoreTest, LaterWritesBuildOnAcceptedOnes) {
  Store& store = open();
  loop_.hold();
  const auto first = start_put(pod("a"), 0, "one");
  const auto second = start_put(pod("a"), 2, "two");
  const auto stale = start_put(pod("a"), 2, "stale");
  const auto gone = start_remove(pod("a"), 3);
  const auto again = start_put(pod("a"), 0, "three");
  loop_.let_go();
  ASSERT_TRUE(wait(again).has_value());
  EXPECT_TRUE((*first)->has_value());
  EXPECT_TRUE((*second)->has_value());
  EXPECT_EQ((*stale)->error().reason, Reason::kConflict);
  EXPECT_TRUE((*gone)->has_value());
  EXPECT_EQ(*store.get(pod("a"))->bytes, "three@5");
  EXPECT_THAT(open_error().message, HasSubstr("in use"));
  reopen();
  EXPECT_THAT(all(), ElementsAre("default/a=three@5"));
}

TEST_F(StoreTest, WritesThatArriveDuringACommitFormTheNextOne) {
  Store& store = open();
  loop_.hold();
  const auto first = start_put(pod("first"), 0, "x");
  loop_.wait_until_held();
  std::vector<Outcome> rest;
  for (int i = 0; i < 500; ++i) rest.push_back(start_put(pod(fmt::format("p{}", i)), 0, "x"));
  loop_.let_go();
  ASSERT_TRUE(wait(first).has_value());
  for (const auto& outcome : rest) ASSERT_TRUE(wait(outcome).has_value());
  EXPECT_EQ(store.stats().commits, 2u);
  EXPECT_EQ(store.stats().writes, 501u);
}

TEST_F(StoreTest, RefusesMoreThanItCanQueue) {
  open();
  loop_.hold();
  const auto first = start_put(pod("first"), 0, "x");
  loop_.wait_until_held();
  std::vector<Outcome> rest;
  for (int i = 1; i < 65'536; ++i) rest.push_back(start_put({"x", "", std::to_string(i)}, 0, "x"));
  const auto refused = start_put(pod("last"), 0, "x");
  loop_.run_posted();
  ASSERT_TRUE(refused->has_value());
  EXPECT_EQ((*refused)->error().reason, Reason::kTooManyRequests);
  EXPECT_TRUE((*refused)->error().retry_after.has_value());
  loop_.let_go();
  ASSERT_TRUE(wait(rest.back()).has_value());
  EXPECT_TRUE(put(pod("last"), 0, "x").has_value());
}

TEST_F(StoreTest, KeepsItsStateWhenReopened) {
  open();
  ASSERT_TRUE(put(pod("b"), 0, "one").has_value());
  ASSERT_TRUE(put(pod("a", "other"), 0, "two").has_value());
  ASSERT_TRUE(put({"nodes", "", "n1"}, 0, "node").has_value());
  ASSERT_TRUE(put(pod("b"), 2, "changed").has_value());
  ASSERT_TRUE(put(pod("gone"), 0, "gone").has_value());
  ASSERT_TRUE(remove(pod("gone"), 6).has_value());

  Store& store = reopen();
  EXPECT_THAT(all(), ElementsAre("default/b=changed@5", "other/a=two@3"));
  EXPECT_THAT(all("nodes"), ElementsAre("/n1=node@4"));
  EXPECT_EQ(store.get(pod("b"))->revision, 5u);
  EXPECT_EQ(*store.get(pod("b"))->attributes, (Attributes{{"value", "changed"}}));
  EXPECT_EQ(store.revision(), 7u);  // the revision of the deletion, which leaves no row
  EXPECT_THAT(store.problems(), IsEmpty());
  EXPECT_EQ(put(pod("b"), 5, "next")->revision, 8u);
}

TEST_F(StoreTest, LosesNothingWithoutAClose) {
  open();
  ASSERT_TRUE(put(pod("a"), 0, "one").has_value());
  const auto last = start_put(pod("b"), 0, "two");
  store_.reset();
  loop_.run_posted();
  ASSERT_TRUE(last->has_value());  // the callback runs although the store is gone
  EXPECT_TRUE((*last)->has_value());
  open();
  EXPECT_THAT(all(), ElementsAre("default/a=one@2", "default/b=two@3"));
}

TEST_F(StoreTest, RejectsWritesAfterClose) {
  Store& store = open();
  store.close();
  const auto refused = put(pod("a"), 0, "one");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().reason, Reason::kServiceUnavailable);
  EXPECT_EQ(refused.error().message, "store: closed");
  store_.reset();
  open();
}

TEST_F(StoreTest, ASecondEngineIsRefused) {
  open();
  const auto error = open_error();
  EXPECT_EQ(error.reason, Reason::kConflict);
  EXPECT_EQ(error.message,
            fmt::format("data directory \"{}\": in use by another engine, pid {}; stop it or choose another directory",
                        options_.directory, ::getpid()));
}

TEST_F(StoreTest, ALayoutOfTheFutureIsRefused) {
  open();
  close();
  sqlite3* raw = nullptr;
  const std::string path = options_.directory + "/muster.db";
  ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw, "PRAGMA user_version = 7", nullptr, nullptr, nullptr), SQLITE_OK);
  ASSERT_EQ(sqlite3_close(raw), SQLITE_OK);
  EXPECT_EQ(open_error().message,
            fmt::format(
                "database \"{}\": has layout 7, this engine knows layouts up to 1; use the newer engine that wrote it",
                path));
}

TEST_F(StoreTest, CheckpointsKeepTheWalShort) {
  options_.checkpoint_pages = 50;
  Store& store = open();
  const std::string large(3000, 'x');
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(put(pod(fmt::format("p{}", i)), 0, large).has_value());
  EXPECT_GT(store.stats().checkpoints, 2u);
  // A checkpoint waits for a quiet moment, but not for long: at most twelve times the usual number of pages.
  EXPECT_LT(std::filesystem::file_size(options_.directory + "/muster.db-wal"), 50u * 13 * 4200);
  EXPECT_FALSE(std::filesystem::exists(options_.directory + "/muster.db-shm"));
  reopen();
  EXPECT_EQ(all().size(), 1000u);
}

TEST_F(StoreTest, FilesArePrivate) {
  open();
  ASSERT_TRUE(put(pod("a"), 0, "one").has_value());
  for (const auto& entry : std::filesystem::directory_iterator(options_.directory)) {
    EXPECT_EQ(entry.status().permissions() & std::filesystem::perms::all,
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
        << entry.path();
  }
  EXPECT_EQ(std::filesystem::status(options_.directory).permissions(), std::filesystem::perms::owner_all);
}

/// While this object lives, no file can grow beyond the size: writes fail with EFBIG, an I/O error to SQLite.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uintmax_t size) : previous_handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = size;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, previous_handler_);
  }

 private:
  void (*previous_handler_)(int);
  rlimit before_{};
};

TEST_F(StoreTest, AfterAnIoErrorNothingIsAcknowledged) {
  Store& store = open();
  ASSERT_TRUE(put(pod("a"), 0, "one").has_value());
  {
    const FileSizeLimit limit(std::filesystem::file_size(options_.directory + "/muster.db-wal"));
    loop_.hold();
    const auto failed = start_put(pod("b"), 0, std::string(9000, 'x'));
    loop_.wait_until_held();
    const auto queued = start_put(pod("c"), 0, "queued");
    loop_.let_go();
    EXPECT_EQ(wait(failed).error().reason, Reason::kServiceUnavailable);
    EXPECT_THAT((*failed)->error().message, HasSubstr("the outcome of the last writes is unknown"));
    EXPECT_EQ(wait(queued).error().reason, Reason::kServiceUnavailable);
  }
  // The write is refused although the disk would accept it now.
  EXPECT_EQ(put(pod("d"), 0, "later").error().reason, Reason::kServiceUnavailable);
  EXPECT_EQ(remove(pod("a"), 2).error().reason, Reason::kServiceUnavailable);
  ASSERT_EQ(fatal_.size(), 1u);
  EXPECT_THAT(fatal_[0].message, HasSubstr("disk I/O error"));
  EXPECT_THAT(all(), ElementsAre("default/a=one@2"));
  EXPECT_EQ(store.revision(), 2u);

  reopen();
  EXPECT_EQ(*store_->get(pod("a"))->bytes, "one@2");
  EXPECT_EQ(store_->get(pod("c")), nullptr);
  EXPECT_EQ(store_->get(pod("d")), nullptr);
  EXPECT_TRUE(put(pod("d"), 0, "later").has_value());
}

}  // namespace
}  // namespace muster::store
