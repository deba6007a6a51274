#include "agent/metrics/memory_source.h"

#include <gmock/gmock.h>

namespace muster::agent {
namespace {

using linux_os::KeptMemory;
using linux_os::MountedMemory;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

constexpr std::int64_t kMebibyte = 1 << 20;

/// What the kernel says of processes and folders, and what it was asked.
struct FakeMemory {
  std::map<pid_t, KeptMemory> at_most;
  std::map<pid_t, KeptMemory> exact;  // as at_most where it is missing
  std::map<pid_t, std::vector<MountedMemory>> folders;
  std::map<dev_t, std::int64_t> in_folder;
  MonoTime now{};
  Duration walk{0};  // how long one exact measurement takes
  int measured_exactly = 0;
  int listed = 0;
};

class FakeMemoryFiles final : public MemoryFiles {
 public:
  explicit FakeMemoryFiles(FakeMemory& machine) : machine_(machine) {}
  std::optional<KeptMemory> at_most(pid_t pid) override {
    const auto found = machine_.at_most.find(pid);
    return found == machine_.at_most.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<KeptMemory> exact(pid_t pid) override {
    ++machine_.measured_exactly;
    machine_.now += machine_.walk;
    const auto found = machine_.exact.find(pid);
    return found == machine_.exact.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<MountedMemory> folders(pid_t pid) override {
    ++machine_.listed;
    return machine_.folders[pid];
  }
  std::optional<std::int64_t> bytes_in(pid_t, const MountedMemory& folder) override {
    return machine_.in_folder[folder.device];
  }
  MonoTime now() override { return machine_.now; }

 private:
  FakeMemory& machine_;
};

/// Gives each container its processes.
class ProcessesOnly final : public UsageSource {
 public:
  std::vector<PodReading> read(const std::vector<MeasuredPod>& pods) override {
    std::vector<PodReading> readings;
    for (const MeasuredPod& pod : pods) readings.push_back({.uid = pod.uid, .processes = processes[pod.uid]});
    return readings;
  }
  std::map<std::string, std::map<std::string, std::vector<pid_t>>> processes;
};

class MemorySourceTest : public ::testing::Test {
 protected:
  MeasuredPod pod(const std::string& uid, const std::string& container, pid_t first, std::int64_t limit) {
    MeasuredPod made{.uid = uid, .ns = "default", .name = uid, .init = first - 1, .containers = {{container, first}}};
    if (limit > 0) made.memory_limits = {{container, limit}};
    if (limit > 0) others_.processes[uid][container].push_back(first);
    return made;
  }
  std::vector<OverMemory> over(const std::vector<MeasuredPod>& pods, std::size_t which = 0) {
    return source_.read(pods).at(which).over_memory;
  }

  FakeMemory machine_;
  ProcessesOnly others_;
  MemorySource source_{others_, std::make_unique<FakeMemoryFiles>(machine_)};
};

TEST_F(MemorySourceTest, PodsWithoutLimitsAreNotMeasured) {
  EXPECT_THAT(over({pod("u", "main", 10, 0)}), IsEmpty());
  EXPECT_EQ(machine_.listed, 0);
}

TEST_F(MemorySourceTest, ForkedProcessesAreMeasuredExactlyBeforeAContainerEnds) {
  const MeasuredPod loader = pod("u", "main", 10, 100 * kMebibyte);
  others_.processes["u"]["main"] = {10, 11, 12};
  for (const pid_t pid : {10, 11, 12}) machine_.at_most[pid] = {.anonymous = 60 * kMebibyte};
  for (const pid_t pid : {10, 11, 12}) machine_.exact[pid] = {.anonymous = 22 * kMebibyte};
  EXPECT_THAT(over({loader}), IsEmpty()) << "they share 57 MiB";
  EXPECT_EQ(machine_.measured_exactly, 3);
  machine_.exact[12] = {.anonymous = 60 * kMebibyte};
  EXPECT_THAT(over({loader}), ElementsAre(Field(&OverMemory::container, "main")));
}

TEST_F(MemorySourceTest, WhatIsFarFromItsLimitIsNotMeasuredExactly) {
  machine_.at_most[10] = {.anonymous = 99 * kMebibyte};
  EXPECT_THAT(over({pod("u", "main", 10, 100 * kMebibyte)}), IsEmpty());
  EXPECT_EQ(machine_.measured_exactly, 0);
}

TEST_F(MemorySourceTest, AProcessThatHidesItsPagesIsTakenForWhatItSeemsToBe) {
  machine_.at_most[10] = {.anonymous = 101 * kMebibyte};
  EXPECT_THAT(over({pod("u", "main", 10, 100 * kMebibyte)}), ElementsAre(Field(&OverMemory::pid, 10)));
}

TEST_F(MemorySourceTest, MeasuringExactlyTakesASmallPartOfTheTime) {
  machine_.at_most[10] = {.anonymous = 200 * kMebibyte};
  machine_.exact[10] = {.anonymous = 50 * kMebibyte};
  machine_.walk = std::chrono::milliseconds(200);
  const MeasuredPod large = pod("u", "main", 10, 100 * kMebibyte);
  over({large});
  machine_.now += std::chrono::seconds(2);
  machine_.exact[10] = {.anonymous = 150 * kMebibyte};
  EXPECT_THAT(over({large}), IsEmpty());
  EXPECT_EQ(machine_.measured_exactly, 1);
  machine_.now += std::chrono::seconds(2);
  EXPECT_THAT(over({large}), ::testing::SizeIs(1));
}

TEST_F(MemorySourceTest, FoldersInMemoryCountForWhoHasThemAlone) {
  constexpr dev_t kTemporary = 1, kShared = 2;
  const auto with = [this](pid_t pid) {
    machine_.folders[pid] = {{kTemporary + 10 * dev_t(pid), "/tmp"}, {kShared, "/dev/shm"}};
  };
  with(10);
  machine_.at_most[10] = {.anonymous = 50 * kMebibyte};
  machine_.in_folder[kTemporary + 100] = 40 * kMebibyte;
  machine_.in_folder[kShared] = 20 * kMebibyte;
  const MeasuredPod first = pod("u", "main", 10, 100 * kMebibyte);
  EXPECT_THAT(over({first}), ::testing::SizeIs(1));

  with(20);  // another pod of the job has the same /dev/shm
  const MeasuredPod second = pod("v", "main", 20, 0);
  EXPECT_THAT(over({first, second}), IsEmpty());
  machine_.at_most[10] = {.anonymous = 50 * kMebibyte, .shared = 51 * kMebibyte};
  EXPECT_THAT(over({first, second}), ::testing::SizeIs(1)) << "what it has mapped of it is its own";
}

TEST_F(MemorySourceTest, TheFoldersOfARunAreListedOnce) {
  const MeasuredPod steady = pod("u", "main", 10, 100 * kMebibyte);
  over({steady});
  over({steady});
  EXPECT_EQ(machine_.listed, 1);
  MeasuredPod again = steady;
  again.containers["main"] = 30;
  over({again});
  EXPECT_EQ(machine_.listed, 2);
}

}  // namespace
}  // namespace muster::agent
