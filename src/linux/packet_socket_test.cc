#include "linux/packet_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>

namespace muster::linux_os {
namespace {

struct PacketPair {
  PacketPair() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    ours = Fd(ends[0]);
    theirs = Fd(ends[1]);
  }
  Fd ours;
  Fd theirs;
};

TEST(PacketSocket, KeepsPacketsApartAndPassesDescriptors) {
  PacketPair pair;
  int pipe_ends[2];
  ASSERT_EQ(::pipe2(pipe_ends, O_CLOEXEC), 0);
  const Fd read_end(pipe_ends[0]);
  Fd write_end(pipe_ends[1]);
  ASSERT_TRUE(send_packet(pair.ours, "one"));
  ASSERT_TRUE(send_packet(pair.ours, "two", {write_end.get()}));
  write_end.reset();
  auto one = receive_packet(pair.theirs, 100);
  ASSERT_TRUE(one && *one);
  EXPECT_EQ((*one)->bytes, "one");
  EXPECT_TRUE((*one)->fds.empty());
  auto two = receive_packet(pair.theirs, 100);
  ASSERT_TRUE(two && *two);
  ASSERT_EQ((*two)->fds.size(), 1u);
  EXPECT_EQ(::write((*two)->fds[0].get(), "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(::read(read_end.get(), &byte, 1), 1);
  const auto none = receive_packet(pair.theirs, 100);
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
}

TEST(PacketSocket, ShowsThatTheOtherSideIsGoneOrDoesNotRead) {
  PacketPair pair;
  Status sent = ok();
  while (sent) sent = send_packet(pair.ours, std::string(1000, 'x'));
  EXPECT_EQ(sent.error().reason, Reason::kTooManyRequests);
  pair.theirs.reset();
  sent = send_packet(pair.ours, "x");
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().reason, Reason::kServiceUnavailable);
  EXPECT_FALSE(receive_packet(pair.ours, 100));
}

TEST(PacketSocket, ReportsWhetherThereIsNoSocketOrNoListener) {
  std::string folder = (std::filesystem::temp_directory_path() / "muster-socket.XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const auto none = connect_packet_socket(folder, "control");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().reason, Reason::kNotFound);
  std::ofstream(folder + "/control") << "not a socket";
  const auto refused = connect_packet_socket(folder, "control");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::kServiceUnavailable);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace muster::linux_os
