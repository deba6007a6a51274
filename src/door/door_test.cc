// Tests with the real program. The engine is a Door object: its end closes the connection, as a killed engine does.
#include "door/door.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>

#include <cerrno>
#include <filesystem>

#include "base/files.h"
#include "linux/packet_socket.h"
#include "testing/sim_loop.h"

namespace muster::door {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kToken = "the-owners-token";

class TemporaryDirectory {
 public:
  TemporaryDirectory() { EXPECT_NE(::mkdtemp(path_.data()), nullptr); }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/door-test-XXXXXX";
};

struct Listening {
  Fd fd;
  sockaddr_in address = {};
};

Listening listen_somewhere(int port = 0) {
  Listening made;
  made.fd = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  ::setsockopt(made.fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  made.address.sin_family = AF_INET;
  made.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  made.address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t length = sizeof made.address;
  auto* address = reinterpret_cast<sockaddr*>(&made.address);
  if (::bind(made.fd.get(), address, length) != 0 || ::listen(made.fd.get(), 100) != 0) made.fd.reset();
  ::getsockname(made.fd.get(), address, &length);
  return made;
}

bool waits_for(const Fd& fd, int milliseconds = 10'000) {
  pollfd polled{.fd = fd.get(), .events = POLLIN, .revents = 0};
  return ::poll(&polled, 1, milliseconds) == 1;
}

std::string read_to_end(const Fd& fd) {
  std::string text;
  char buffer[4096];
  while (waits_for(fd)) {
    const ssize_t n = ::recv(fd.get(), buffer, sizeof buffer, 0);
    if (n < 0) return text + "(reset)";
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text + "(open)";
}

class DoorTest : public ::testing::Test {
 protected:
  DoorTest() {
    EXPECT_TRUE(write_file_atomically(directory() + "/token", std::string(kToken) + "\n", 0600));
    hold();
  }
  ~DoorTest() override {
    engine_.reset();
    EXPECT_TRUE(end_door(directory(), kToken));
  }

  const std::string& directory() const { return directory_.path(); }
  void hold() {
    engine_ = std::make_unique<Door>(loop_, directory());
    engine_->hold({socket_.fd.get()});
  }
  /// The engine ends, as with kill -9.
  void lose_engine() {
    engine_.reset();
    socket_.fd.reset();
  }
  int port() const { return ntohs(socket_.address.sin_port); }
  Fd dial() const {
    Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto* address = reinterpret_cast<const sockaddr*>(&socket_.address);
    if (::connect(fd.get(), address, sizeof socket_.address) != 0) fd.reset();
    return fd;
  }
  std::string ask(std::string_view request) const {
    const Fd fd = dial();
    if (!fd) return "(refused)";
    ::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL);
    return read_to_end(fd);
  }
  /// The next engine.
  std::unique_ptr<Door> take() {
    auto next = std::make_unique<Door>(loop_, directory());
    const Status taken = next->take(kToken);
    EXPECT_TRUE(taken) << taken.error().message;
    return next;
  }
  void wait_for_end() const {
    const Fd lock(::open((directory() + "/door.lock").c_str(), O_RDWR | O_CLOEXEC));
    ::flock(lock.get(), LOCK_EX);  // the door holds it until its end
  }

  testing::SimLoop loop_;
  TemporaryDirectory directory_;
  Listening socket_ = listen_somewhere();
  std::unique_ptr<Door> engine_;
};

TEST_F(DoorTest, AnswersThatTheEngineIsAway) {
  EXPECT_TRUE(has_door(directory()));
  lose_engine();
  EXPECT_FALSE(listen_somewhere(port()).fd) << "the port is not free";
  const std::string answer = ask("GET /api/v1/pods HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nRetry-After: 1\r\n"));
  EXPECT_THAT(
      answer,
      HasSubstr("\"message\":\"the engine is restarting or has ended unexpectedly; start it with: muster up\""));
  EXPECT_THAT(answer, EndsWith("\"code\":503}\n"));
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nAccept: text/html\r\n\r\n"), EndsWith("start it with: muster up\n"));
  EXPECT_THAT(ask("HEAD / HTTP/1.1\r\n\r\n"), EndsWith("\r\n\r\n"));
}

TEST_F(DoorTest, ClosesTlsWithoutAnAnswer) {
  lose_engine();
  EXPECT_EQ(ask(std::string("\x16\x03\x01\x00\x05", 5) + "hello"), "");
}

TEST_F(DoorTest, AcceptsNothingWhileTheEngineLives) {
  const Fd peer = dial();
  ASSERT_TRUE(waits_for(socket_.fd));
  EXPECT_GE(Fd(::accept(socket_.fd.get(), nullptr, nullptr)).get(), 0);
}

TEST_F(DoorTest, GivesTheSocketsToTheNextEngineAndAcceptsNoMore) {
  lose_engine();
  auto next = take();
  ASSERT_EQ(next->taken().size(), 1u);
  const Fd peer = dial();
  ASSERT_TRUE(waits_for(next->taken()[0]));
  EXPECT_GE(Fd(::accept(next->taken()[0].get(), nullptr, nullptr)).get(), 0);
  next.reset();
  EXPECT_THAT(ask("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 503")) << "the next engine was killed also";
}

TEST_F(DoorTest, GivesThemToNobodyWithoutTheToken) {
  lose_engine();
  for (const char* word : {"take", "take ", "take other", "take the-owners-token2", "end other", "hold", "end", ""}) {
    const auto link = linux_os::connect_packet_socket(directory(), "door.sock");
    ASSERT_TRUE(link);
    ASSERT_TRUE(linux_os::send_packet(*link, word));
    EXPECT_EQ(read_to_end(*link), "") << word;
  }
  EXPECT_EQ(take()->taken().size(), 1u);
}

TEST_F(DoorTest, DropsWhatTheNextEngineDoesNotUse) {
  lose_engine();
  auto next = take();
  ASSERT_TRUE(next->drop_taken());
  EXPECT_TRUE(listen_somewhere(port()).fd);
  const Listening other = listen_somewhere();
  next->hold({other.fd.get()});
  next.reset();
  EXPECT_EQ(take()->taken().size(), 1u);
}

TEST_F(DoorTest, AFloodDoesNotStopTheHandOver) {
  lose_engine();
  std::vector<Fd> flood;
  for (int i = 0; i < 400; ++i) flood.push_back(dial());
  EXPECT_THAT(ask("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 503"));
  EXPECT_EQ(take()->taken().size(), 1u);
}

TEST_F(DoorTest, CutsOffALongRequestAndWhoSaysNothing) {
  lose_engine();
  const Fd silent = dial();
  EXPECT_EQ(read_to_end(silent), "");
  const Fd talks = dial();
  const std::string much(100'000, 'x');
  while (::send(talks.get(), much.data(), much.size(), MSG_NOSIGNAL) > 0) continue;
  EXPECT_TRUE(errno == ECONNRESET || errno == EPIPE);
}

TEST_F(DoorTest, EndsWithTheEngineUnlessPodsRun) {
  engine_->close(false);
  socket_.fd.reset();
  EXPECT_TRUE(listen_somewhere(port()).fd);
  wait_for_end();
}

TEST_F(DoorTest, StaysForAsLongAsPodsRun) {
  const std::string launch = directory() + "/pods/uid/0";
  std::filesystem::create_directories(launch);
  Fd shim(::open((launch + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(shim.get(), LOCK_EX | LOCK_NB), 0);
  engine_->close(true);
  lose_engine();
  EXPECT_THAT(ask("GET / HTTP/1.1\r\n\r\n"), HasSubstr("the engine was stopped and its jobs keep running"));
  shim.reset();
  wait_for_end();
  EXPECT_TRUE(listen_somewhere(port()).fd);
}

TEST_F(DoorTest, EndsWhenItsFolderIsRemoved) {
  const Fd lock(::open((directory() + "/door.lock").c_str(), O_RDWR | O_CLOEXEC));
  lose_engine();
  EXPECT_THAT(ask("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 503")) << "it has started";
  std::filesystem::remove_all(directory());
  ::flock(lock.get(), LOCK_EX);
  EXPECT_TRUE(listen_somewhere(port()).fd);
}

TEST_F(DoorTest, IsEndedFromOutsideWithTheToken) {
  lose_engine();
  EXPECT_TRUE(end_door(directory(), kToken));
  EXPECT_TRUE(listen_somewhere(port()).fd);
  wait_for_end();
  EXPECT_FALSE(has_door(directory()));
  EXPECT_TRUE(take()->taken().empty()) << "there is no door any more";
}

TEST_F(DoorTest, ThereIsOneForAFolder) {
  Door second(loop_, directory());
  second.hold({socket_.fd.get()});
  EXPECT_EQ(loop_.timers(), 1u) << "it tries again later";
  engine_->close(false);
  wait_for_end();
  loop_.advance(std::chrono::seconds(1));
  EXPECT_EQ(loop_.timers(), 0u);
  EXPECT_TRUE(has_door(directory()));
}

TEST_F(DoorTest, AreIndependentInOtherFolders) {
  const TemporaryDirectory other;
  Door next(loop_, other.path());
  EXPECT_TRUE(next.take(kToken));
  EXPECT_TRUE(next.taken().empty());
}

}  // namespace
}  // namespace muster::door
