#include "linux/process_usage.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"

namespace muster::linux_os {
namespace {

using ::testing::Contains;

TEST(ProcessUsage, ANameCanHoldAnything) {
  const auto times = parse_process_times(
      "42 (a) 7 (b) R 7 42 42 0 -1 4194304 100 200 0 0 30 12 5 3 20 0 1 0 12345 1000000 250 184467440737095\n");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->parent, 7);
  EXPECT_EQ(times->start_time, 12345U);
  EXPECT_EQ(times->own_ticks, 42);
  EXPECT_EQ(times->child_ticks, 8);
  EXPECT_FALSE(parse_process_times("42 (cut off"));
  EXPECT_FALSE(parse_process_times("42 (cut) R 1"));
}

TEST(ProcessUsage, BytesOfTheDiskNotOfTheCache) {
  const auto io = parse_process_io("rchar: 9\nwchar: 8\nsyscr: 7\nsyscw: 6\nread_bytes: 4096\nwrite_bytes: 8192\n");
  ASSERT_TRUE(io);
  EXPECT_EQ(io->read, 4096);
  EXPECT_EQ(io->written, 8192);
  EXPECT_FALSE(parse_process_io(""));
}

TEST(ProcessUsage, WaitingForTheDiskIsNotBusy) {
  const auto usage = parse_machine_usage("cpu  100 20 30 4000 500 6 7 80 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n",
                                         "MemTotal:       1000 kB\nMemFree:  100 kB\nMemAvailable:    400 kB\n");
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->cpu, from_ticks(163));
  EXPECT_EQ(usage->memory, 600 * 1024);
  EXPECT_FALSE(parse_machine_usage("", ""));
}

TEST(ProcessUsage, FilesThatCanBeReadAgainAreNotKeptMemory) {
  const auto kept = parse_kept_memory(
      "Name:\tRssAnon: 9 kB\nVmRSS:\t  900 kB\nRssAnon:\t  100 kB\nRssFile:\t  700 kB\nRssShmem:\t  20 kB\n");
  EXPECT_EQ(kept, (KeptMemory{.anonymous = 100 * 1024, .shared = 20 * 1024}));
  EXPECT_FALSE(parse_kept_memory("Name:\ta zombie has no such lines\n"));
  const auto part =
      parse_part_of_memory("5600-7ffd ---p 0 00:00 0 [rollup]\nPss: 60 kB\nPss_Anon: 50 kB\nPss_Shmem: 10 kB\n");
  EXPECT_EQ(part, (KeptMemory{.anonymous = 50 * 1024, .shared = 10 * 1024}));
  EXPECT_FALSE(parse_part_of_memory(""));
}

/// The part of this process is what a child that it has forked does not share, and half of the rest.
TEST(ProcessUsage, PagesSharedWithAChildCountInParts) {
  const std::vector<char> large(64 << 20, 'x');
  const auto alone = part_of_memory(::getpid());
  ASSERT_TRUE(alone);
  int wait_end[2];
  ASSERT_EQ(::pipe(wait_end), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char byte;
    ::close(wait_end[1]);
    (void)!::read(wait_end[0], &byte, 1);
    ::_exit(large[0] == 'x' ? 0 : 1);
  }
  const auto ours = part_of_memory(::getpid());
  const auto theirs = part_of_memory(child);
  const auto whole = kept_memory(::getpid());
  ::close(wait_end[0]);
  ::close(wait_end[1]);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(ours && theirs && whole);
  EXPECT_GE(whole->anonymous, 64 << 20);
  EXPECT_LT(ours->anonymous, alone->anonymous - (24 << 20));
  EXPECT_GE(ours->anonymous + theirs->anonymous, 64 << 20);
  EXPECT_LT(ours->anonymous + theirs->anonymous, alone->anonymous + (16 << 20));
}

TEST(ProcessUsage, ATreeHasTheDescendantsOfAProcessAndNobodyElse) {
  int hold[2];
  int tell[2];
  ASSERT_EQ(::pipe2(hold, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(tell, O_CLOEXEC), 0);
  const auto wait_for_end = [&] {
    char byte = 0;
    ::close(hold[1]);
    ::_exit(::read(hold[0], &byte, 1) == 0 ? 0 : 1);
  };
  const pid_t child = ::fork();
  if (child == 0) {
    const pid_t grandchild = ::fork();
    if (grandchild != 0) (void)!::write(tell[1], &grandchild, sizeof grandchild);
    wait_for_end();
  }
  const pid_t sibling = ::fork();
  if (sibling == 0) wait_for_end();
  pid_t grandchild = 0;
  ASSERT_EQ(::read(tell[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  EXPECT_THAT(process_tree(child), ::testing::UnorderedElementsAre(child, grandchild));
  EXPECT_THAT(process_tree(::getpid()), ::testing::IsSupersetOf({::getpid(), child, grandchild, sibling}));
  for (const int fd : {hold[0], hold[1], tell[0], tell[1]}) ::close(fd);
  for (const pid_t one : {child, sibling}) EXPECT_EQ(::waitpid(one, nullptr, 0), one);
}

TEST(ProcessUsage, SeesThisProcess) {
  EXPECT_THAT(process_ids(), Contains(::getpid()));
  const auto times = process_times(::getpid());
  ASSERT_TRUE(times);
  EXPECT_EQ(times->parent, ::getppid());
  const auto memory = process_memory(::getpid());
  ASSERT_TRUE(memory);
  EXPECT_GT(memory->own + memory->shared, 0);
  EXPECT_TRUE(process_io(::getpid()));
  EXPECT_TRUE(machine_usage());
  const Fd made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  struct stat status {};
  ASSERT_EQ(::fstat(made.get(), &status), 0);
  EXPECT_THAT(socket_inodes(::getpid()), Contains(status.st_ino));
}

}  // namespace
}  // namespace muster::linux_os
