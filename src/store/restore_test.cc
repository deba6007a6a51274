#include "store/restore.h"

#include <gmock/gmock.h>

#include <cerrno>
#include <fstream>

#include "store/backup.h"
#include "store/files.h"
#include "testing/faulty_disk.h"
#include "testing/store_fixture.h"

namespace muster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RestoreTest : public StoreTest {
 protected:
  std::string copy() const { return dir_.path() + "/copy.db"; }

  /// Makes a copy with two objects, then adds one to the directory and changes another.
  void make_copy_and_go_on() {
    open();
    ASSERT_TRUE(put(pod("a"), 0, "one").has_value());
    ASSERT_TRUE(put(pod("b"), 0, "two").has_value());
    close();
    ASSERT_TRUE(back_up_offline(options_.directory, copy()).has_value());
    open();
    ASSERT_TRUE(put(pod("a"), store_->latest(pod("a"))->revision, "changed").has_value());
    ASSERT_TRUE(put(pod("c"), 0, "later").has_value());
    close();
  }
};

TEST_F(RestoreTest, PutsTheCopyBackAndRevisionsGoOn) {
  make_copy_and_go_on();
  const auto restored = restore(options_.directory, copy(), Time());
  ASSERT_TRUE(restored.has_value()) << restored.error().message;
  EXPECT_EQ(restored->copied, 3u);
  EXPECT_EQ(restored->revision, 1'000'005u);
  EXPECT_EQ(restored->objects, 2u);
  open();
  EXPECT_THAT(store_->problems(), IsEmpty());
  EXPECT_THAT(all(), ElementsAre("default/a=one@2", "default/b=two@3"));
  EXPECT_EQ(store_->revision(), 1'000'005u);
  // A client that has seen a lost revision gets one Expired, and can continue from a list.
  for (const Revision seen : {2u, 3u, 5u}) {
    EXPECT_EQ(store_->watch("pods", seen, [](const auto&) {}).error().reason, Reason::kExpired);
  }
  EXPECT_TRUE(store_->watch("pods", store_->revision(), [](const auto&) {}).has_value());
  EXPECT_EQ(put(pod("d"), 0, "new")->revision, 1'000'006u);
  close();

  // The old database is kept, and is complete.
  EXPECT_EQ(restored->kept_aside, options_.directory + "/replaced-19700101T000000Z");
  EXPECT_EQ(check_copy(Disk::real(), restored->kept_aside + "/muster.db")->revision, 5u);
}

TEST_F(RestoreTest, WorksOnANewDirectoryAndOnADamagedOne) {
  make_copy_and_go_on();
  const std::string elsewhere = dir_.path() + "/new";
  ASSERT_TRUE(restore(elsewhere, copy(), Time()).has_value());
  std::ofstream(options_.directory + "/muster.db", std::ios::trunc) << "somebody's notes";
  EXPECT_THAT(open_error().message, HasSubstr("file is not a database"));
  const auto restored = restore(options_.directory, copy(), Time());
  ASSERT_TRUE(restored.has_value()) << restored.error().message;
  EXPECT_EQ(restored->revision, 1'000'005u);  // from the file "revision"
  open();
  EXPECT_THAT(all(), ElementsAre("default/a=one@2", "default/b=two@3"));
  close();
  options_.directory = elsewhere;
  open();
  EXPECT_THAT(all(), ElementsAre("default/a=one@2", "default/b=two@3"));
}

TEST_F(RestoreTest, RefusesGarbageAndARunningEngineAndChangesNothing) {
  make_copy_and_go_on();
  const std::string garbage = dir_.path() + "/garbage";
  EXPECT_EQ(restore(options_.directory, garbage, Time()).error().message,
            fmt::format("copy \"{}\": there is no such file", garbage));
  std::ofstream(garbage) << "a text that is certainly not a database";
  EXPECT_THAT(restore(options_.directory, garbage, Time()).error().message, HasSubstr("file is not a database"));
  {
    std::ifstream in(copy(), std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const auto at = bytes.find("two@3");
    ASSERT_NE(at, std::string::npos);
    bytes[at] = 'T';
    std::ofstream(garbage, std::ios::binary | std::ios::trunc) << bytes;
  }
  EXPECT_EQ(restore(options_.directory, garbage, Time()).error().message,
            fmt::format("copy \"{}\": row 2 has a wrong checksum; choose another copy", garbage));
  open();
  EXPECT_THAT(restore(options_.directory, copy(), Time()).error().message, HasSubstr("in use by another engine"));
  EXPECT_THAT(back_up_offline(options_.directory, copy()).error().message, HasSubstr("in use by another engine"));
  EXPECT_THAT(all(), ElementsAre("default/a=changed@4", "default/b=two@3", "default/c=later@5"));
}

/// When the process is killed halfway, either the old state opens, or the engine refuses to start until the restore is
/// repeated; it never serves a mixture.
TEST_F(RestoreTest, KilledOrFailingAtAnyCallItCanBeRepeated) {
  make_copy_and_go_on();
  const std::string before = dir_.path() + "/before";
  std::filesystem::copy(options_.directory, before);
  FaultyDisk disk;
  const auto changes = [](const DiskCall& call) { return call.kind != DiskCall::Kind::kRead; };
  int refused = 0;
  for (std::uint64_t n = 0;; ++n) {
    std::filesystem::remove_all(options_.directory);
    std::filesystem::copy(before, options_.directory);
    disk.fail(changes, n, EIO);
    const auto restored = restore(options_.directory, copy(), Time(), &disk);
    if (!disk.has_failed()) {
      EXPECT_TRUE(restored.has_value());
      break;
    }
    auto opened = Store::open(loop_, options_);
    if (opened) {
      store_ = *std::move(opened);
      const auto state = all();
      EXPECT_TRUE(state.size() == 3u || store_->revision() >= 1'000'005u) << n;
      EXPECT_TRUE(state.size() == 3u || state.size() == 2u) << n;
      close();
    } else {
      ++refused;
      EXPECT_THAT(opened.error().message, HasSubstr("restore a copy")) << n;
    }
    ASSERT_TRUE(restore(options_.directory, copy(), Time(std::chrono::hours(1))).has_value()) << n;
    open();
    EXPECT_THAT(all(), ElementsAre("default/a=one@2", "default/b=two@3")) << n;
    close();
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace muster::store
