#include "linux/process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux/files.h"

namespace muster::linux_os {
namespace {

void wait_for_end(const Fd& pidfd) {
  pollfd polled{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&polled, 1, 30'000), 1) << "the process did not end";
}

std::string read_all(const Fd& fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(fd.get(), buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

TEST(Spawn, GivesTheChildOnlyTheDescriptorsNamed) {
  auto pair = make_socket_pair();
  ASSERT_TRUE(pair);
  const Fd other(::dup(pair->theirs.get()));  // inheritable, but the child must not get it
  auto child = spawn({.program = "/bin/ls",
                      .args = {"ls", "/proc/self/fd"},
                      .env = {"PATH=/bin"},
                      .fds = {{pair->theirs.get(), 0}, {pair->theirs.get(), 1}}});
  ASSERT_TRUE(child) << child.error().message;
  wait_for_end(child->pidfd);
  pair->theirs.reset();
  char buffer[256];
  const ssize_t n = ::read(pair->ours.get(), buffer, sizeof buffer);
  ASSERT_GT(n, 0);
  // 2 is this process's stderr, 3 the directory that ls has open.
  EXPECT_EQ(std::string(buffer, static_cast<std::size_t>(n)), "0\n1\n2\n3\n");
  EXPECT_TRUE(has_ended(child->pidfd));
}

TEST(Spawn, DescriptorsMayTakeEachOthersNumbers) {
  auto pair = make_socket_pair();
  ASSERT_TRUE(pair);
  const int ours = pair->ours.get();
  const int theirs = pair->theirs.get();
  auto child = spawn({.program = "/bin/sh",
                      .args = {"sh", "-c", "echo swapped >&" + std::to_string(ours)},
                      .env = {},
                      .fds = {{theirs, ours}, {ours, theirs}}});
  ASSERT_TRUE(child) << child.error().message;
  wait_for_end(child->pidfd);
  char buffer[20];
  EXPECT_EQ(::read(ours, buffer, sizeof buffer), 8);
}

TEST(Spawn, HasASessionOfItsOwn) {
  auto pair = make_socket_pair();
  ASSERT_TRUE(pair);
  auto child = spawn(
      {.program = "/bin/sh", .args = {"sh", "-c", "read line; exit 0"}, .env = {}, .fds = {{pair->theirs.get(), 0}}});
  ASSERT_TRUE(child);
  EXPECT_EQ(::getsid(child->pid), child->pid);
  pair->theirs.reset();
  pair->ours.reset();
  wait_for_end(child->pidfd);
  EXPECT_TRUE(has_ended(child->pidfd));
}

TEST(Spawn, NamesTheProgramThatIsNotThere) {
  const auto child = spawn({.program = "/nowhere/shim", .args = {"shim"}, .env = {}, .fds = {}});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().message, "start \"/nowhere/shim\": ENOENT (no such file or directory)");
}

TEST(Process, IsKnownByPidAndStartTime) {
  auto pair = make_socket_pair();
  ASSERT_TRUE(pair);
  auto child = spawn(
      {.program = "/bin/cat", .args = {"cat"}, .env = {}, .fds = {{pair->theirs.get(), 0}, {pair->theirs.get(), 1}}});
  ASSERT_TRUE(child);
  pair->theirs.reset();
  const auto start = start_time_of(child->pid);
  ASSERT_TRUE(start);
  EXPECT_TRUE(open_exactly({child->pid, *start}));
  EXPECT_FALSE(open_exactly({child->pid, *start + 1})) << "another process with the same pid must not match";
  EXPECT_FALSE(has_ended(child->pidfd));
  ASSERT_TRUE(send_signal(child->pidfd, SIGKILL));
  wait_for_end(child->pidfd);
  EXPECT_TRUE(has_ended(child->pidfd));
  EXPECT_FALSE(open_exactly({child->pid, *start}));
  EXPECT_TRUE(send_signal(child->pidfd, SIGTERM)) << "a signal to the dead is not an error";
  EXPECT_EQ(read_all(pair->ours), "");
}

TEST(Process, OneThatEndsIsBeingKilled) {
  EXPECT_FALSE(is_being_killed(::getpid()));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(is_being_killed(child));
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(is_being_killed(child)) << "it is gone";
}

TEST(Process, OwnBootAndNamespaceAreKnown) {
  const auto boot = boot_id();
  ASSERT_TRUE(boot);
  EXPECT_EQ(boot->size(), 36U);
  EXPECT_TRUE(pid_namespace());
}

}  // namespace
}  // namespace muster::linux_os
