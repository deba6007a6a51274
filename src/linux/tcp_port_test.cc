#include "linux/tcp_port.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

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

}  // namespace
}  // namespace muster::linux_os
