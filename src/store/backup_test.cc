#include "store/backup.h"

#include <gmock/gmock.h>

#include <cerrno>
#include <fstream>

#include "testing/faulty_disk.h"
#include "testing/seeded_rng.h"
#include "testing/store_fixture.h"

namespace muster::store {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BackupTest : public StoreTest {
 protected:
  std::string copy() const { return dir_.path() + "/copy.db"; }

  using Copied = std::shared_ptr<std::optional<Result<Revision>>>;
  Copied start_backup() {
    auto outcome = std::make_shared<std::optional<Result<Revision>>>();
    store_->back_up(copy(), [outcome](Result<Revision> result) { *outcome = std::move(result); });
    return outcome;
  }
  Result<Revision> wait_for(const Copied& copied) {
    loop_.run_until([&] { return copied->has_value(); });
    return **copied;
  }

  void write_objects(int count, std::size_t size) {
    std::vector<Outcome> outcomes;
    for (int i = 0; i < count; ++i)
      outcomes.push_back(start_put(pod(fmt::format("p{:04}", i)), 0, std::string(size, 'x')));
    for (const auto& outcome : outcomes) ASSERT_TRUE(wait(outcome).has_value());
  }
};

TEST_F(BackupTest, IsWholeAndCheckedAndPrivate) {
  open();
  write_objects(300, 3000);
  const auto copied = wait_for(start_backup());
  ASSERT_TRUE(copied.has_value()) << copied.error().message;
  EXPECT_EQ(*copied, store_->revision());
  const auto checked = check_copy(Disk::real(), copy());
  ASSERT_TRUE(checked.has_value()) << checked.error().message;
  EXPECT_EQ(checked->objects, 300u);
  EXPECT_EQ(checked->revision, store_->revision());
  EXPECT_EQ(std::filesystem::status(copy()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_FALSE(std::filesystem::exists(copy() + ".tmp"));
}

TEST_F(BackupTest, WritesGoOnMeanwhileAndAreInItOrNot) {
  options_.checkpoint_pages = 50;
  open();
  write_objects(500, 3000);
  const Revision before = store_->revision();
  const auto copied = start_backup();
  int meanwhile = 0;
  while (!copied->has_value()) {
    const Key key = pod(fmt::format("p{:04}", meanwhile * 37 % 500));
    if (meanwhile % 3 == 0 && store_->latest(key) != nullptr) {
      ASSERT_TRUE(remove(key, store_->latest(key)->revision).has_value());
    } else {
      const Entry* latest = store_->latest(key);
      ASSERT_TRUE(put(key, latest == nullptr ? 0 : latest->revision, std::string(3500, 'y')).has_value());
    }
    ++meanwhile;
  }
  ASSERT_TRUE((*copied)->has_value()) << (*copied)->error().message;
  EXPECT_GT(meanwhile, 0);
  EXPECT_GE(***copied, before);
  const auto checked = check_copy(Disk::real(), copy());
  ASSERT_TRUE(checked.has_value()) << checked.error().message;
  EXPECT_EQ(checked->revision, ***copied);
  reopen();
  EXPECT_THAT(store_->problems(), IsEmpty());
}

/// Blocks the writer at its first write to the copy until the test releases it.
class GatedDisk final : public Disk {
 public:
  explicit GatedDisk(std::string path) : path_(std::move(path)) {}
  int before(const DiskCall& call) override {
    if (call.kind != DiskCall::Kind::kWrite || !call.path.starts_with(path_)) return 0;
    std::unique_lock lock(mutex_);
    reached_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    return 0;
  }
  void wait_until_reached() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return reached_; });
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::string path_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false;
  bool open_ = false;
};

TEST_F(BackupTest, AWriteWaitsForOneStepAndNotForTheCopy) {
  GatedDisk disk(copy());
  options_.disk = &disk;
  open();
  write_objects(500, 3000);
  const auto copied = start_backup();
  disk.wait_until_reached();
  const auto written = start_put(pod("meanwhile"), 0, "not held up");
  disk.let_go();
  ASSERT_TRUE(wait(written).has_value());
  EXPECT_FALSE(copied->has_value());
  ASSERT_TRUE(wait_for(copied).has_value());
  close();
}

TEST_F(BackupTest, AnErrorWhileCopyingHarmsNothingElse) {
  FaultyDisk disk;
  options_.disk = &disk;
  open();
  write_objects(20, 3000);
  const auto of_copy = [this](const DiskCall& call) {
    return call.path.starts_with(copy()) && call.kind != DiskCall::Kind::kRemove;
  };
  int failed = 0;
  for (std::uint64_t n = 0;; ++n) {
    disk.fail(of_copy, n, n % 2 == 0 ? EIO : ENOSPC);
    const auto copied = wait_for(start_backup());
    if (!disk.has_failed()) break;
    if (!copied) ++failed;
    EXPECT_FALSE(std::filesystem::exists(copy() + ".tmp")) << n;
    EXPECT_THAT(fatal_, IsEmpty());
    ASSERT_TRUE(put(pod("other"), n == 0 ? 0 : store_->latest(pod("other"))->revision, "continues").has_value());
    EXPECT_TRUE(!std::filesystem::exists(copy()) || check_copy(Disk::real(), copy()).has_value()) << n;
  }
  EXPECT_GT(failed, 20);
  close();
}

TEST_F(BackupTest, ClosingEndsItAndLeavesNothing) {
  open();
  write_objects(500, 3000);
  const auto first = start_backup();
  const auto second = start_backup();
  close();
  ASSERT_TRUE(first->has_value());
  ASSERT_TRUE(second->has_value());
  EXPECT_EQ((*second)->error().message, "store: closed before the copy was complete");
  EXPECT_FALSE(std::filesystem::exists(copy() + ".tmp"));
}

TEST_F(BackupTest, ADamagedCopyIsDetected) {
  open();
  write_objects(20, 1000);
  ASSERT_TRUE(wait_for(start_backup()).has_value());
  const auto truth = check_copy(Disk::real(), copy());
  ASSERT_TRUE(truth.has_value());
  std::ifstream in(copy(), std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  testing::SeededRng rng(3);
  const std::string bad_path = dir_.path() + "/bad?#%.db";
  int refused = 0;
  for (int i = 0; i < 100; ++i) {
    std::string bad = good;
    const std::size_t at = rng.below(good.size());
    bad[at] = static_cast<char>(bad[at] ^ (1 << rng.below(8)));
    std::ofstream(bad_path, std::ios::binary | std::ios::trunc) << bad;
    const auto checked = check_copy(Disk::real(), bad_path);
    if (!checked) ++refused;
    EXPECT_TRUE(!checked || *checked == *truth) << at;
  }
  EXPECT_GT(refused, 40);  // the other flipped bytes are unused
  std::ofstream(bad_path, std::ios::trunc) << "not a database at all, only some text that is long enough to be one";
  EXPECT_THAT(check_copy(Disk::real(), bad_path).error().message, HasSubstr("file is not a database"));
  std::ofstream(bad_path, std::ios::trunc) << "";
  EXPECT_THAT(check_copy(Disk::real(), bad_path).error().message, HasSubstr("is not a database of an engine"));
}

}  // namespace
}  // namespace muster::store
