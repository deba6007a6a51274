#include "store/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "testing/store_fixture.h"

namespace muster::store {
namespace {

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_all(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

HighWaterMark::Found find(const std::string& directory) {
  HighWaterMark::Found found;
  EXPECT_TRUE(HighWaterMark::open(Disk::real(), directory, found).has_value());
  return found;
}

TEST(DirectoryLock, IsHeldByOneAndNamesThePidToTheOther) {
  TempDir dir;
  auto first = DirectoryLock::take(dir.path());
  ASSERT_TRUE(first.has_value()) << first.error().message;
  const auto second = DirectoryLock::take(dir.path());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().reason, Reason::kConflict);
  EXPECT_EQ(second.error().message,
            fmt::format("data directory \"{}\": in use by another engine, pid {}; stop it or choose another directory",
                        dir.path(), ::getpid()));
  first->release();
  EXPECT_TRUE(DirectoryLock::take(dir.path()).has_value());
}

TEST(HighWaterMark, KeepsTheLastRevisionWritten) {
  TempDir dir;
  HighWaterMark::Found found;
  auto mark = HighWaterMark::open(Disk::real(), dir.path(), found);
  ASSERT_TRUE(mark.has_value());
  EXPECT_FALSE(found.existed);
  EXPECT_FALSE(found.revision.has_value());
  EXPECT_FALSE(mark->dirty());
  ASSERT_TRUE(mark->write(41).has_value());
  ASSERT_TRUE(mark->write(42).has_value());
  EXPECT_TRUE(mark->dirty());
  EXPECT_EQ(find(dir.path()).revision, 42u);  // it can be read before it is synced
  ASSERT_TRUE(mark->sync().has_value());
  EXPECT_FALSE(mark->dirty());
  EXPECT_FALSE(find(dir.path()).damaged);
}

TEST(HighWaterMark, SurvivesAnyFlippedBit) {
  TempDir dir;
  {
    HighWaterMark::Found found;
    auto mark = HighWaterMark::open(Disk::real(), dir.path(), found);
    ASSERT_TRUE(mark->write(0x1234567).has_value());
  }
  const std::string path = dir.path() + "/revision";
  const std::string good = read_all(path);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    write_all(path, bad);
    const auto found = find(dir.path());
    EXPECT_TRUE(found.damaged) << bit;
    EXPECT_EQ(found.revision, 0x1234567u) << bit;
  }
}

TEST(HighWaterMark, CutShortIsDamagedAndGivesNothingItCannotProve) {
  TempDir dir;
  write_all(dir.path() + "/revision", "mmst");
  const auto found = find(dir.path());
  EXPECT_TRUE(found.existed);
  EXPECT_TRUE(found.damaged);
  EXPECT_FALSE(found.revision.has_value());
}

TEST(Ballast, TakesRealSpaceAndGivesItBack) {
  TempDir dir;
  Ballast ballast(Disk::real(), dir.path(), 1u << 20);
  ASSERT_TRUE(ballast.reserve());
  struct stat status {};
  ASSERT_EQ(::stat((dir.path() + "/ballast").c_str(), &status), 0);
  EXPECT_EQ(status.st_size, 1 << 20);
  EXPECT_GE(status.st_blocks * 512, 1 << 20);
  EXPECT_TRUE(ballast.reserve());  // it already exists
  ballast.release();
  EXPECT_FALSE(std::filesystem::exists(dir.path() + "/ballast"));
}

TEST(Ballast, IsNotTakenFromADiskThatHasTooLittle) {
  TempDir dir;
  Ballast ballast(Disk::real(), dir.path(), std::size_t{1} << 60);
  EXPECT_FALSE(ballast.reserve());
  EXPECT_FALSE(std::filesystem::exists(dir.path() + "/ballast"));
}

TEST(Fd, EveryDescriptorOfTheStoreIsCloseOnExec) {
  TempDir dir;
  PostLoop loop;
  Options options = test_options(dir.path());
  options.ballast_bytes = 1u << 20;
  auto store = Store::open(loop, options);
  ASSERT_TRUE(store.has_value()) << store.error().message;
  int ours = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(entry.path(), gone);
    if (gone || target.string().find(dir.path()) != 0) continue;
    ++ours;
    const int flags = ::fcntl(std::stoi(entry.path().filename()), F_GETFD);
    EXPECT_TRUE((flags & FD_CLOEXEC) != 0) << target;
  }
  EXPECT_GE(ours, 4);  // database, WAL, lock, revision
  (*store)->close();
}

TEST(ParentOf, IsAFolderThatCanBeOpened) {
  EXPECT_EQ(parent_of("/a/b"), "/a");
  EXPECT_EQ(parent_of("/x.db"), "/");
  EXPECT_EQ(parent_of("x.db"), ".");
  EXPECT_EQ(parent_of("a/b"), "a");
}

}  // namespace
}  // namespace muster::store
