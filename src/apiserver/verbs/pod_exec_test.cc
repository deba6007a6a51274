#include <gmock/gmock.h>

#include "client/exec_channels.h"
#include "client/remote_exec.h"
#include "net/web_socket.h"
#include "testing/engine_fixture.h"
#include "testing/fake_node.h"

namespace muster::apiserver {
namespace {

using client::Channel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Program = testing::FakeNode::Program;

constexpr std::uint32_t kMask = 0x01020304;
constexpr std::size_t kMuch = std::size_t{4} << 20;

class Exec : public Engine {
 protected:
  void SetUp() override {
    Engine::SetUp();
    server_->set_node(&node_);
    make_pod("p", R"([{"name":"a","image":"i"}])", R"({"running":{}})");
  }

  /// The clients leave: until then an exchange and its exec hold each other.
  void TearDown() override {
    for (const auto& exchange : exchanges_) {
      if (exchange->gone) std::exchange(exchange->gone, nullptr)();
    }
    loop_.settle();
    for (const auto& exchange : exchanges_) exchange->gone = nullptr;
    Engine::TearDown();
  }

  void make_pod(const std::string& name, const std::string& containers, const std::string& state) {
    const std::string pod =
        R"({"metadata":{"name":")" + name + R"("},"spec":{"nodeName":"n","containers":)" + containers + "}}";
    ASSERT_EQ(call("POST", kPods, pod)->status, 201);
    const std::string status = R"({"status":{"phase":"Running","containerStatuses":[{"name":"a","image":"i",)"
                               R"("imageID":"","ready":true,"restartCount":0,"state":)" +
                               state + "}]}}";
    ASSERT_EQ(call("PATCH", std::string(kPods) + "/" + name + "/status", status)->status, 200);
  }

  static net::Request request(const std::string& target, const std::string& protocol) {
    net::Request out{.method = "GET", .target = std::string(kPods) + target};
    out.headers = net::make_handshake("dGhlIHNhbXBsZSBub25jZQ==", {protocol});
    out.peer.in_process = true;
    return out;
  }
  std::shared_ptr<Recorder> send(net::Request what) {
    auto exchange = std::make_shared<Recorder>();
    server_->handle(std::move(what), exchange);
    exchanges_.push_back(exchange);
    return exchange;
  }
  std::shared_ptr<Recorder> open(const std::string& target, const std::string& protocol = "v5.channel.k8s.io") {
    return send(request(target, protocol));
  }
  std::string message_of(const std::string& target) {
    const auto answer = json::parse(open(target)->body);
    return answer ? std::to_string(answer->int_at("code")) + " " + answer->string_at("message") : "";
  }

  /// The messages that the client has received, each with its channel.
  static std::vector<std::string> messages(const Recorder& exchange) {
    std::vector<std::string> out;
    net::FrameReader reader(net::WebSocketRole::kClient, net::WebSocket::kMaxMessage);
    std::string message;
    reader.put(exchange.body, [&](const net::FramePiece& piece) {
      if (piece.kind == net::FramePiece::Kind::kClose) out.push_back("close");
      if (piece.kind == net::FramePiece::Kind::kPing) out.push_back("ping");
      if (piece.kind != net::FramePiece::Kind::kMessage) return true;
      message += piece.bytes;
      if (!piece.last) return true;
      out.push_back(std::to_string(static_cast<unsigned char>(message.at(0))) + " " + message.substr(1));
      message.clear();
      return true;
    });
    return out;
  }
  static void say(Recorder& exchange, Channel channel, const std::string& text) {
    exchange.input.on_data(net::make_frame(2, client::channel_prefix(channel), text, kMask));
  }
  Program& program() { return *node_.programs.at(node_.programs.size() - 1); }

  testing::FakeNode node_;
  std::vector<std::shared_ptr<Recorder>> exchanges_;
};

TEST_F(Exec, RunsACommandAndTellsItsExitCode) {
  const auto exchange =
      open("/p/exec?command=sh&command=-c&command=exit%203&stdin=true&stdout=true&stderr=true&container=a");
  EXPECT_EQ(exchange->status, 101);
  EXPECT_EQ(exchange->headers.get("Sec-WebSocket-Protocol"), "v5.channel.k8s.io");
  EXPECT_THAT(program().request.command, ElementsAre("sh", "-c", "exit 3"));
  EXPECT_EQ(program().request.container, "a");
  EXPECT_FALSE(program().attached);
  say(*exchange, Channel::kStdin, "in");
  say(*exchange, Channel::kClose, std::string(1, '\0'));
  EXPECT_EQ(program().input, "in");
  EXPECT_TRUE(program().input_closed);
  program().sink.on_stdout("out");
  program().sink.on_stderr("err");
  program().sink.on_exit(3);
  EXPECT_THAT(messages(*exchange),
              ElementsAre("1 ", "1 out", "2 err",
                          R"(3 {"metadata":{},"status":"Failure","message":"command terminated with non-zero exit )"
                          R"(code: exit status 3","reason":"NonZeroExitCode","details":{"causes":[{"reason":)"
                          R"("ExitCode","message":"3"}]}})",
                          "close"));
  EXPECT_TRUE(exchange->ended);
  loop_.settle();
  EXPECT_TRUE(program().dropped);
}

TEST_F(Exec, SuccessIsAStatusToo) {
  const auto exchange = open("/p/exec?command=true&stdout=true", "v4.channel.k8s.io");
  EXPECT_EQ(exchange->headers.get("Sec-WebSocket-Protocol"), "v4.channel.k8s.io");
  program().sink.on_exit(0);
  EXPECT_THAT(messages(*exchange), ElementsAre("1 ", R"(3 {"metadata":{},"status":"Success"})", "close"));
}

TEST_F(Exec, AProgramThatCannotStartTellsWhy) {
  const auto exchange = open("/p/exec?command=nothing&stdout=true");
  program().sink.on_exit(Error{.reason = Reason::kNotFound, .message = "no such program"});
  EXPECT_THAT(messages(*exchange).at(1),
              HasSubstr(R"(error executing command in container: no such program","reason":"InternalError")"));
}

TEST_F(Exec, ATerminalHasASizeAndNoSecondOutput) {
  const auto exchange = open("/p/exec?command=sh&stdin=true&stdout=true&stderr=true&tty=true");
  EXPECT_TRUE(program().request.tty);
  EXPECT_FALSE(program().request.with_stderr);
  say(*exchange, Channel::kResize, R"({"Width":80,"Height":24})");
  say(*exchange, Channel::kResize, "nonsense");
  say(*exchange, Channel::kResize, R"({"Width":100000,"Height":-1})");
  EXPECT_THAT(program().sizes, ElementsAre(node::TerminalSize{.rows = 24, .columns = 80},
                                           node::TerminalSize{.rows = 0, .columns = 0xffff}));
}

TEST_F(Exec, AttachHasNoCommand) {
  open("/p/attach?stdin=true&stdout=true&command=ignored");
  EXPECT_TRUE(program().attached);
  EXPECT_THAT(program().request.command, IsEmpty());
}

TEST_F(Exec, InputThatNobodyAskedForIsDropped) {
  const auto exchange = open("/p/exec?command=cat&stdout=true");
  say(*exchange, Channel::kStdin, "x");
  say(*exchange, Channel::kClose, std::string(1, '\0'));
  EXPECT_EQ(program().input, "");
  EXPECT_FALSE(program().input_closed);
}

TEST_F(Exec, AClientThatLeavesEndsTheProgram) {
  const auto exchange = open("/p/exec?command=sleep&stdout=true");
  exchange->gone();
  loop_.settle();
  EXPECT_TRUE(program().dropped);
  const auto closing = open("/p/exec?command=sleep&stdout=true");
  closing->input.on_data(net::make_frame(8, "", "\x03\xe8", kMask));
  loop_.settle();
  EXPECT_TRUE(program().dropped);
  EXPECT_TRUE(closing->ended);
}

TEST_F(Exec, ASlowReaderMakesTheProgramWait) {
  const auto exchange = open("/p/exec?command=yes&stdout=true");
  exchange->backlog = kMuch;
  program().sink.on_stdout("y");
  EXPECT_TRUE(program().paused);
  exchange->read_until(0);
  EXPECT_FALSE(program().paused);
}

TEST_F(Exec, ASlowProgramMakesTheClientWait) {
  const auto exchange = open("/p/exec?command=cat&stdin=true&stdout=true");
  program().unread = kMuch;
  say(*exchange, Channel::kStdin, "x");
  EXPECT_TRUE(exchange->input_paused);
  program().read_until(0);
  EXPECT_FALSE(exchange->input_paused);
}

TEST_F(Exec, ASilentConnectionIsProbed) {
  const auto exchange = open("/p/exec?command=sleep&stdout=true");
  loop_.advance(std::chrono::seconds(31));
  EXPECT_THAT(messages(*exchange), ElementsAre("1 ", "ping", "ping"));
}

TEST_F(Exec, RefusalsHaveTheWordsOfKubernetes) {
  make_pod("two", R"([{"name":"a","image":"i"},{"name":"b","image":"i"}])", R"({"terminated":{"exitCode":0}})");
  ASSERT_EQ(
      call("POST", kPods, R"({"metadata":{"name":"new"},"spec":{"containers":[{"name":"a","image":"i"}]}})")->status,
      201);
  EXPECT_EQ(message_of("/none/exec?command=a&stdout=1"), "404 pods \"none\" not found");
  EXPECT_EQ(message_of("/two/exec?command=a&stdout=1"),
            "400 a container name must be specified for pod two, choose one of: [a b]");
  EXPECT_EQ(message_of("/p/exec?command=a&stdout=1&container=x"), "400 container x is not valid for pod p");
  EXPECT_EQ(message_of("/new/exec?command=a&stdout=1"), "400 pod new does not have a host assigned");
  EXPECT_EQ(message_of("/p/exec?command=a"), "400 you must specify at least 1 of stdin, stdout, stderr");
  EXPECT_EQ(message_of("/p/exec?stdout=1"), "400 you must specify at least one command for the container");
  EXPECT_THAT(message_of("/two/exec?command=a&stdout=1&container=a"),
              HasSubstr("500 unable to upgrade connection: container not found (\"a\")"));
  node_.refusal = Error{.reason = Reason::kServiceUnavailable, .message = "not now"};
  EXPECT_EQ(message_of("/p/exec?command=a&stdout=1"), "503 not now");
  EXPECT_THAT(node_.programs, IsEmpty());
}

TEST_F(Exec, WhatIsNotAWebSocketOfTheseProtocolsIsRefused) {
  const std::string target = "/p/exec?command=a&stdout=1";
  EXPECT_THAT(call("GET", kPods + target)->body, HasSubstr("Upgrade request required"));
  EXPECT_THAT(call("POST", kPods + target)->body, HasSubstr("Upgrade request required"));
  EXPECT_THAT(open(target, "v3.channel.k8s.io")->body, HasSubstr("must offer v5.channel.k8s.io or v4"));
  net::Request spdy = request(target, "v5.channel.k8s.io");
  spdy.method = "POST";
  spdy.headers.set("Upgrade", "SPDY/3.1");
  EXPECT_THAT(send(std::move(spdy))->body, HasSubstr("use kubectl 1.30 or newer"));
  EXPECT_EQ(call("PUT", kPods + target)->status, 405);
  EXPECT_THAT(node_.programs, IsEmpty());
}

TEST_F(Exec, ABrowserOffersItsTokenAsAProtocol) {
  const auto with = [&](const std::string& token) {
    net::Request out = request("/p/exec?command=a&stdout=1", "base64url.bearer.authorization.k8s.io." + token);
    out.headers.add("Sec-WebSocket-Protocol", "v5.channel.k8s.io");
    out.headers.set("Host", "here");
    out.peer.in_process = false;
    return send(std::move(out));
  };
  const auto known = with("dA");  // "t"
  EXPECT_EQ(known->status, 101);
  EXPECT_EQ(known->headers.get("Sec-WebSocket-Protocol"), "v5.channel.k8s.io");
  EXPECT_EQ(with("eA")->status, 401);
  EXPECT_EQ(with("%%")->status, 401);
}

/// The client's half over the same server.
class RemoteExec : public Exec {
 protected:
  void SetUp() override {
    Exec::SetUp();
    transport_ = std::make_unique<LocalTransport>(loop_, *server_);
    client_ = std::make_unique<client::ApiClient>(*transport_, "");
  }
  node::ExecSink sink() {
    node::ExecSink out;
    out.on_stdout = [this](std::string_view bytes) { out_ += bytes; };
    out.on_stderr = [this](std::string_view bytes) { err_ += bytes; };
    out.on_exit = [this](Result<int> exit) { exit_ = std::move(exit); };
    return out;
  }
  std::unique_ptr<LocalTransport> transport_;
  std::unique_ptr<client::ApiClient> client_;
  std::string out_;
  std::string err_;
  std::optional<Result<int>> exit_;
};

TEST_F(RemoteExec, CarriesAllStreamsAndTheExitCode) {
  const auto session = client::open_exec(*client_, rng_,
                                         {.ns = "default",
                                          .pod = "p",
                                          .container = "a",
                                          .command = {"sh", "-c", "a b&c"},
                                          .with_stdin = true,
                                          .with_stdout = true,
                                          .with_stderr = true},
                                         sink());
  session->write_stdin("early ");
  session->resize({.rows = 2, .columns = 3});
  loop_.settle();
  session->write_stdin("late");
  session->close_stdin();
  loop_.settle();
  EXPECT_THAT(program().request.command, ElementsAre("sh", "-c", "a b&c"));
  EXPECT_EQ(program().input, "early late");
  EXPECT_TRUE(program().input_closed);
  EXPECT_THAT(program().sizes, ElementsAre(node::TerminalSize{.rows = 2, .columns = 3}));
  program().sink.on_stdout("o");
  program().sink.on_stderr("e");
  program().sink.on_exit(7);
  loop_.settle();
  EXPECT_EQ(out_, "o");
  EXPECT_EQ(err_, "e");
  ASSERT_TRUE(exit_ && exit_->has_value());
  EXPECT_EQ(**exit_, 7);
}

TEST_F(RemoteExec, OutputWaitsWhileItIsPaused) {
  const auto session =
      client::open_exec(*client_, rng_, {.ns = "default", .pod = "p", .command = {"yes"}, .with_stdout = true}, sink());
  loop_.settle();
  session->pause_output();
  program().sink.on_stdout(std::string(kMuch, 'y'));
  loop_.settle();
  EXPECT_EQ(out_, "");
  EXPECT_TRUE(program().paused);
  session->resume_output();
  loop_.settle();
  EXPECT_EQ(out_.size(), kMuch);
  EXPECT_FALSE(program().paused);
}

TEST_F(RemoteExec, ARefusalIsTheEnd) {
  const auto session = client::open_exec(
      *client_, rng_, {.ns = "default", .pod = "none", .command = {"a"}, .with_stdout = true}, sink());
  loop_.settle();
  ASSERT_TRUE(exit_);
  EXPECT_EQ(exit_->error().reason, Reason::kNotFound);
}

TEST_F(RemoteExec, DroppingTheSessionEndsTheProgram) {
  auto session = client::open_exec(*client_, rng_,
                                   {.ns = "default", .pod = "p", .command = {"sleep"}, .with_stdout = true}, sink());
  loop_.settle();
  session.reset();
  loop_.settle();
  EXPECT_TRUE(program().dropped);
  EXPECT_FALSE(exit_);
}

}  // namespace
}  // namespace muster::apiserver
