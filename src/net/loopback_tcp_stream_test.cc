// TcpStream over real sockets of the loopback interface.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>

#include <optional>

#include "net/event_loop.h"
#include "net/tcp_stream.h"

namespace muster::net {
namespace {

constexpr std::size_t kMuch = std::size_t{8} << 20;

/// A stream, and the other end of its connection as a plain descriptor.
class TcpStreamTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    peer_ = Fd(ends[0]);
    stream_.emplace(loop_, Fd(ends[1]),
                    TcpStream::Sink{.on_bytes = [this](std::string_view bytes) { received_ += bytes; },
                                    .on_finish = [this] { finished_ = true; },
                                    .on_end = [this](Status how) { ended_ = std::move(how); }});
  }
  void say(const std::string& text) { ASSERT_EQ(::write(peer_.get(), text.data(), text.size()), ssize_t(text.size())); }
  /// Reads until the end of the stream, or so much.
  std::string hear(std::size_t most) {
    std::string out;
    ::fcntl(peer_.get(), F_SETFL, O_NONBLOCK);
    loop_.run_until([&] {
      char buffer[4096];
      while (true) {
        const ssize_t n = ::read(peer_.get(), buffer, sizeof buffer);
        if (n <= 0) return n == 0 || out.size() >= most;
        out.append(buffer, static_cast<std::size_t>(n));
      }
    });
    return out;
  }

  EventLoop loop_;
  Fd peer_;
  std::string received_;
  bool finished_ = false;
  std::optional<Status> ended_;
  std::optional<TcpStream> stream_;
};

TEST_F(TcpStreamTest, EachSideEndsByItself) {
  say("hello");
  ::shutdown(peer_.get(), SHUT_WR);
  loop_.run_until([&] { return finished_; });
  EXPECT_EQ(received_, "hello");
  EXPECT_FALSE(ended_);
  stream_->write("bye");
  stream_->finish();
  EXPECT_EQ(hear(100), "bye");
  loop_.run_until([&] { return ended_.has_value(); });
  EXPECT_TRUE(ended_->has_value());
}

TEST_F(TcpStreamTest, WhatThePeerDoesNotReadIsCountedUntilItDoes) {
  stream_->write(std::string(kMuch, 'x'));
  EXPECT_GT(stream_->unsent(), kMuch / 2);
  bool has_room = false;
  stream_->when_room(kMuch / 2, [&] { has_room = true; });
  stream_->finish();
  EXPECT_EQ(hear(kMuch).size(), kMuch);
  EXPECT_TRUE(has_room);
  EXPECT_EQ(stream_->unsent(), 0u);
  EXPECT_EQ(hear(1), "");
}

TEST_F(TcpStreamTest, APausedStreamDeliversNothingUntilItIsResumed) {
  stream_->pause();
  say("later");
  bool passed = false;
  loop_.post_when_idle([&] { passed = true; });
  loop_.run_until([&] { return passed; });
  EXPECT_EQ(received_, "");
  stream_->resume();
  loop_.run_until([&] { return received_ == "later"; });
}

TEST_F(TcpStreamTest, APeerThatIsGoneIsAnErrorAfterWhatItHasSent) {
  say("last");
  peer_.reset();
  stream_->write("nobody reads it");
  loop_.run_until([&] { return ended_.has_value(); });
  EXPECT_EQ(received_, "last");
  EXPECT_FALSE(ended_->has_value());
}

TEST_F(TcpStreamTest, AStreamMayBeDestroyedWhenItEnds) {
  stream_.reset();
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  peer_ = Fd(ends[0]);
  stream_.emplace(loop_, Fd(ends[1]),
                  TcpStream::Sink{.on_bytes = nullptr, .on_finish = [this] { stream_.reset(); }, .on_end = nullptr});
  peer_.reset();
  loop_.run_until([&] { return !stream_; });
}

}  // namespace
}  // namespace muster::net
