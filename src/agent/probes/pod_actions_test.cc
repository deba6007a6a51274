// The requests of probes, to servers of the test on the loopback interface.
#include "agent/probes/pod_actions.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/log.h"

namespace muster::agent {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;
using Kind = ProbeResult::Kind;

/// Answers each connection with the bytes that the test chose for it, and then repeats the last piece if it is endless.
class RawServer {
 public:
  explicit RawServer(net::EventLoop& loop) : loop_(loop) {
    listener_ = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    EXPECT_EQ(::listen(listener_.get(), 16), 0);
    socklen_t size = sizeof at;
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&at), &size);
    port = ntohs(at.sin_port);
    id_ = loop_.on_readable(listener_.get(), [this] { accept(); });
  }
  ~RawServer() {
    loop_.cancel(id_);
    if (flood_id_ != 0) loop_.cancel(flood_id_);
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  int port = 0;
  std::vector<std::string> answers;  // of the connections, in order; the last one is repeated
  std::string endless;
  std::string received;
  std::size_t sent = 0;

 private:
  void accept() {
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    open_.emplace_back(fd);
    loop_.after(20ms, [this, fd] { answer(fd); });
  }
  void answer(int fd) {
    char buffer[4096];
    const ssize_t n = ::recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (n > 0) received.assign(buffer, static_cast<std::size_t>(n));
    const std::string text = answers.empty() ? "" : answers.front();
    if (answers.size() > 1) answers.erase(answers.begin());
    (void)!::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (!endless.empty()) flood(fd);
  }
  void flood(int fd) {
    const ssize_t n = ::send(fd, endless.data(), endless.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EPIPE) return;
    if (n > 0) sent += static_cast<std::size_t>(n);
    flood_id_ = loop_.after(1ms, [this, fd] { flood(fd); });
  }

  net::EventLoop& loop_;
  Fd listener_;
  Loop::Id id_ = 0;
  Loop::Id flood_id_ = 0;
  std::vector<Fd> open_;
};

class PodActionsTest : public ::testing::Test {
 protected:
  ProbeResult result_of(const Action& action, Duration timeout = 10s) {
    std::optional<ProbeResult> result;
    const auto running = actions_.run({.uid = "u", .container = "c", .address = "127.0.0.1"}, action, timeout,
                                      [&result](const ProbeResult& got) { result = got; });
    EXPECT_FALSE(result) << "never inline";
    loop_.run_until([&] { return result.has_value(); });
    return *result;
  }
  HttpAction get(const std::string& path = "/") {
    return {.tls = false, .port = server_.port, .path = path, .headers = {}};
  }
  static std::string response(const std::string& status, const std::string& headers = "",
                              const std::string& body = "") {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n" +
           body;
  }

  net::EventLoop loop_;
  RawServer server_{loop_};
  PodActions actions_{loop_, host_sockets(loop_), [](const std::string&) { return [] { return nullptr; }; }};
};

TEST_F(PodActionsTest, AnHttpProbeIsAKubelets) {
  server_.answers = {response("200 OK")};
  HttpAction action = get("/healthz");
  action.headers = {{"X-Asked", "yes"}, {"Host", "model.example"}};
  EXPECT_EQ(result_of(action).kind, Kind::kSuccess);
  EXPECT_THAT(server_.received, HasSubstr("GET /healthz HTTP/1.1\r\n"));
  EXPECT_THAT(server_.received, HasSubstr("User-Agent: kube-probe/1.33\r\n"));
  EXPECT_THAT(server_.received, HasSubstr("X-Asked: yes\r\n"));
  EXPECT_THAT(server_.received, HasSubstr("Host: model.example\r\n"));
}

TEST_F(PodActionsTest, AnErrorStatusIsAFailureForAProbeAndNotForAHook) {
  server_.answers = {response("503 Service Unavailable")};
  const ProbeResult result = result_of(get());
  EXPECT_EQ(result.kind, Kind::kFailure);
  EXPECT_EQ(result.output, "HTTP probe failed with statuscode: 503");
  HttpAction hook = get();
  hook.takes_any_status = true;
  EXPECT_EQ(result_of(hook).kind, Kind::kSuccess);
}

TEST_F(PodActionsTest, ARedirectIsFollowedToTheSameHostOnly) {
  server_.answers = {response("302 Found", "Location: /other\r\n"), response("500 Oops")};
  EXPECT_EQ(result_of(get()).output, "HTTP probe failed with statuscode: 500");
  EXPECT_THAT(server_.received, HasSubstr("GET /other "));
  server_.answers = {response("302 Found", "Location: http://127.0.0.2:1/\r\n", "moved")};
  const ProbeResult elsewhere = result_of(get());
  EXPECT_EQ(elsewhere.kind, Kind::kWarning);
  EXPECT_EQ(elsewhere.output, "Probe terminated redirects, Response body: moved");
}

TEST_F(PodActionsTest, RedirectsInACircleEnd) {
  server_.answers = {response("302 Found", "Location: /again\r\n")};
  EXPECT_THAT(result_of(get()).output, HasSubstr("stopped after 10 redirects"));
}

TEST_F(PodActionsTest, AnEndlessAnswerIsReadUpToALimit) {
  server_.answers = {"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"};
  server_.endless = std::string(100'000, 'x');
  EXPECT_EQ(result_of(get()).kind, Kind::kSuccess);
  EXPECT_LT(server_.sent, 30'000'000U);
}

TEST_F(PodActionsTest, EndlessHeadersAreAFailure) {
  server_.answers = {"HTTP/1.1 200 OK\r\n"};
  server_.endless = "X: " + std::string(10'000, 'x') + "\r\n";
  EXPECT_EQ(result_of(get()).kind, Kind::kFailure);
}

TEST_F(PodActionsTest, ASilentServerTimesOut) {
  EXPECT_THAT(result_of(get(), 200ms).output, HasSubstr("context deadline exceeded"));
  EXPECT_THAT(result_of(GrpcAction{server_.port, ""}, 200ms).output, HasSubstr("timeout"));
}

TEST_F(PodActionsTest, WhatIsNotHttpIsAFailure) {
  server_.answers = {"SSH-2.0-OpenSSH\r\n"};
  EXPECT_EQ(result_of(get()).kind, Kind::kFailure);
  EXPECT_EQ(result_of(GrpcAction{server_.port, ""}).output, "the answer is not HTTP/2");
}

TEST_F(PodActionsTest, AHealthyGrpcServer) {
  server_.answers = {std::string("\0\0\0\4\0\0\0\0\0", 9) + std::string("\0\0\7\0\0\0\0\0\1\0\0\0\0\2\x08\1", 16)};
  EXPECT_EQ(result_of(GrpcAction{server_.port, "s"}).kind, Kind::kSuccess);
}

TEST_F(PodActionsTest, AnEndlessGrpcAnswerIsAFailure) {
  server_.endless = std::string("\0\0\x08\6\0\0\0\0\0pingping", 17);
  for (int i = 0; i < 8; ++i) server_.endless += server_.endless;
  EXPECT_EQ(result_of(GrpcAction{server_.port, ""}).output, "the answer is too long");
}

TEST_F(PodActionsTest, ATcpProbeConnects) {
  EXPECT_EQ(result_of(TcpAction{server_.port}).kind, Kind::kSuccess);
}

TEST_F(PodActionsTest, AClosedPortIsAFailure) {
  int port = 0;
  {
    const RawServer gone(loop_);
    port = gone.port;
  }
  const std::string why = "dial tcp 127.0.0.1:" + std::to_string(port) + ": connect: connection refused";
  EXPECT_EQ(result_of(TcpAction{port}).output, why);
  EXPECT_THAT(result_of(HttpAction{.tls = false, .port = port, .path = "/", .headers = {}}).output,
              HasSubstr("connection refused"));
  EXPECT_THAT(result_of(GrpcAction{port, ""}).output, HasSubstr(why));
}

TEST_F(PodActionsTest, APortThatHasNoNumberIsAnErrorOfTheProbe) {
  EXPECT_EQ(result_of(TcpAction{0}).kind, Kind::kError);
}

TEST_F(PodActionsTest, ACommandWithoutAShimIsAnErrorOfTheProbe) {
  EXPECT_EQ(result_of(ExecAction{{"true"}}).kind, Kind::kError);
}

TEST_F(PodActionsTest, SleepEndsByItself) {
  EXPECT_EQ(result_of(SleepAction{10ms}).kind, Kind::kSuccess);
}

TEST_F(PodActionsTest, AnActionThatIsDroppedCallsNobody) {
  for (const Action& action : {Action(get()), Action(TcpAction{server_.port}), Action(GrpcAction{server_.port, ""})}) {
    auto running = actions_.run({.uid = "u", .container = "c", .address = "127.0.0.1"}, action, 10s,
                                [](const ProbeResult&) { FAIL(); });
    running.reset();
  }
  bool is_over = false;
  loop_.after(100ms, [&is_over] { is_over = true; });
  loop_.run_until([&] { return is_over; });
}

}  // namespace
}  // namespace muster::agent
