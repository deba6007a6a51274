#include "linux/tcp_bytes.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/fd.h"

namespace muster::linux_os {
namespace {

struct Connection {
  Fd client;
  Fd server;
};

Connection connect_on_loopback() {
  const Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  Connection made;
  made.client = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(made.client.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  made.server = Fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_TRUE(made.server);
  return made;
}

std::uint64_t inode_of(const Fd& fd) {
  struct stat status {};
  EXPECT_EQ(::fstat(fd.get(), &status), 0);
  return status.st_ino;
}

TEST(TcpBytes, BothEndsCountWhatWasCarried) {
  const Connection connection = connect_on_loopback();
  const std::string text(10'000, 'x');
  ASSERT_EQ(::write(connection.client.get(), text.data(), text.size()), 10'000);
  std::string back(text.size(), '\0');
  ASSERT_EQ(::recv(connection.server.get(), back.data(), back.size(), MSG_WAITALL), 10'000);
  // An answer carries the acknowledgement, which would otherwise come some time later.
  ASSERT_EQ(::write(connection.server.get(), "y", 1), 1);
  ASSERT_EQ(::read(connection.client.get(), back.data(), 1), 1);
  const auto found = tcp_bytes();
  if (!found) GTEST_SKIP() << "this machine has no inet_diag: " << found.error().message;
  ASSERT_TRUE(found->contains(inode_of(connection.client)));
  ASSERT_TRUE(found->contains(inode_of(connection.server)));
  EXPECT_EQ(found->at(inode_of(connection.server)).received, 10'000);
  // The first byte that is acknowledged is that of the handshake.
  EXPECT_GE(found->at(inode_of(connection.client)).sent, 10'000);
}

}  // namespace
}  // namespace muster::linux_os
