// No space left: because of the database's quota, and on a real file system that is full.

#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "testing/store_fixture.h"

namespace muster::store {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DiskFullTest : public StoreTest {
 protected:
  static std::string name(int i) { return fmt::format("p{:04}", i); }

  /// Creates objects until one is rejected. Returns how many were stored.
  int fill(std::size_t size) {
    for (int i = 0;; ++i) {
      const auto done = put(pod(name(i)), 0, std::string(size, 'x'));
      if (done) continue;
      EXPECT_EQ(done.error().reason, Reason::kStorageFull) << done.error().message;
      return i;
    }
  }
};

TEST_F(DiskFullTest, TheQuotaRefusesCreatesAndDeletesMakeRoom) {
  options_.max_bytes = 256u << 10;
  open();
  const int stored = fill(3000);
  EXPECT_GT(stored, 20);
  EXPECT_THAT(fatal_, IsEmpty());
  EXPECT_EQ(store_->count("pods"), static_cast<std::size_t>(stored));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(remove(pod(name(i)), store_->latest(pod(name(i)))->revision).has_value());
  ASSERT_TRUE(put(pod("again"), 0, std::string(3000, 'y')).has_value());
  reopen();
  EXPECT_EQ(store_->count("pods"), static_cast<std::size_t>(stored) - 4);
  EXPECT_THAT(store_->problems(), IsEmpty());
}

TEST_F(DiskFullTest, WritesAcceptedOnTopOfARefusedOneAreRefusedToo) {
  options_.max_bytes = 256u << 10;
  open();
  const int stored = fill(3000);
  // When the outcome of this delete arrives, the store also knows that the quota, unlike a full disk, has room again.
  ASSERT_TRUE(remove(pod(name(stored - 1)), store_->latest(pod(name(stored - 1)))->revision).has_value());
  const Key key = pod("chain");
  const Key old = pod(name(0));
  const Revision old_revision = store_->latest(old)->revision;
  loop_.hold();
  const auto large = start_put(key, 0, std::string(20'000, 'x'));
  loop_.wait_until_held();  // the group of `large` has failed, but that is not delivered yet
  const auto on_top = start_put(key, store_->latest(key)->revision, "small");
  const auto other = start_remove(old, old_revision);
  loop_.let_go();
  EXPECT_EQ(wait(large).error().reason, Reason::kStorageFull);
  EXPECT_THAT((*large)->error().message, HasSubstr("no space left; delete objects or free some space on its disk"));
  EXPECT_EQ(store_->latest(key), nullptr);
  EXPECT_EQ(wait(on_top).error().reason, Reason::kStorageFull);
  EXPECT_EQ(wait(other).error().reason, Reason::kStorageFull);
  // The state is unchanged, and the store keeps working.
  EXPECT_EQ(store_->latest(old)->revision, old_revision);
  EXPECT_TRUE(remove(old, old_revision).has_value());
  EXPECT_THAT(fatal_, IsEmpty());
}

/// A file system of 24 MiB that only this process sees.
class SmallDisk {
 public:
  explicit SmallDisk(std::string at) : at_(std::move(at)) {
    std::filesystem::create_directories(at_);
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", at_.c_str(), "tmpfs", 0, "size=24m") != 0) {
      why_not_ = std::strerror(errno);
      return;
    }
    mounted_ = true;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(at_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  const std::string& why_not() const { return why_not_; }
  void fill_up() {
    std::ofstream filler(at_ + "/filler", std::ios::binary | std::ios::app);
    const std::string block(4096, 'f');
    while (filler.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
  }
  void empty() { std::filesystem::remove(at_ + "/filler"); }

 private:
  std::string at_;
  bool mounted_ = false;
  std::string why_not_;
};

TEST_F(DiskFullTest, ROOT_OnAFullDiskDeletesWorkAndCreatesComeBackWithTheSpace) {
  SmallDisk disk(dir_.path() + "/small");
  if (!disk.why_not().empty()) GTEST_SKIP() << "cannot mount a tmpfs: " << disk.why_not();
  options_.directory = dir_.path() + "/small/data";
  options_.ballast_bytes = 4u << 20;
  options_.checkpoint_pages = 100;
  open();
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(put(pod(name(i)), 0, std::string(3000, 'x')).has_value());
  EXPECT_TRUE(std::filesystem::exists(options_.directory + "/ballast"));

  disk.fill_up();
  int stored = 200;
  for (;; ++stored) {
    const auto done = put(pod(name(stored)), 0, std::string(3000, 'x'));
    if (done) continue;
    EXPECT_EQ(done.error().reason, Reason::kStorageFull) << done.error().message;
    break;
  }
  EXPECT_TRUE(store_->stats().is_full);
  EXPECT_EQ(put(pod("new"), 0, "small").error().message,
            "pods/default/new: the disk is full; delete objects or free some space");
  // A graceful delete starts with an update that hardly grows the object: it is accepted, a much larger one is not.
  const Key first = pod(name(0));
  ASSERT_TRUE(put(first, store_->latest(first)->revision, std::string(3100, 'x')).has_value());
  EXPECT_EQ(put(first, store_->latest(first)->revision, std::string(9000, 'x')).error().reason, Reason::kStorageFull);
  for (int i = 0; i < 150; ++i) {
    const auto removed = remove(pod(name(i)), store_->latest(pod(name(i)))->revision);
    ASSERT_TRUE(removed.has_value()) << i << ": " << removed.error().message;
  }
  EXPECT_THAT(fatal_, IsEmpty());

  // The store is not notified; it checks by itself.
  disk.empty();
  loop_.run_until([this] { return !store_->stats().is_full; });
  EXPECT_TRUE(std::filesystem::exists(options_.directory + "/ballast"));
  ASSERT_TRUE(put(pod("new"), 0, "small").has_value());
  reopen();
  EXPECT_THAT(store_->problems(), IsEmpty());
  EXPECT_EQ(store_->count("pods"), static_cast<std::size_t>(stored) - 150 + 1);
  close();
}

TEST_F(DiskFullTest, ROOT_DeletesWorkAlthoughSomebodyTakesWhateverIsReleased) {
  SmallDisk disk(dir_.path() + "/small");
  if (!disk.why_not().empty()) GTEST_SKIP() << "cannot mount a tmpfs: " << disk.why_not();
  options_.directory = dir_.path() + "/small/data";
  options_.ballast_bytes = 4u << 20;
  options_.checkpoint_pages = 100;
  open();
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(put(pod(name(i)), 0, std::string(3000, 'x')).has_value());
  disk.fill_up();
  ASSERT_TRUE(put(pod("last"), 0, "small").has_value());
  loop_.run_until([this] { return store_->stats().is_full; });
  for (const char* start : {"the first", "the second"}) {
    std::filesystem::remove(options_.directory + "/ballast");
    disk.fill_up();
    for (int i = start == std::string("the first") ? 0 : 100, end = i + 100; i < end; ++i) {
      const auto removed = remove(pod(name(i)), store_->latest(pod(name(i)))->revision);
      ASSERT_TRUE(removed.has_value()) << start << ' ' << i << ": " << removed.error().message;
    }
    reopen();
    EXPECT_TRUE(store_->stats().is_full);
  }
  EXPECT_THAT(fatal_, IsEmpty());
  close();
}

TEST_F(DiskFullTest, ROOT_StartedOnADiskThatHasFilledUpItStillDeletes) {
  SmallDisk disk(dir_.path() + "/small");
  if (!disk.why_not().empty()) GTEST_SKIP() << "cannot mount a tmpfs: " << disk.why_not();
  options_.directory = dir_.path() + "/small/data";
  options_.ballast_bytes = 4u << 20;
  open();
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(put(pod(name(i)), 0, std::string(3000, 'x')).has_value());
  close();
  disk.fill_up();

  open();
  EXPECT_TRUE(store_->stats().is_full);
  disk.fill_up();
  for (int i = 0; i < 50; ++i) {
    const auto removed = remove(pod(name(i)), store_->latest(pod(name(i)))->revision);
    ASSERT_TRUE(removed.has_value()) << i << ": " << removed.error().message;
  }
  close();
}

TEST_F(DiskFullTest, ROOT_RestartedOnAFullDiskItServesAndRecovers) {
  SmallDisk disk(dir_.path() + "/small");
  if (!disk.why_not().empty()) GTEST_SKIP() << "cannot mount a tmpfs: " << disk.why_not();
  options_.directory = dir_.path() + "/small/data";
  options_.ballast_bytes = 4u << 20;
  open();
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(put(pod(name(i)), 0, std::string(3000, 'x')).has_value());
  close();
  std::filesystem::remove(options_.directory + "/ballast");
  disk.fill_up();

  open();
  EXPECT_TRUE(store_->stats().is_full);
  EXPECT_EQ(store_->count("pods"), 50u);
  EXPECT_EQ(put(pod("new"), 0, "small").error().reason, Reason::kStorageFull);
  // No byte is free and there is no ballast to release: the delete is rejected, and the attempt breaks nothing.
  EXPECT_EQ(remove(pod(name(0)), store_->latest(pod(name(0)))->revision).error().reason, Reason::kStorageFull);
  EXPECT_THAT(fatal_, IsEmpty());

  disk.empty();
  loop_.run_until([this] { return !store_->stats().is_full; });
  EXPECT_TRUE(remove(pod(name(0)), store_->latest(pod(name(0)))->revision).has_value());
  EXPECT_TRUE(put(pod("new"), 0, "small").has_value());
  close();
}

}  // namespace
}  // namespace muster::store
