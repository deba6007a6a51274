#include "mpi/rank_collector.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "net/event_loop.h"

namespace muster::mpi {
namespace {

class RankCollectorTest : public ::testing::Test {
 protected:
  RankCollectorTest() : collector_(*RankCollector::open(loop_, "127.0.0.1", "key", [] {})) {}

  Fd connect() const {
    Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(collector_->where().port));
    ::inet_pton(AF_INET, "127.0.0.1", &at.sin_addr);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    return fd;
  }
  static void send(const Fd& fd, const std::string& text) {
    EXPECT_EQ(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  /// Runs the loop until the collector has answered or closed the connection. Returns the answer; "" is the end.
  std::string answer(const Fd& fd) {
    char byte = 0;
    ssize_t count = -1;
    const Loop::Id watch = loop_.on_readable(fd.get(), [&] { count = ::recv(fd.get(), &byte, 1, 0); });
    loop_.run_until([&] { return count >= 0; });
    loop_.cancel(watch);
    return {&byte, static_cast<std::size_t>(count)};
  }

  net::EventLoop loop_;
  std::unique_ptr<RankCollector> collector_;
};

TEST_F(RankCollectorTest, RankIsConfirmedAndItsEndIsKnown) {
  const Fd rank = connect();
  send(rank, start_line({.key = "key", .rank = 0, .ranks = 1, .host = "w"}));
  EXPECT_EQ(answer(rank), std::string(1, kConfirmed));
  EXPECT_FALSE(collector_->book().is_complete());
  send(rank, end_line({.code = 3, .signal = 0}));
  loop_.run_until([&] { return collector_->book().is_complete(); });
  EXPECT_EQ(collector_->book().verdict("mpirun", {}).message, "rank 0 (on w) exited with code 3");
}

TEST_F(RankCollectorTest, StrangerIsNotHeard) {
  const Fd stranger = connect();
  send(stranger, start_line({.key = "guess", .rank = 0, .ranks = 9, .host = "w"}));
  EXPECT_EQ(answer(stranger), "");
  EXPECT_EQ(collector_->book().verdict("mpirun", {}), (Verdict{}));
}

TEST_F(RankCollectorTest, StrangersDoNotCrowdOutRanks) {
  const Fd before = connect();
  send(before, start_line({.key = "key", .rank = 0, .ranks = 2, .host = "w"}));
  EXPECT_EQ(answer(before), std::string(1, kConfirmed));
  std::vector<Fd> strangers;
  for (std::size_t i = 0; i < RankCollector::kMostStrangers + 1; ++i) strangers.push_back(connect());
  EXPECT_EQ(answer(strangers.front()), "") << "the oldest stranger has to go";
  const Fd after = connect();
  send(after, start_line({.key = "key", .rank = 1, .ranks = 2, .host = "w"}));
  EXPECT_EQ(answer(after), std::string(1, kConfirmed));
  send(before, end_line({.code = 0, .signal = 0}));
  send(after, end_line({.code = 5, .signal = 0}));
  loop_.run_until([&] { return collector_->book().is_complete(); });
  EXPECT_EQ(collector_->book().verdict("mpirun", {}).code, 5);
}

TEST_F(RankCollectorTest, WrapperThatIsKilledTakesItsRankWithIt) {
  Fd rank = connect();
  send(rank, start_line({.key = "key", .rank = 0, .ranks = 1, .host = "w"}));
  EXPECT_EQ(answer(rank), std::string(1, kConfirmed));
  rank.reset();
  loop_.run_until([&] { return collector_->book().is_complete(); });
  EXPECT_EQ(collector_->book().verdict("mpirun", {}).code, 137);
}

}  // namespace
}  // namespace muster::mpi
