// The store on a disk that fails: with an error at every single call, and with a power failure at every moment.
//
// One scripted run does everything the store does to its files. Whatever happened, a healthy disk must afterwards show
// a state that existed once (everything up to some revision and nothing else), and that revision must not be older than
// the last one acknowledged.

#include <gmock/gmock.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "testing/faulty_disk.h"
#include "testing/seeded_rng.h"
#include "testing/store_fixture.h"

namespace muster::store {
namespace {

using ::testing::IsEmpty;
using Kind = DiskCall::Kind;

class FaultsTest : public StoreTest {
 protected:
  FaultsTest() {
    options_.disk = &disk_;
    options_.checkpoint_pages = 8;
    options_.ballast_bytes = 64u << 10;
    loop_.stamp = [this] { return disk_.moment(); };
  }

  struct Tried {
    std::string name;
    std::optional<std::string> bytes;  // nullopt: deleted
  };
  struct Acknowledged {
    std::size_t moment;  // of the disk, when the writer posted the outcome
    Revision revision;
    int life;
  };

  /// Issues several writes at once, so that they may share a commit, and waits for all outcomes.
  void write(const std::vector<std::pair<std::string, std::string>>& changes) {
    int pending = 0;
    for (const auto& [name, value] : changes) {
      const Key key = pod(name);
      const Entry* latest = store_->latest(key);
      auto revision = std::make_shared<Revision>(0);
      auto render = [this, revision, name = name, value = value](Revision assigned) {
        *revision = assigned;
        const std::string bytes = fmt::format("{}@{}", value, assigned);
        tried_[assigned] = {name, value.empty() ? std::nullopt : std::optional(bytes)};
        return Rendered{bytes, {{"value", value}}};
      };
      const auto done = [this, revision, &pending](const Result<Entry>& result) {
        --pending;
        if (result) acknowledged_.push_back({loop_.stamp_of_running(), result->revision, life_});
        if (result && !fatal_.empty()) ++acknowledged_after_the_end_;
        // The write was definitely rejected, unlike one whose outcome is unknown.
        if (!result && result.error().reason == Reason::kStorageFull) tried_.erase(*revision);
      };
      ++pending;
      if (value.empty() && latest == nullptr) {
        --pending;
      } else if (value.empty()) {
        store_->remove(key, latest->revision, std::move(render), done);
      } else {
        store_->put(key, latest == nullptr ? 0 : latest->revision, std::move(render), done);
      }
    }
    loop_.run_until([&] { return pending == 0; });
  }

  /// Runs creates, updates, deletes, large objects on pages of their own, checkpoints, syncs of the mark and a restart.
  void run_script() {
    for (life_ = 0; life_ < 2; ++life_) {
      const std::size_t begin = disk_.moment();
      auto opened = Store::open(loop_, options_);
      if (!opened) return;
      store_ = *std::move(opened);
      for (int round = 0; round < 6 && fatal_.empty(); ++round) {
        const std::string value(round == 3 ? 9000 : 300, static_cast<char>('a' + round));
        write({{fmt::format("p{}", round), value}, {"same", value}, {fmt::format("q{}", life_), value}});
        if (round == 4) write({{"p1", ""}, {"same", ""}});
        loop_.advance(std::chrono::seconds(2));
      }
      close();
      const std::size_t failed = disk_.failed_at();
      if (disk_.has_failed() && begin <= failed && failed <= disk_.moment())
        life_that_failed_ = std::min(life_, life_that_failed_);
    }
  }

  std::map<std::string, std::string> truth_at(Revision revision) const {
    std::map<std::string, std::string> state;
    for (const auto& [at, tried] : tried_) {
      if (at > revision) break;
      state.erase(tried.name);
      if (tried.bytes) state[tried.name] = *tried.bytes;
    }
    return state;
  }

  Revision last_acknowledged(std::size_t moment) const {
    Revision last = 0;
    for (const auto& ack : acknowledged_) {
      if (ack.moment <= moment) last = std::max(last, ack.revision);
    }
    return last;
  }

  /// Opens the directory on a healthy disk and compares. Returns the revision found, or 0 when it does not open.
  Revision check(const std::string& directory, std::size_t moment, const std::string& where) {
    Options options = test_options(directory);
    auto opened = Store::open(loop_, options);
    EXPECT_TRUE(opened.has_value()) << where << ": " << opened.error().message;
    if (!opened) return 0;
    const Store& store = **opened;
    // This problem is expected when a write of the mark was interrupted.
    const std::string torn = "one of the two records in the file \"revision\" is damaged";
    EXPECT_THAT(store.problems(), ::testing::Each(torn)) << where;
    EXPECT_GE(store.revision(), last_acknowledged(moment)) << where << ": an acknowledged write is lost";
    std::map<std::string, std::string> found;
    store.scan("pods", "", [&](const Key& key, const Entry& entry) { found[key.name] = *entry.bytes; });
    EXPECT_EQ(found, truth_at(store.revision())) << where;
    return store.revision();
  }

  /// Repeats the script, each time with the next of the chosen calls failing, until there is none left.
  void fail_each(const FaultyDisk::Chooses& chooses, int error, bool ends_the_store) {
    for (std::uint64_t n = 0;; ++n) {
      forget();
      disk_.fail(chooses, n, error);
      run_script();
      close();
      disk_.heal();
      EXPECT_EQ(acknowledged_after_the_end_, 0) << n;
      EXPECT_TRUE(!ends_the_store || acknowledged_after_failure() == 0) << n;
      EXPECT_LE(fatal_.size(), 1u) << n;
      check(options_.directory, disk_.moment(), fmt::format("call {} failed", n));
      if (::testing::Test::HasFailure() || !disk_.has_failed()) {
        RecordProperty("calls", static_cast<int>(n));
        EXPECT_GT(n, 10u);
        return;
      }
    }
  }

  void forget() {
    std::filesystem::remove_all(options_.directory);
    tried_.clear();
    acknowledged_.clear();
    fatal_.clear();
    acknowledged_after_the_end_ = 0;
    life_that_failed_ = 2;
  }

  /// The number of writes that the process acknowledged after it saw the failure.
  int acknowledged_after_failure() const {
    return static_cast<int>(std::ranges::count_if(acknowledged_, [this](const Acknowledged& ack) {
      return ack.life == life_that_failed_ && ack.moment > disk_.failed_at();
    }));
  }

  FaultyDisk disk_;
  std::map<Revision, Tried> tried_;  // every write that may have been committed
  std::vector<Acknowledged> acknowledged_;
  int acknowledged_after_the_end_ = 0;
  int life_ = 0;
  int life_that_failed_ = 2;
};

TEST_F(FaultsTest, AnErrorAtAnySyncEndsTheStoreAndLosesNothing) {
  fail_each([](const DiskCall& call) { return call.kind == Kind::kSync || call.kind == Kind::kSyncDirectory; }, EIO,
            true);
}

TEST_F(FaultsTest, AnErrorAtAnyWriteEndsTheStoreAndLosesNothing) {
  fail_each([](const DiskCall& call) { return call.kind == Kind::kWrite; }, EIO, true);
}

TEST_F(FaultsTest, AnErrorAtAnyOtherCallLosesNothing) {
  fail_each(
      [](const DiskCall& call) {
        return call.kind != Kind::kWrite && call.kind != Kind::kSync && call.kind != Kind::kSyncDirectory;
      },
      EIO, false);
}

TEST_F(FaultsTest, NoSpaceAtAnyWriteIsRefusedOrEndsTheStoreAndLosesNothing) {
  fail_each(
      [](const DiskCall& call) {
        return call.kind == Kind::kWrite || call.kind == Kind::kCreate || call.kind == Kind::kReserve;
      },
      ENOSPC, false);
}

TEST_F(FaultsTest, ThePowerCutAtAnyMomentLosesNothing) {
  run_script();
  ASSERT_THAT(fatal_, IsEmpty());
  ASSERT_EQ(acknowledged_.size(), tried_.size());
  const int tries = full_run() ? 100 : 2;  // random choices of the unsynced bytes that are lost
  const std::string copy = dir_.path() + "/after";
  for (std::size_t moment = 0; moment <= disk_.moment() && !HasFailure(); ++moment) {
    testing::SeededRng rng(moment);
    for (int i = 0; i < tries + 2; ++i) {
      const auto unsynced = i == 0   ? FaultyDisk::Unsynced::kLost
                            : i == 1 ? FaultyDisk::Unsynced::kKept
                                     : FaultyDisk::Unsynced::kSome;
      disk_.leave(moment, unsynced, rng, options_.directory, copy);
      check(copy, moment, fmt::format("power cut at {} of {}, try {}", moment, disk_.moment(), i));
    }
  }
  RecordProperty("moments", static_cast<int>(disk_.moment()));
}

/// Linux forgets bytes whose sync failed, but keeps showing them until it is restarted: what the next engine reads may
/// not be on any disk.
TEST_F(FaultsTest, AfterAFailedSyncTheNextEngineRewritesTheFilesFirst) {
  const auto syncs = [](const DiskCall& call) { return call.kind == Kind::kSync; };
  testing::SeededRng rng(1);
  const std::string copy = dir_.path() + "/after";
  for (std::uint64_t n = 0;; ++n) {
    forget();
    disk_.fail(syncs, n, EIO);
    run_script();
    close();
    const bool failed = disk_.has_failed();
    disk_.heal();
    fatal_.clear();
    open();
    // Readers see it now, so it counts as acknowledged.
    acknowledged_.push_back({disk_.moment(), store_->revision(), life_});
    write({{"after", "the failure"}});
    const std::size_t moment = disk_.moment();
    close();
    disk_.leave(moment, FaultyDisk::Unsynced::kLost, rng, options_.directory, copy);
    check(copy, moment, fmt::format("power cut after sync {} had failed", n));
    if (!failed || HasFailure()) break;
  }
}

/// A sync takes long: the first write after a pause must not wait for the sync of the mark.
TEST_F(FaultsTest, TheMarkIsSyncedASecondAfterTheFirstUnsyncedWrite) {
  open();
  const auto syncs_of_the_mark = [](const DiskCall& call) {
    return call.kind == Kind::kSync && call.path.ends_with("/revision");
  };
  disk_.fail(syncs_of_the_mark, std::numeric_limits<std::uint64_t>::max(), EIO);
  loop_.stamp = [this] { return disk_.chosen(); };
  std::vector<std::size_t> syncs;  // how many syncs there had been when each write was acknowledged
  const auto put = [&](const std::string& name) {
    store_->put(pod(name), 0, body("x"), [&](const Result<Entry>&) { syncs.push_back(loop_.stamp_of_running()); });
  };
  loop_.hold();
  put("a");
  loop_.wait_until_held();
  put("b");  // committed right after the first outcome is delivered, with no chores between
  loop_.let_go();
  loop_.run_until([&] { return syncs.size() == 2; });
  EXPECT_EQ(syncs[1], 0u);

  loop_.advance(std::chrono::seconds(1));
  put("c");
  loop_.run_until([&] { return syncs.size() == 3; });
  put("d");
  loop_.run_until([&] { return syncs.size() == 4; });
  EXPECT_EQ(syncs[3], 1u);
  close();
}

}  // namespace
}  // namespace muster::store
