#include "linux/tcp_port.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"

namespace muster::linux_os {
namespace {

TEST(TcpPort, IsTakenWhileAServerListensAndFreeAfterwards) {
  int port = 0;
  {
    const Fd holder(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::bind(holder.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(holder.get(), 1), 0);
    socklen_t size = sizeof address;
    ASSERT_EQ(::getsockname(holder.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port = ntohs(address.sin_port);
    EXPECT_FALSE(is_port_free(port));
  }
  EXPECT_TRUE(is_port_free(port));
}

/// A connection over loopback, both ends.
struct PortConnection {
  PortConnection() {
    const Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(listener.get(), 1);
    ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
    client = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ::connect(client.get(), reinterpret_cast<sockaddr*>(&address), size);
    server = Fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    port = ntohs(address.sin_port);
  }
  Fd client;
  Fd server;
  int port = 0;
};

TEST(TcpPort, AConnectionOfAnotherProcessIsSeen) {
  PortConnection connection;
  ASSERT_TRUE(connection.server);
  for (const char* host : {"127.0.0.1", "0.0.0.0", "localhost"}) {
    EXPECT_TRUE(*has_all_connections(host, connection.port)) << host;
  }
  int hold[2];
  ASSERT_EQ(::pipe2(hold, O_CLOEXEC), 0);
  const pid_t other = ::fork();  // it keeps the server's end, which this process then closes
  if (other == 0) {
    char byte = 0;
    ::close(hold[1]);
    ::_exit(::read(hold[0], &byte, 1) == 0 ? 0 : 1);
  }
  connection.server = Fd();
  EXPECT_FALSE(*has_all_connections("127.0.0.1", connection.port));
  EXPECT_FALSE(*has_all_connections("0.0.0.0", connection.port));
  EXPECT_TRUE(*has_all_connections("127.0.0.2", connection.port)) << "somebody else's address";
  EXPECT_TRUE(*has_all_connections("::1", connection.port));
  ::close(hold[0]);
  ::close(hold[1]);
  ASSERT_EQ(::waitpid(other, nullptr, 0), other);
  EXPECT_TRUE(*has_all_connections("127.0.0.1", connection.port));
}

std::uint64_t socket_inode_of(const Fd& socket) {
  struct stat about {};
  EXPECT_EQ(::fstat(socket.get(), &about), 0);
  return about.st_ino;
}

TEST(TcpPort, WhatIsSentGoesToTheSocketThatListensUntilTheConnectionIsAccepted) {
  for (const in_addr_t host : {INADDR_LOOPBACK, INADDR_ANY}) {
    Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(host);
    socklen_t size = sizeof at;
    ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&at), size), 0);
    ASSERT_EQ(::listen(listener.get(), 2), 0);
    ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&at), &size), 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(client.get(), reinterpret_cast<sockaddr*>(&at), size), 0);
    const auto ends = ends_of(client.get());
    ASSERT_TRUE(ends);
    EXPECT_EQ(ends->peer_address, "127.0.0.1");
    EXPECT_EQ(ends->peer_port, ntohs(at.sin_port));
    EXPECT_EQ(*receivers_of(*ends), std::vector{socket_inode_of(listener)});
    Fd server(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    EXPECT_EQ(*receivers_of(*ends), std::vector{socket_inode_of(server)});
    listener = Fd();
    EXPECT_EQ(*receivers_of(*ends), std::vector{socket_inode_of(server)});
    TcpEnds other = *ends;
    other.port ^= 1;
    EXPECT_FALSE(receivers_of(other));
  }
}

TEST(TcpPort, ASocketOfIpv6ThatTakesIpv4AsWellIsFound) {
  const Fd listener(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listener) GTEST_SKIP() << "this machine has no IPv6";
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  socklen_t size = sizeof any;
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&any), size), 0);
  ASSERT_EQ(::listen(listener.get(), 2), 0);
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&any), &size), 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = any.sin6_port;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(client.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  EXPECT_EQ(*receivers_of(*ends_of(client.get())), std::vector{socket_inode_of(listener)});
  const Fd server(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_EQ(*receivers_of(*ends_of(client.get())), std::vector{socket_inode_of(server)});
}

}  // namespace
}  // namespace muster::linux_os
