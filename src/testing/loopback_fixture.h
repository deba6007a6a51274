// Shared by the loopback tests: a loop that gives up after ten seconds, a scripted handler, and a peer that sends raw
// bytes. Real sockets on 127.0.0.1, port 0.
#pragma once

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "net/event_loop.h"
#include "net/http_client.h"
#include "net/http_server.h"
#include "net/pki.h"

// g++ defines a macro under its sanitizer, Clang answers a question.
#ifdef __has_feature
#define MUSTER_HAS_FEATURE(feature) __has_feature(feature)
#else
#define MUSTER_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || MUSTER_HAS_FEATURE(address_sanitizer)
#define SKIP_IF_DESCRIPTORS_ARE_NEEDED() \
  GTEST_SKIP() << "the sanitizers' runtime opens pipes to check addresses, and takes EMFILE for a bad address"
#else
#define SKIP_IF_DESCRIPTORS_ARE_NEEDED() (void)0
#endif

namespace muster::net {

/// The other end of a connection, which sends and receives raw bytes instead of HTTP.
class RawPeer {
 public:
  RawPeer(EventLoop& loop, int fd) : loop_(loop), fd_(fd) { read_on(); }
  RawPeer(EventLoop& loop, int port, const char* address) : RawPeer(loop, dial(port, address)) {}
  ~RawPeer() { close(); }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // the server may have closed the connection on purpose
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  void stop_sending() { ::shutdown(fd_, SHUT_WR); }
  /// Leaves incoming bytes in the kernel until read_on() is called.
  void stop_reading() { loop_.cancel(std::exchange(watch_, 0)); }
  void read_on() {
    watch_ = loop_.on_readable(fd_, [this] { read(); });
  }
  void close() {
    if (fd_ < 0) return;
    stop_reading();
    ::close(std::exchange(fd_, -1));
  }
  const std::string& received() const { return received_; }
  bool ended() const { return ended_; }

 private:
  static int dial(int port, const char* address) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, address, &to.sin_addr);
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0) << port;
    return fd;
  }

  void read() {
    char buffer[16384];
    const ssize_t count = ::recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count > 0) {
      received_.append(buffer, static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EAGAIN) {
      ended_ = true;
      stop_reading();
    }
  }

  EventLoop& loop_;
  int fd_;
  Loop::Id watch_ = 0;
  std::string received_;
  bool ended_ = false;
};

/// The result of a call.
struct Outcome {
  int status = 0;
  Headers headers;
  std::string body;
  bool ended = false;
  bool failed = false;
  std::string error;
  Reason reason = {};  // of the error
};

class LoopbackTest : public ::testing::Test {
 protected:
  /// Runs the loop until `done` returns true; fails the test after ten seconds.
  void wait(const std::function<bool()>& done, const char* what = "") {
    bool late = false;
    const Loop::Id timer = loop_.after(std::chrono::seconds(10), [&late] { late = true; });
    loop_.run_until([&] { return late || done(); });
    loop_.cancel(timer);
    ASSERT_FALSE(late) << "waited ten seconds for " << what;
  }
  /// Runs the loop for `time`, long enough for bytes to cross the loopback interface a few times.
  void pass(Duration time) {
    bool over = false;
    loop_.after(time, [&over] { over = true; });
    wait([&over] { return over; });
  }

  void serve(Handler handler, ServerLimits limits = {}, const char* host = "127.0.0.1", KnowsSender knows = nullptr) {
    server_ = std::make_unique<HttpServer>(loop_, ServerTls{certificate().certificate_pem, certificate().key_pem},
                                           std::move(handler), limits, std::move(knows));
    const auto port = server_->listen(host, 0);
    ASSERT_TRUE(port.has_value()) << port.error().message;
    port_ = *port;
  }
  /// Responds to each request with its method, target and body.
  static void echo(const Request& request, const std::shared_ptr<Exchange>& exchange) {
    exchange->respond(Response{.body = request.method + " " + request.target + " " + request.body});
  }
  static std::string get_request(std::string_view target) {
    return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n";
  }
  std::unique_ptr<RawPeer> dial() { return std::make_unique<RawPeer>(loop_, port_, "127.0.0.1"); }

  /// Sends the bytes and waits until the server has closed the connection.
  std::string answer_to(std::string_view bytes) {
    const auto peer = dial();
    peer->send(bytes);
    wait([&] { return peer->ended(); }, "the server to close");
    return peer->received();
  }

  Endpoint plain() const { return Endpoint{.host = "127.0.0.1", .port = port_, .tls = false}; }
  Endpoint tls() const { return Endpoint{.host = "127.0.0.1", .port = port_, .ca_pem = ca().certificate_pem}; }

  static ResponseSink record(Outcome& outcome) {
    ResponseSink sink;
    sink.on_head = [&outcome](int status, const Headers& headers) {
      outcome.status = status;
      outcome.headers = headers;
    };
    sink.on_data = [&outcome](std::string_view bytes) { outcome.body += bytes; };
    sink.on_end = [&outcome](const Status& status) {
      EXPECT_FALSE(outcome.ended) << "on_end came twice";
      outcome.ended = true;
      outcome.failed = !status.has_value();
      if (outcome.failed) outcome.error = status.error().message;
      if (outcome.failed) outcome.reason = status.error().reason;
    };
    return sink;
  }
  Outcome fetch(HttpClient& client, Request request) {
    Outcome outcome;
    const auto call = client.send(std::move(request), record(outcome));
    wait([&] { return outcome.ended; }, "the answer");
    return outcome;
  }

  static const KeyPair& ca() {
    static const KeyPair pair = *make_ca(std::chrono::system_clock::now());
    return pair;
  }
  static const KeyPair& certificate() {
    static const KeyPair pair =
        *make_server_certificate(ca(), {"localhost", "127.0.0.1"}, std::chrono::system_clock::now());
    return pair;
  }

  EventLoop loop_;
  std::unique_ptr<HttpServer> server_;
  int port_ = 0;
};

}  // namespace muster::net
