#include "agent/network/network_owner.h"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <optional>

#include "linux/packet_socket.h"
#include "net/event_loop.h"
#include "shim/encode_fields.h"
#include "shim/format.h"

namespace muster::agent {
namespace {

using ::testing::HasSubstr;

/// The test plays the process that owns the network.
class NetworkOwnerTest : public ::testing::Test {
 protected:
  NetworkOwnerTest() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    process_ = Fd(ends[0]);
    owner_.emplace(loop_, Fd(ends[1]));
  }
  /// Answers the next request, with a descriptor or without, and returns its verb.
  std::string answer(bool with_fd) {
    const auto packet = linux_os::receive_packet(process_, MUSTER_PACKET_MAX);
    if (!packet || !*packet) return "";
    const auto fields = shim::split_fields((*packet)->bytes);
    std::string bytes;
    shim::put_fields(bytes, {"ok", fields[1]});
    const Status sent =
        with_fd ? linux_os::send_packet(process_, bytes, {process_.get()}) : linux_os::send_packet(process_, bytes);
    EXPECT_TRUE(sent);
    loop_.run_until([this] { return result_.has_value(); });
    return std::string(fields[0]);
  }
  NetworkOwner::OnFd keep() {
    result_.reset();
    return [this](Result<Fd> result) { result_.emplace(std::move(result)); };
  }

  net::EventLoop loop_;
  Fd process_;
  std::optional<NetworkOwner> owner_;
  std::optional<Result<Fd>> result_;
};

TEST_F(NetworkOwnerTest, ADescriptorThatDidNotArriveIsAnError) {
  const std::function<void()> requests[] = {[this] { owner_->open_socket(AF_INET, SOCK_STREAM, 0, keep()); },
                                            [this] { owner_->open_channel(keep()); },
                                            [this] { owner_->listen("127.0.0.1", 80, keep()); }};
  for (const auto& ask : requests) {
    ask();
    answer(true);
    ASSERT_TRUE(*result_);
    EXPECT_TRUE(**result_);
    ask();
    answer(false);
    ASSERT_FALSE(*result_);
    EXPECT_THAT(result_->error().message, HasSubstr("too many files open"));
  }
}

TEST_F(NetworkOwnerTest, AForwardToTheMachineIsAskedForByName) {
  owner_->forward_to_machine("127.0.0.1", 5000, keep());
  EXPECT_EQ(answer(false), "forward-to-machine");
  EXPECT_TRUE(*result_);
  owner_->forward("127.1.2.3", 80, 8080, Fd(), keep());
  EXPECT_EQ(answer(false), "forward");
}

}  // namespace
}  // namespace muster::agent
