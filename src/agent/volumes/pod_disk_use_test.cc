#include "agent/volumes/pod_disk_use.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/fd.h"

namespace muster::agent {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMi = std::int64_t{1} << 20;

PodDiskUse use_of(const std::string& uid, std::int64_t bytes, std::int64_t files = 0) {
  return {.uid = uid,
          .name = "default/" + uid,
          .parts = {{.what = "Container main", .bytes = bytes, .files = files}},
          .bytes = bytes,
          .files = files};
}

std::string victim_of(const std::vector<PodDiskUse>& uses, const DiskSpace& space, const DiskReserve& reserve,
                      const std::map<std::string, PodDiskUse>& first = {}) {
  const PodDiskUse* victim = choose_victim(uses, first, space, reserve);
  return victim == nullptr ? "" : victim->uid;
}

TEST(DiskReserve, IsAHundredthOfTheDiskWithinBounds) {
  EXPECT_EQ(reserve_of({.bytes = 200'000 * kMi}, std::nullopt).bytes, 1024 * kMi);
  EXPECT_EQ(reserve_of({.bytes = 20'000 * kMi}, std::nullopt).bytes, 200 * kMi);
  EXPECT_EQ(reserve_of({.bytes = 1000 * kMi}, std::nullopt).bytes, 64 * kMi);
  EXPECT_EQ(reserve_of({.bytes = 100 * kMi}, std::nullopt).bytes, 10 * kMi) << "a small disk is mostly for pods";
  EXPECT_EQ(reserve_of({.bytes = 1000 * kMi, .files = 16'000'000}, std::nullopt).files, 10'000);
  EXPECT_EQ(reserve_of({.bytes = 1000 * kMi, .files = 5000}, std::nullopt).files, 50);
  EXPECT_EQ(reserve_of({.bytes = 1000 * kMi}, Quantity::parse("5Mi")).bytes, 5 * kMi);
  const DiskReserve none = reserve_of({.bytes = 1000 * kMi, .files = 5000}, Quantity());
  EXPECT_EQ(none.bytes + none.files, 0) << "0 turns it off";
}

TEST(DiskReserve, AFileSystemThatCountsNoFilesNeverLacksThem) {
  const DiskSpace space{.bytes = 1000 * kMi, .free_bytes = 500 * kMi};
  EXPECT_EQ(shortage_of(space, reserve_of(space, std::nullopt)), Shortage::kNone);
  EXPECT_TRUE(has_recovered(space, reserve_of(space, std::nullopt)));
}

TEST(DiskReserve, RecoveryNeedsMoreThanTheReserve) {
  const DiskReserve reserve{.bytes = 64 * kMi, .files = 100};
  EXPECT_EQ(shortage_of({.free_bytes = 63 * kMi, .free_files = 200}, reserve), Shortage::kBytes);
  EXPECT_EQ(shortage_of({.free_bytes = 64 * kMi, .free_files = 99}, reserve), Shortage::kFiles);
  EXPECT_FALSE(has_recovered({.free_bytes = 70 * kMi, .free_files = 200}, reserve));
  EXPECT_FALSE(has_recovered({.free_bytes = 90 * kMi, .free_files = 110}, reserve));
  EXPECT_TRUE(has_recovered({.free_bytes = 80 * kMi, .free_files = 125}, reserve));
}

TEST(ChooseVictim, IsTheLargestPodWhenPodsHoldWhatIsMissing) {
  const DiskSpace space{.bytes = 1000 * kMi, .free_bytes = 4 * kMi};
  const DiskReserve reserve{.bytes = 64 * kMi};
  EXPECT_EQ(victim_of({use_of("a", 10 * kMi), use_of("b", 300 * kMi), use_of("c", 20 * kMi)}, space, reserve), "b");
  EXPECT_EQ(victim_of({use_of("a", 30 * kMi), use_of("b", 35 * kMi)}, space, reserve), "b") << "both together do";
}

TEST(ChooseVictim, IsNobodyWhenOtherFilesFillTheDisk) {
  const DiskSpace space{.bytes = 1000 * kMi, .free_bytes = 4 * kMi};
  const DiskReserve reserve{.bytes = 64 * kMi};
  const std::vector<PodDiskUse> uses{use_of("a", 10 * kMi), use_of("b", 20 * kMi)};
  EXPECT_EQ(victim_of(uses, space, reserve, {{"a", uses[0]}, {"b", uses[1]}}), "");
  EXPECT_EQ(victim_of({}, space, reserve), "");
  EXPECT_EQ(victim_of({use_of("b", 500 * kMi)}, {.free_bytes = 64 * kMi}, reserve), "") << "there is enough";
}

TEST(ChooseVictim, IsThePodThatUsesUpWhatIsLeft) {
  const DiskReserve reserve{.bytes = 64 * kMi};
  const std::map<std::string, PodDiskUse> first{{"a", use_of("a", 10 * kMi)}, {"b", use_of("b", 1 * kMi)}};
  EXPECT_EQ(victim_of({use_of("a", 11 * kMi), use_of("b", 6 * kMi)}, {.free_bytes = 0}, reserve, first), "b");
  EXPECT_EQ(victim_of({use_of("a", 11 * kMi), use_of("b", 3 * kMi)}, {.free_bytes = 0}, reserve, first), "");
}

TEST(ChooseVictim, CountsFilesWhenInodesAreShort) {
  const DiskSpace space{.free_bytes = 100 * kMi, .free_files = 3};
  const DiskReserve reserve{.bytes = 64 * kMi, .files = 1000};
  EXPECT_EQ(victim_of({use_of("a", 900 * kMi, 10), use_of("b", kMi, 50'000)}, space, reserve), "b");
  EXPECT_EQ(eviction_text(use_of("b", kMi, 50'000), space, reserve),
            "The node was low on resource: inodes. Threshold quantity: 1000, available: 3. The pod was using 50000.");
}

TEST(EvictionText, HasTheNumbersOfTheLargestParts) {
  PodDiskUse use = use_of("a", 200 * kMi);
  use.parts.push_back({.what = "Volume scratch", .bytes = 300 * kMi});
  use.parts.push_back({.what = "Claim data", .bytes = 5 * kMi, .claim = "/data/volumes/default/data"});
  use.parts.push_back({.what = "Container side", .bytes = 100});
  EXPECT_EQ(eviction_text(use, {.free_bytes = 10 * kMi + 5}, {.bytes = 64 * kMi}),
            "The node was low on resource: ephemeral-storage. Threshold quantity: 64Mi, available: 10Mi. "
            "Volume scratch was using 300Mi. Container main was using 200Mi. Claim data has grown by 5Mi.");
}

class MeasurePods : public ::testing::Test {
 protected:
  MeasurePods() {
    char name[] = "/tmp/muster-use-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~MeasurePods() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& path, std::size_t size) {
    std::filesystem::create_directories(std::filesystem::path(folder_ + path).parent_path());
    std::ofstream(folder_ + path) << std::string(size, 'x');
  }
  std::string folder_;
};

TEST_F(MeasurePods, ThePartsOfAPodAreItsContainersVolumesAndClaims) {
  const auto pod = json::parse(R"({"metadata":{"uid":"u","name":"p","namespace":"ns"},"spec":{
      "initContainers":[{"name":"first"}],"containers":[{"name":"main"}],"volumes":[
      {"name":"a","emptyDir":{}},{"name":"m","emptyDir":{"medium":"Memory"}},
      {"name":"c","persistentVolumeClaim":{"claimName":"data"}},
      {"name":"r","persistentVolumeClaim":{"claimName":"read","readOnly":true}},
      {"name":"n","persistentVolumeClaim":{"claimName":"unknown"}}]}})");
  write("/pods/u/0/scratch/main/cwd/big", 2 << 20);
  write("/pods/u/logs/main/0.0.log", 1 << 20);
  write("/pods/u/volumes/a/file", 3 << 20);
  write("/volumes/ns/data/old", 4 << 20);
  write("/volumes/ns/data/new", 5 << 20);
  const auto find = [this](const std::string& name) -> std::optional<KnownClaim> {
    if (name == "unknown") return std::nullopt;
    return KnownClaim{folder_ + "/volumes/ns/" + name, {.bytes = 4 * kMi, .entries = 1}};
  };
  const Paths paths(folder_);
  const PodOnDisk on_disk = pod_on_disk(*pod, 0, paths.attempt("u", 0), paths, find);
  EXPECT_EQ(on_disk.name, "ns/p");
  const auto uses = measure_pods({on_disk}, folder_, {});
  ASSERT_EQ(uses.size(), 1U);
  std::map<std::string, std::int64_t> parts;
  for (const auto& part : uses[0].parts) parts[part.what] = part.bytes / kMi;
  EXPECT_EQ(parts, (std::map<std::string, std::int64_t>{{"Container first", 0},
                                                        {"Container main", 3},
                                                        {"Volume a", 3},
                                                        {"Claim data", 5},
                                                        {"Deleted files that are still open", 0}}));
  EXPECT_EQ(uses[0].bytes / kMi, 11);
}

TEST_F(MeasurePods, DeletedFilesThatAreStillOpenCountOnce) {
  const std::string path = folder_ + "/gone";
  const Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  const std::string text(3 << 20, 'x');
  ASSERT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  const Fd again(::dup(file.get()));
  ASSERT_EQ(::unlink(path.c_str()), 0);
  const auto uses = measure_pods({{.uid = "u", .name = "ns/p", .init = ::getpid()}}, folder_, {});
  ASSERT_EQ(uses.size(), 1U);
  EXPECT_EQ(uses[0].bytes / kMi, 3);
}

TEST_F(MeasurePods, TheGrowthOfASharedClaimIsOnePods) {
  write("/claim/file", 2 << 20);
  const DiskPart claim{.what = "Claim data", .paths = {folder_ + "/claim"}, .is_claim = true};
  const auto uses = measure_pods(
      {{.uid = "idle", .parts = {claim}}, {.uid = "writer", .init = ::getpid(), .parts = {claim}}}, folder_, {});
  ASSERT_EQ(uses.size(), 2U);
  EXPECT_EQ(uses[0].bytes, 0);
  EXPECT_GE(uses[1].bytes, 2 << 20);
}

}  // namespace
}  // namespace muster::agent
