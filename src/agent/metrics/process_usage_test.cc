#include "agent/metrics/process_usage.h"

#include <gmock/gmock.h>

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;

struct FakeProcess {
  linux_os::ProcessTimes times;
  linux_os::ProcessMemory memory = {};
  std::optional<linux_os::ProcessIo> io = linux_os::ProcessIo{};
  std::vector<std::uint64_t> sockets = {};
};

/// The processes of a machine, and how many files were read.
struct FakeProc {
  std::map<pid_t, FakeProcess> processes;
  std::unordered_map<std::uint64_t, linux_os::TcpBytes> connections;
  bool has_inet_diag = true;
  int read = 0;

  FakeProcess& add(pid_t pid, pid_t parent) {
    processes[pid].times.parent = parent;
    return processes[pid];
  }
};

class FakeProcessFiles final : public ProcessFiles {
 public:
  explicit FakeProcessFiles(FakeProc& machine) : machine_(machine) {}

  std::vector<pid_t> ids() override {
    std::vector<pid_t> all;
    for (const auto& [pid, process] : machine_.processes) all.push_back(pid);
    return all;
  }
  std::optional<linux_os::ProcessTimes> times(pid_t pid) override { return counted(pid).times; }
  std::optional<linux_os::ProcessMemory> memory(pid_t pid) override { return counted(pid).memory; }
  std::optional<linux_os::ProcessIo> io(pid_t pid) override { return counted(pid).io; }
  std::vector<std::uint64_t> sockets(pid_t pid) override { return counted(pid).sockets; }
  Result<linux_os::TcpBytesByInode> tcp_bytes(const Fd*) override {
    if (!machine_.has_inet_diag) return Error{.message = "no inet_diag"};
    return machine_.connections;
  }

 private:
  const FakeProcess& counted(pid_t pid) {
    ++machine_.read;
    return machine_.processes.at(pid);
  }
  FakeProc& machine_;
};

class ProcessUsageTest : public ::testing::Test {
 protected:
  ProcessUsageTest() {
    machine_.add(1, 0);
    machine_.add(50, 1);
    machine_.add(99, 1);  // the shim
    machine_.add(100, 99);
    machine_.add(101, 100);
  }
  PodReading read() {
    const auto readings = usage_.read({pod_});
    EXPECT_EQ(readings.size(), 1U);
    return readings.empty() ? PodReading{} : readings.front();
  }

  FakeProc machine_;
  ProcessUsage usage_{std::make_unique<FakeProcessFiles>(machine_)};
  MeasuredPod pod_{.uid = "u", .ns = "n", .name = "p", .init = 100, .containers = {{"main", 101}}};
};

TEST_F(ProcessUsageTest, ATreeIsSummedWithWhatItsDeadUsed) {
  machine_.processes[50] = {.times = {.parent = 1, .own_ticks = 1000}, .memory = {.own = 1 << 30}};
  machine_.processes[101] = {.times = {.parent = 100, .own_ticks = 10, .child_ticks = 5},
                             .memory = {.own = 1000, .shared = 300},
                             .io = linux_os::ProcessIo{.read = 7, .written = 8}};
  machine_.processes[102] = {.times = {.parent = 101, .own_ticks = 20},
                             .memory = {.own = 2000, .shared = 400},
                             .io = linux_os::ProcessIo{.read = 1, .written = 2}};
  const PodReading reading = read();
  EXPECT_EQ(reading.cpu, linux_os::from_ticks(35));
  EXPECT_EQ(reading.memory, 3400);  // what is shared is counted once
  EXPECT_EQ(reading.disk_read, 8);
  EXPECT_EQ(reading.disk_written, 10);
  EXPECT_THAT(reading.containers, ElementsAre(Key("main")));
  EXPECT_EQ(reading.containers.at("main").memory, 3400);
}

TEST_F(ProcessUsageTest, EachContainerHasItsOwnTree) {
  pod_.containers = {{"a", 101}, {"b", 102}};
  machine_.add(102, 100);
  machine_.add(103, 102).times.own_ticks = 9;
  machine_.add(104, 100).times.own_ticks = 4;  // an orphan of one of them
  const PodReading reading = read();
  EXPECT_EQ(reading.cpu, linux_os::from_ticks(13));
  EXPECT_EQ(reading.containers.at("a").cpu, Duration(0));
  EXPECT_EQ(reading.containers.at("b").cpu, linux_os::from_ticks(9));
}

TEST_F(ProcessUsageTest, AnOrphanIsOfTheOnlyContainer) {
  machine_.add(104, 100).times.own_ticks = 4;
  EXPECT_EQ(read().containers.at("main").cpu, linux_os::from_ticks(4));
}

TEST_F(ProcessUsageTest, RestingProcessesAndStrangersAreHardlyRead) {
  read();
  int most = 0;
  int all = 0;
  for (int round = 0; round < 5; ++round) {
    machine_.read = 0;
    read();
    most = std::max(most, machine_.read);
    all += machine_.read;
  }
  EXPECT_EQ(all, 5 * 2 + 2 * 3);  // the times of two processes in each round, the rest once
  machine_.read = 0;
  machine_.processes[101].times.own_ticks = 1;
  read();
  EXPECT_GE(machine_.read, 2 + 3);
}

TEST_F(ProcessUsageTest, ProcessesSeenBeforeTheirPodWasKnownAreFound) {
  EXPECT_THAT(usage_.read({}), IsEmpty());
  machine_.processes[101].memory.own = 10;
  EXPECT_EQ(read().memory, 10);
}

TEST_F(ProcessUsageTest, AReusedPidIsAnotherProcess) {
  machine_.processes[101].times.start_time = 5;
  machine_.processes[101].memory.own = 10;
  EXPECT_EQ(read().memory, 10);
  machine_.processes[101].times = {.parent = 1, .start_time = 6};
  EXPECT_EQ(read().memory, 0);
}

TEST_F(ProcessUsageTest, BytesOfClosedConnectionsStayCounted) {
  machine_.processes[101].sockets = {7, 8};
  machine_.connections = {{7, {.received = 10, .sent = 20}}};  // 8 is of another kind
  EXPECT_EQ(read().received, 10);
  machine_.connections = {{7, {.received = 15, .sent = 20}}};
  EXPECT_EQ(read().received, 15);
  machine_.processes[101].sockets = {9};
  machine_.processes[101].times.own_ticks = 1;
  machine_.connections = {{9, {.received = 100, .sent = 1}}};
  const PodReading reading = read();
  EXPECT_EQ(reading.received, 115);
  EXPECT_EQ(reading.sent, 21);
}

TEST_F(ProcessUsageTest, WhatCannotBeReadIsNotZero) {
  machine_.has_inet_diag = false;
  machine_.processes[100].io.reset();
  machine_.processes[101].io.reset();
  machine_.processes[101].sockets = {7};
  const PodReading reading = read();
  EXPECT_EQ(reading.received, std::nullopt);
  EXPECT_EQ(reading.disk_read, std::nullopt);
}

TEST_F(ProcessUsageTest, AnEndedPodHasNoReading) {
  machine_.processes.erase(101);
  machine_.processes.erase(100);
  EXPECT_THAT(usage_.read({pod_}), IsEmpty());
}

TEST_F(ProcessUsageTest, AChainOfAllProcessesOfTheMachineIsOneTree) {
  constexpr pid_t kLast = 60'000;
  for (pid_t pid = 102; pid <= kLast; ++pid) machine_.add(pid, pid + 1 > kLast ? 101 : pid + 1).memory.own = 1;
  EXPECT_EQ(read().memory, kLast - 101);
}

}  // namespace
}  // namespace muster::agent
