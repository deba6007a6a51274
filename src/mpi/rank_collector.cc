#include "mpi/rank_collector.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <functional>
#include <vector>

namespace muster::mpi {
namespace {

constexpr std::size_t kLongestLine = 1024;
constexpr int kWaiting = 4096;       // connections: all ranks of a large job start at the same time
constexpr int kAcceptedAtOnce = 64;  // then what has arrived is read, however many more connect

}  // namespace

Result<std::unique_ptr<RankCollector>> RankCollector::open(Loop& loop, const std::string& address, std::string key,
                                                           std::function<void()> on_change) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  socklen_t size = sizeof at;
  auto* generic = reinterpret_cast<sockaddr*>(&at);
  if (!fd || ::inet_pton(AF_INET, address.c_str(), &at.sin_addr) != 1 || ::bind(fd.get(), generic, size) != 0 ||
      ::listen(fd.get(), kWaiting) != 0 || ::getsockname(fd.get(), generic, &size) != 0) {
    return errno_error(fmt::format("listen on {}", address), errno);
  }
  Collector where{.address = address, .port = ntohs(at.sin_port), .key = std::move(key)};
  return std::unique_ptr<RankCollector>(new RankCollector(loop, std::move(fd), std::move(where), std::move(on_change)));
}

RankCollector::RankCollector(Loop& loop, Fd listener, Collector where, std::function<void()> on_change)
    : loop_(loop), listener_(std::move(listener)), where_(std::move(where)), on_change_(std::move(on_change)) {
  watch_ = loop_.on_readable(listener_.get(), [this] { accept_some(); });
}

RankCollector::~RankCollector() {
  loop_.cancel(watch_);
  for (const auto& [fd, connection] : connections_) loop_.cancel(connection.watch);
}

void RankCollector::accept_some() {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    const bool is_full = !fd && (errno == EMFILE || errno == ENFILE);
    if (!fd && !(is_full && drop_oldest_stranger())) return;
    if (fd) add(std::move(fd));
  }
}

void RankCollector::add(Fd fd) {
  if (strangers_.size() >= kMostStrangers) drop_oldest_stranger();
  const int number = fd.get();
  Connection& connection = connections_[number];
  connection.fd = std::move(fd);
  connection.watch = loop_.on_readable(number, [this, number] { read(number); });
  strangers_.push_back(number);
  read(number);
}

bool RankCollector::drop_oldest_stranger() {
  book_.lose_sight();
  if (strangers_.empty()) return false;
  close(strangers_.front());
  return true;
}

void RankCollector::drain() {
  accept_some();
  std::vector<int> open;
  for (const auto& [fd, connection] : connections_) open.push_back(fd);
  for (const int fd : open) read(fd);
}

void RankCollector::read(int fd) {
  Connection& connection = connections_.at(fd);
  for (;;) {
    std::array<char, 512> buffer;
    const ssize_t count = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return close(fd);
    connection.text.append(buffer.data(), static_cast<std::size_t>(count));
    for (auto newline = connection.text.find('\n'); newline != std::string::npos;
         newline = connection.text.find('\n')) {
      const std::string line = connection.text.substr(0, newline);
      connection.text.erase(0, newline + 1);
      if (!take_line(connection, line)) return close(fd);
    }
    if (connection.text.size() > kLongestLine) return close(fd);
  }
}

bool RankCollector::take_line(Connection& connection, const std::string& line) {
  if (!connection.rank) {
    const auto start = parse_start(line);
    if (!start || start->key != where_.key) return false;
    connection.rank = start->rank;
    std::erase(strangers_, connection.fd.get());
    book_.start(start->rank, start->ranks, start->host);
    [[maybe_unused]] const ssize_t sent = ::send(connection.fd.get(), &kConfirmed, 1, MSG_NOSIGNAL);
  } else {
    const auto end = parse_end(line);
    if (!end || connection.has_ended) return false;
    connection.has_ended = true;
    book_.end(*connection.rank, *end, loop_.mono());
  }
  on_change_();
  return true;
}

void RankCollector::close(int fd) {
  const auto node = connections_.extract(fd);
  const Connection& connection = node.mapped();
  loop_.cancel(connection.watch);
  std::erase(strangers_, fd);
  if (!connection.rank || connection.has_ended) return;
  // The wrapper was killed together with its rank: by the kernel for lack of memory, or by somebody.
  book_.end(*connection.rank, {.code = 0, .signal = SIGKILL}, loop_.mono());
  on_change_();
}

}  // namespace muster::mpi
