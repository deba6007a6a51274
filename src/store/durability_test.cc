// The state on disk after killed processes, flipped bits and lost tails.

#include <gmock/gmock.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "testing/seeded_rng.h"
#include "testing/store_fixture.h"

namespace muster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_all(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

void flip(std::string& bytes, std::size_t bit) {
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
}

std::map<std::string, std::string> contents(const Store& store) {
  std::map<std::string, std::string> found;
  store.scan("pods", "", [&](const Key& key, const Entry& entry) { found[key.name] = *entry.bytes; });
  return found;
}

class DurabilityTest : public StoreTest {
 protected:
  std::string file(const std::string& name) const { return options_.directory + "/" + name; }

  /// Copies what a crash would leave now. The mark is copied first: the WAL only grows, so it is never behind the mark.
  std::string copy_as_it_is(const std::string& name) {
    const std::string to = dir_.path() + "/" + name;
    std::filesystem::create_directories(to);
    for (const char* part : {"revision", "muster.db", "muster.db-wal"}) {
      if (std::filesystem::exists(file(part))) std::filesystem::copy_file(file(part), to + "/" + part);
    }
    return to;
  }

  void write_objects(int count, std::size_t size) {
    std::vector<Outcome> outcomes;
    for (int i = 0; i < count; ++i) {
      outcomes.push_back(
          start_put(pod(fmt::format("p{:03}", i)), 0, std::string(size, static_cast<char>('a' + i % 26))));
    }
    for (const auto& outcome : outcomes) ASSERT_TRUE(wait(outcome).has_value());
  }
};

TEST_F(DurabilityTest, ACrashAtAnyMomentKeepsAcknowledgedWrites) {
  options_.checkpoint_pages = 1'000'000;  // a copy resembles a crash only while the database file is unchanged
  open();
  constexpr int kObjects = 40;
  std::map<std::string, Revision> acknowledged;  // by name: the last acknowledged revision
  std::vector<Outcome> pending;
  for (int round = 0; round < 25; ++round) {
    for (int i = 0; i < kObjects; ++i) {
      const Key key = pod(fmt::format("p{}", i));
      const Entry* latest = store_->latest(key);
      store_->put(key, latest == nullptr ? 0 : latest->revision, body(std::string(200, 'x')),
                  [&acknowledged, name = key.name](Result<Entry> done) {
                    ASSERT_TRUE(done.has_value());
                    acknowledged[name] = done->revision;
                  });
    }
    loop_.run_posted();
    const auto promised = acknowledged;
    const std::string copy = copy_as_it_is(fmt::format("crash{}", round));
    auto opened = Store::open(loop_, test_options(copy));
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    EXPECT_THAT((*opened)->problems(), IsEmpty());
    for (const auto& [name, revision] : promised) {
      const Entry* entry = (*opened)->get(pod(name));
      ASSERT_NE(entry, nullptr) << name;
      EXPECT_GE(entry->revision, revision) << name;
      EXPECT_GE((*opened)->revision(), revision);
    }
    std::filesystem::remove_all(copy);
  }
  loop_.run_until([&] { return store_->revision() == 1u + 25 * kObjects; });
  EXPECT_EQ(acknowledged.size(), static_cast<std::size_t>(kObjects));
}

/// Runs in the child: writes endlessly and sends each acknowledged revision through the pipe.
[[noreturn]] void write_until_killed(const std::string& directory, int acks) {
  PostLoop loop;
  Options options = test_options(directory);
  options.checkpoint_pages = 20;
  auto opened = Store::open(loop, options);
  if (!opened) ::_exit(1);
  Store& store = **opened;
  for (std::uint64_t n = 0;; ++n) {
    const Key key = pod(fmt::format("p{}", n % 50));
    const Entry* latest = store.latest(key);
    bool done = n % 7 != 0;  // most writes do not wait, so a group is always in progress
    store.put(key, latest == nullptr ? 0 : latest->revision, body(fmt::format("{:0500}", n)),
              [&done, acks, n](Result<Entry> result) {
                if (n % 7 == 0) done = true;
                const std::uint64_t ack[2] = {n, result->revision};
                if (::write(acks, ack, sizeof ack) != sizeof ack) ::_exit(1);
              });
    loop.run_until([&] { return done; });
  }
}

TEST_F(DurabilityTest, KilledAgainAndAgainItLosesNothing) {
  Revision before = 0;
  for (int round = 0; round < 10; ++round) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(pipe[0]);
      write_until_killed(options_.directory, pipe[1]);
    }
    ::close(pipe[1]);
    std::map<std::uint64_t, Revision> acknowledged;  // by object: the last acknowledged revision
    std::uint64_t ack[2];
    int left = 100 + 37 * round;
    Revision last = before;
    while (::read(pipe[0], ack, sizeof ack) == sizeof ack) {
      EXPECT_GT(ack[1], last) << "a revision was used twice";
      last = ack[1];
      acknowledged[ack[0] % 50] = ack[1];
      if (--left == 0) ::kill(child, SIGKILL);  // keep reading: what is in the pipe was acknowledged too
    }
    ::close(pipe[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child could not write";

    open();
    EXPECT_THAT(store_->problems(), IsEmpty());
    for (const auto& [object, revision] : acknowledged) {
      const Entry* entry = store_->get(pod(fmt::format("p{}", object)));
      ASSERT_NE(entry, nullptr);
      EXPECT_GE(entry->revision, revision);
    }
    before = store_->revision();
    EXPECT_GE(before, last);
    close();
  }
}

TEST_F(DurabilityTest, AFlippedBitInTheDatabaseIsNeverServed) {
  open();
  write_objects(60, 2600);
  const auto truth = contents(*store_);
  close();
  ASSERT_EQ(std::filesystem::file_size(file("muster.db-wal")), 0u);  // everything is checkpointed
  const std::string good = read_all(file("muster.db"));
  testing::SeededRng rng(7);
  int quarantined = 0;
  int refused = 0;
  int unaffected = 0;
  const int flips = full_run() ? 2000 : 300;
  for (int i = 0; i < flips; ++i) {
    // A third of the flips hit the start of pages, where SQLite keeps its structure.
    const std::size_t page = rng.below(good.size() / 4096) * 4096;
    const std::size_t offset = i % 3 == 0 ? page + rng.below(64) : rng.below(good.size());
    std::string bad = good;
    flip(bad, offset * 8 + rng.below(8));
    write_all(file("muster.db"), bad);
    auto opened = Store::open(loop_, options_);
    if (!opened) {
      ++refused;
      EXPECT_FALSE(opened.error().message.empty());
      continue;
    }
    const auto served = contents(**opened);
    for (const auto& [name, bytes] : served) {
      ASSERT_TRUE(truth.contains(name)) << "offset " << offset;
      ASSERT_EQ(bytes, truth.at(name)) << "offset " << offset;
    }
    if (served.size() == truth.size()) {
      ++unaffected;
    } else {
      ++quarantined;
      EXPECT_GE((*opened)->problems().size(), truth.size() - served.size()) << "offset " << offset;
    }
    (*opened).reset();
    std::filesystem::remove(file("muster.db-wal"));
  }
  EXPECT_GT(quarantined, flips / 6);
  EXPECT_GT(refused, flips / 60);
  RecordProperty("quarantined", quarantined);
  RecordProperty("refused", refused);
  RecordProperty("unaffected", unaffected);
}

TEST_F(DurabilityTest, AQuarantinedRowIsNamedAndKeptAndOthersGoOn) {
  open();
  ASSERT_TRUE(put(pod("a"), 0, "the first object").has_value());
  ASSERT_TRUE(put(pod("b"), 0, "the second object").has_value());
  close();
  std::string bytes = read_all(file("muster.db"));
  const auto at = bytes.find("the first object");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'T';
  write_all(file("muster.db"), bytes);

  for (int i = 0; i < 2; ++i) {
    open();
    EXPECT_THAT(
        store_->problems(),
        ElementsAre("database: row 1 (\"pods/default/a\"): wrong checksum, the object is not served; its row is kept"));
    EXPECT_EQ(store_->get(pod("a")), nullptr);
    const Entry* other = store_->get(pod("b"));
    ASSERT_NE(other, nullptr);
    ASSERT_TRUE(put(pod("b"), other->revision, fmt::format("changed {}", i)).has_value());
    close();
    EXPECT_THAT(read_all(file("muster.db")), HasSubstr("The first object"));
  }
}

TEST_F(DurabilityTest, AFlippedBitInTheWalDropsATailAndThatIsNoticed) {
  options_.checkpoint_pages = 1'000'000;
  open();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(put(pod(fmt::format("p{}", i)), 0, std::string(2000, 'x')).has_value());
  const auto truth = contents(*store_);
  const std::string copy = copy_as_it_is("flipped");
  const std::string good = read_all(copy + "/muster.db-wal");
  const std::string database = read_all(copy + "/muster.db");
  const std::string mark = read_all(copy + "/revision");
  testing::SeededRng rng(11);
  int refused = 0;
  const int flips = full_run() ? 500 : 100;
  for (int i = 0; i < flips; ++i) {
    std::string bad = good;
    flip(bad, rng.below(good.size() * 8));
    write_all(copy + "/muster.db", database);
    write_all(copy + "/muster.db-wal", bad);
    write_all(copy + "/revision", mark);
    auto opened = Store::open(loop_, test_options(copy));
    if (opened) {
      EXPECT_EQ(contents(**opened), truth);
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, flips * 95 / 100);
}

TEST_F(DurabilityTest, ALostTailRefusesUnlessAcceptedAndThenRevisionsJump) {
  options_.checkpoint_pages = 1'000'000;
  open();
  ASSERT_TRUE(put(pod("a"), 0, "one").has_value());
  const std::string shorter = read_all(file("muster.db-wal"));
  ASSERT_TRUE(put(pod("b"), 0, "two").has_value());
  const std::string copy = copy_as_it_is("tail");
  write_all(copy + "/muster.db-wal", shorter);
  close();

  options_ = test_options(copy);
  EXPECT_EQ(open_error().message,
            fmt::format("data directory \"{}\": the database ends at revision 2, but 3 was acknowledged; "
                        "restore a copy, or start with --accept-data-loss to start without it",
                        copy));
  EXPECT_EQ(open_error().reason, Reason::kInternalError);  // a rejected open changes nothing

  options_.accept_data_loss = true;
  open();
  EXPECT_THAT(all(), ElementsAre("default/a=one@2"));
  EXPECT_THAT(store_->problems(), ElementsAre("the database ends at revision 2, but 3 was acknowledged (accepted)"));
  EXPECT_EQ(store_->revision(), 1'000'003u);
  EXPECT_EQ(store_->watch("pods", 3, [](const auto&) {}).error().reason, Reason::kExpired);
  EXPECT_EQ(put(pod("c"), 0, "three")->revision, 1'000'004u);
  close();

  options_.accept_data_loss = false;
  open();
  EXPECT_THAT(store_->problems(), IsEmpty());
  EXPECT_EQ(store_->revision(), 1'000'004u);
}

TEST_F(DurabilityTest, AnAcceptedLossIsDurableBeforeAnythingIsWritten) {
  open();
  ASSERT_TRUE(put(pod("a"), 0, "one").has_value());
  close();
  std::filesystem::remove(file("muster.db"));
  options_.accept_data_loss = true;
  open();
  const Revision jumped = store_->revision();
  close();
  options_.accept_data_loss = false;
  open();
  EXPECT_EQ(store_->revision(), jumped);
}

TEST_F(DurabilityTest, MissingPiecesAreNoticed) {
  open();
  write_objects(3, 100);
  close();
  const std::string database = read_all(file("muster.db"));
  const std::string mark = read_all(file("revision"));

  std::filesystem::remove(file("revision"));
  EXPECT_THAT(open_error().message,
              HasSubstr("the file \"revision\" is gone, so a missing end of the database would not show; restore"));
  write_all(file("revision"), std::string(48, 'x'));
  EXPECT_THAT(open_error().message, HasSubstr("the file \"revision\" is damaged"));
  write_all(file("revision"), mark);

  std::filesystem::remove(file("muster.db"));
  EXPECT_EQ(open_error().message,
            fmt::format("database \"{}\": is missing, but revision 4 was acknowledged; restore a copy, or start with "
                        "--accept-data-loss to start empty",
                        file("muster.db")));
  EXPECT_FALSE(std::filesystem::exists(file("muster.db")));  // nothing is in the way of a copy

  write_all(file("muster.db"), "this is not a database, it is a text that somebody put here");
  EXPECT_THAT(open_error().message, HasSubstr("file is not a database"));

  write_all(file("muster.db"), database);
  open();
  EXPECT_EQ(all().size(), 3u);
}

TEST_F(DurabilityTest, AVanishedRowIsNoticedBesideADamagedOneToo) {
  open();
  write_objects(3, 100);
  close();
  const auto change = [this](const char* sql) {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(file("muster.db").c_str(), &raw), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(raw, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(raw);
    sqlite3_close(raw);
  };
  change("DELETE FROM objects WHERE id = 2");
  EXPECT_THAT(open_error().message, HasSubstr("the database holds 2 objects, its ledger says 3; restore a copy"));
  change("UPDATE objects SET bytes = x'00' WHERE id = 1");
  EXPECT_THAT(open_error().message, HasSubstr("the database holds 2 objects, its ledger says 3; restore a copy"));
  change("DELETE FROM ledger");
  EXPECT_THAT(open_error().message, HasSubstr("the database has no valid ledger"));
  options_.accept_data_loss = true;
  open();
  EXPECT_EQ(store_->count("pods"), 1u);
  EXPECT_EQ(store_->problems().size(), 2u);
}

/// Each page in turn reverts to its state one commit earlier: every row in it has a right checksum, but is outdated.
TEST_F(DurabilityTest, APageThatFellBackIsNoticed) {
  open();
  write_objects(10, 1500);
  close();
  const std::string before = read_all(file("muster.db"));
  open();
  std::vector<Outcome> outcomes;
  for (int i = 0; i < 10; ++i) {
    const Key key = pod(fmt::format("p{:03}", i));
    outcomes.push_back(start_put(key, store_->latest(key)->revision, std::string(1500, 'z')));
  }
  for (const auto& outcome : outcomes) ASSERT_TRUE(wait(outcome).has_value());
  const auto truth = contents(*store_);
  close();
  const std::string after = read_all(file("muster.db"));
  ASSERT_EQ(before.size(), after.size());
  int differing = 0;
  for (std::size_t page = 0; page < after.size(); page += 4096) {
    if (before.compare(page, 4096, after, page, 4096) == 0) continue;
    ++differing;
    std::string mixed = after;
    mixed.replace(page, 4096, before, page, 4096);
    write_all(file("muster.db"), mixed);
    auto opened = Store::open(loop_, options_);
    if (opened) {
      EXPECT_EQ(contents(**opened), truth) << "page " << page / 4096;
    }
  }
  EXPECT_GT(differing, 3);
}

}  // namespace
}  // namespace muster::store
