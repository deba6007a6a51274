#include "agent/ports/pod_ports.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "net/tcp_stream.h"

namespace muster::agent {
namespace {

constexpr Duration kConnectTimeout = std::chrono::seconds(10);
constexpr const char* kLoopback = "127.0.0.1";

/// What the callbacks of a connection share with its session. It lives until the session is destroyed.
class PortConnection : public std::enable_shared_from_this<PortConnection> {
 public:
  PortConnection(Loop& loop, OpenPodSocket open, node::PortRequest request, node::PortSink sink)
      : loop_(loop), open_(std::move(open)), request_(std::move(request)), sink_(std::move(sink)) {}

  /// Tries the addresses in their order.
  void try_next(std::vector<std::string> addresses) {
    const std::string address = addresses.front();
    addresses.erase(addresses.begin());
    connect_to_pod(loop_, open_, request_.pod_uid, address, request_.port, kConnectTimeout,
                   [weak = weak_from_this(), addresses = std::move(addresses)](Result<Fd> socket) mutable {
                     const auto self = weak.lock();
                     if (!self) return;
                     if (socket) return self->use(*std::move(socket));
                     if (!addresses.empty()) return self->try_next(std::move(addresses));
                     self->fail(std::move(socket).error());
                   });
  }

  void write(std::string_view bytes) {
    if (stream_) {
      stream_->write(bytes);
    } else if (!failed_) {
      early_bytes_ += bytes;
    }
  }
  void finish() {
    is_finishing_ = true;
    if (stream_) stream_->finish();
  }
  std::size_t unsent() const { return stream_ ? stream_->unsent() : early_bytes_.size(); }
  void when_room(std::size_t bytes, Task task) {
    if (stream_) {
      stream_->when_room(bytes, std::move(task));
    } else {
      early_room_ = {bytes, std::move(task)};
    }
  }
  void pause() {
    is_paused_ = true;
    if (stream_) stream_->pause();
  }
  void resume() {
    is_paused_ = false;
    if (stream_) stream_->resume();
  }
  void close() {
    failed_ = true;
    stream_.reset();
  }

 private:
  void use(Fd socket) {
    if (failed_) return;
    stream_.emplace(
        loop_, std::move(socket),
        net::TcpStream::Sink{.on_bytes = [this](std::string_view bytes) { sink_.on_bytes(bytes); },
                             .on_finish = [this] { std::exchange(sink_.on_finish, nullptr)(); },
                             .on_end = [this](Status how) { std::exchange(sink_.on_end, nullptr)(std::move(how)); }});
    if (sink_.on_connected) std::exchange(sink_.on_connected, nullptr)();
    if (is_paused_) stream_->pause();
    stream_->write(std::exchange(early_bytes_, {}));
    if (early_room_.second) stream_->when_room(early_room_.first, std::move(early_room_.second));
    if (is_finishing_) stream_->finish();
  }

  void fail(Error why) {
    if (std::exchange(failed_, true)) return;
    early_bytes_.clear();
    why.message =
        fmt::format("failed to connect to localhost:{} inside the network of the pod: {}", request_.port, why.message);
    std::exchange(sink_.on_end, nullptr)(std::move(why));
  }

  Loop& loop_;
  OpenPodSocket open_;
  node::PortRequest request_;
  node::PortSink sink_;
  std::optional<net::TcpStream> stream_;
  std::string early_bytes_;  // written before the connection was made
  std::pair<std::size_t, Task> early_room_;
  bool is_paused_ = false;
  bool is_finishing_ = false;
  bool failed_ = false;  // or closed
};

class PortHandle final : public node::PortSession {
 public:
  PortHandle(std::shared_ptr<PortConnection> connection, std::shared_ptr<std::size_t> count)
      : connection_(std::move(connection)), count_(std::move(count)) {
    ++*count_;
  }
  ~PortHandle() override {
    --*count_;
    connection_->close();
  }
  PortHandle(const PortHandle&) = delete;
  PortHandle& operator=(const PortHandle&) = delete;

  void write(std::string_view bytes) override { connection_->write(bytes); }
  void finish() override { connection_->finish(); }
  std::size_t unsent() const override { return connection_->unsent(); }
  void when_room(std::size_t bytes, Task task) override { connection_->when_room(bytes, std::move(task)); }
  void pause() override { connection_->pause(); }
  void resume() override { connection_->resume(); }

 private:
  std::shared_ptr<PortConnection> connection_;
  std::shared_ptr<std::size_t> count_;
};

}  // namespace

std::size_t PodPorts::limit() {
  constexpr std::size_t kMost = 4096;
  rlimit descriptors{};
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return kMost;
  return std::min(kMost, static_cast<std::size_t>(descriptors.rlim_cur) / 4);
}

Result<std::unique_ptr<node::PortSession>> PodPorts::connect(const node::PortRequest& request, node::PortSink sink) {
  if (*open_count_ >= limit()) {
    return Error{.reason = Reason::kTooManyRequests,
                 .message = fmt::format("{} connections to ports of pods are open, which is the limit; close some",
                                        *open_count_)};
  }
  std::vector<std::string> addresses;
  if (!request.address.empty()) addresses.push_back(request.address);
  if (addresses.empty() || has_own_network_(request.pod_uid)) addresses.emplace_back(kLoopback);
  auto connection = std::make_shared<PortConnection>(loop_, open_, request, std::move(sink));
  connection->try_next(std::move(addresses));
  return std::unique_ptr<node::PortSession>(std::make_unique<PortHandle>(std::move(connection), open_count_));
}

}  // namespace muster::agent
