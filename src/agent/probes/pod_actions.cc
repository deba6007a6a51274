#include "agent/probes/pod_actions.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>

#include "agent/probes/grpc_frames.h"
#include "agent/probes/http_redirect.h"
#include "agent/shim/fd_streams.h"
#include "base/overloaded.h"
#include "base/strings.h"
#include "net/http_client.h"

namespace muster::agent {
namespace {

using Kind = ProbeResult::Kind;

constexpr std::size_t kLongestOutput = 10 << 10;  // a kubelet's limit; what follows is not read
constexpr std::size_t kLongestGrpcAnswer = 64 << 10;
constexpr int kMostRedirects = 10;
constexpr Duration kLongestConnect = std::chrono::seconds(30);  // of a hook, which has no timeout of its own

/// What all actions share: the timeout, and one result.
class TimedAction : public RunningAction {
 public:
  TimedAction(net::EventLoop& loop, ActionRunner::Done done) : loop_(loop), done_(std::move(done)) {}
  ~TimedAction() override {
    if (timer_ != 0) loop_.cancel(timer_);
  }
  TimedAction(const TimedAction&) = delete;
  TimedAction& operator=(const TimedAction&) = delete;

  void limit(std::optional<Duration> timeout) {
    if (!timeout) return;
    connect_timeout_ = *timeout;
    timer_ = loop_.after(*timeout, lifetime_.guard([this] {
      timer_ = 0;
      finish(on_timeout());
    }));
  }

 protected:
  virtual ProbeResult on_timeout() = 0;
  /// The result travels by the loop, so the callback may destroy this, whoever called.
  void finish(ProbeResult result) {
    if (std::exchange(is_finished_, true)) return;
    loop_.post(lifetime_.guard([this, result = std::move(result)] {
      auto done = std::move(done_);
      done(result);
    }));
  }
  void fail(std::string why) { finish({Kind::kFailure, std::move(why)}); }
  bool is_finished() const { return is_finished_; }

  net::EventLoop& loop_;
  Duration connect_timeout_ = kLongestConnect;
  Lifetime lifetime_;

 private:
  ActionRunner::Done done_;
  Loop::Id timer_ = 0;
  bool is_finished_ = false;
};

class Command final : public TimedAction {
 public:
  Command(net::EventLoop& loop, FindChannel channel, const ActionTarget& target, const ExecAction& action,
          ActionRunner::Done done)
      : TimedAction(loop, std::move(done)), command_(action.command) {
    node::ExecRequest request;
    request.pod_uid = target.uid;
    request.container = target.container;
    request.command = action.command;
    request.with_stdout = request.with_stderr = true;
    const auto collect = [this](std::string_view text) {
      output_.append(text.substr(0, kLongestOutput - std::min(output_.size(), kLongestOutput)));
    };
    auto session = begin_exec(loop, std::move(channel), request,
                              {.on_stdout = collect,
                               .on_stderr = collect,
                               .on_exit = lifetime_.guard([this](const Result<int>& code) { on_exit(code); })});
    if (session) {
      session_ = *std::move(session);
    } else {
      finish({Kind::kError, session.error().message});
    }
  }

 private:
  void on_exit(const Result<int>& code) {
    if (!code) return finish({Kind::kError, code.error().message});
    finish({*code == 0 ? Kind::kSuccess : Kind::kFailure, output_});
  }
  ProbeResult on_timeout() override {
    session_.reset();  // kills the command
    return {Kind::kFailure, fmt::format("command {} timed out", quote(join(command_, " ")))};
  }

  std::vector<std::string> command_;
  std::string output_;
  std::unique_ptr<node::ExecSession> session_;
};

class Dial final : public TimedAction {
 public:
  Dial(net::EventLoop& loop, const OpenPodSocket& open, const ActionTarget& target, int port, Duration timeout,
       ActionRunner::Done done)
      : TimedAction(loop, std::move(done)) {
    connect_to_pod(loop, open, target.uid, target.address, port, timeout,
                   lifetime_.guard([this](const Result<Fd>& connected) {
                     finish(connected ? ProbeResult{} : ProbeResult{Kind::kFailure, connected.error().message});
                   }));
  }

 private:
  ProbeResult on_timeout() override { return {Kind::kFailure, "i/o timeout"}; }  // the connection says so before
};

class Get final : public TimedAction {
 public:
  Get(net::EventLoop& loop, const OpenPodSocket& open, const ActionTarget& target, const HttpAction& action,
      ActionRunner::Done done)
      : TimedAction(loop, std::move(done)), open_(open), target_(target), action_(action) {
    at_ = {.tls = action.tls, .host = target.address, .port = action.port, .target = action.path};
  }

  void start() {
    body_.clear();
    location_.clear();
    status_ = 0;
    call_.reset();
    net::Endpoint endpoint;
    endpoint.host = at_.host;
    endpoint.port = at_.port;
    endpoint.tls = at_.tls;
    endpoint.insecure_skip_verify = true;  // as a kubelet does
    endpoint.connect_timeout = connect_timeout_;
    endpoint.open_socket = [open = open_, uid = target_.uid](UniqueFunction<void(Result<Fd>)> done) {
      open(uid, std::move(done));
    };
    client_ = std::make_unique<net::HttpClient>(loop_, std::move(endpoint));
    call_ = client_->send(request(), {.on_head =
                                          [this](int status, const net::Headers& headers) {
                                            status_ = status;
                                            location_ = headers.get("Location");
                                          },
                                      .on_data = [this](std::string_view bytes) { take(bytes); },
                                      .on_shared = nullptr,
                                      .on_end = [this](const Status& end) { on_end(end); },
                                      .on_sent = nullptr});
  }

 private:
  net::Request request() const {
    net::Request request;
    request.method = "GET";
    request.target = at_.target;
    request.headers = {{"User-Agent", "kube-probe/1.33"}, {"Accept", "*/*"}, {"Connection", "close"}};
    for (const auto& [name, value] : action_.headers) {
      if (to_lower(name) == "user-agent" || to_lower(name) == "accept" || to_lower(name) == "host") {
        request.headers.set(name, value);
      } else {
        request.headers.add(name, value);
      }
    }
    return request;
  }

  void take(std::string_view bytes) {
    body_.append(bytes.substr(0, kLongestOutput - std::min(body_.size(), kLongestOutput)));
    if (body_.size() >= kLongestOutput) conclude();
  }

  void on_end(const Status& end) {
    if (end || status_ != 0) return conclude();
    fail(fmt::format("Get {}: {}", quote(at_.url()), end.error().message));
  }

  void conclude() {
    if (is_finished()) return;
    if (action_.takes_any_status) return finish({});
    if (status_ < 200 || status_ >= 400) return fail(fmt::format("HTTP probe failed with statuscode: {}", status_));
    if (status_ < 300) return finish({Kind::kSuccess, ""});
    const auto to = is_redirect() ? redirected(at_, location_) : std::nullopt;
    // Another host's answer says nothing about this container.
    if (!to || to->host != target_.address)
      return finish({Kind::kWarning, "Probe terminated redirects, Response body: " + body_});
    if (++redirects_ >= kMostRedirects)
      return fail(fmt::format("Get {}: stopped after 10 redirects", quote(to->url())));
    at_ = *to;
    loop_.post(lifetime_.guard([this] {
      if (!is_finished()) start();
    }));
  }

  bool is_redirect() const {
    return !location_.empty() &&
           (status_ == 301 || status_ == 302 || status_ == 303 || status_ == 307 || status_ == 308);
  }

  ProbeResult on_timeout() override {
    return {Kind::kFailure,
            fmt::format("Get {}: context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
                        quote(at_.url()))};
  }

  OpenPodSocket open_;
  ActionTarget target_;
  HttpAction action_;
  ProbeAddress at_;
  int status_ = 0;
  int redirects_ = 0;
  std::string location_;
  std::string body_;
  std::unique_ptr<net::HttpClient> client_;
  std::unique_ptr<net::Call> call_;  // ends before its client
};

class HealthCall final : public TimedAction {
 public:
  HealthCall(net::EventLoop& loop, const OpenPodSocket& open, const ActionTarget& target, const GrpcAction& action,
             Duration timeout, ActionRunner::Done done)
      : TimedAction(loop, std::move(done)), call_(action.service, fmt::format("{}:{}", target.address, action.port)) {
    connect_to_pod(
        loop, open, target.uid, target.address, action.port, timeout, lifetime_.guard([this](Result<Fd> connected) {
          if (!connected)
            return fail("error: this container does not support gRPC health checks: " + connected.error().message);
          begin(*std::move(connected));
        }));
  }

 private:
  void begin(Fd socket) {
    Fd other(::fcntl(socket.get(), F_DUPFD_CLOEXEC, 0));
    writer_.emplace(loop_, std::move(other));
    reader_.emplace(
        loop_, std::move(socket), [this](std::string_view bytes) { take(bytes); },
        [this] { fail("the server ended the connection"); });
    writer_->write(call_.take_output());
  }

  void take(std::string_view bytes) {
    if (is_finished()) return;
    received_ += bytes.size();
    auto result = call_.put(bytes);
    if (result) return finish(*std::move(result));
    if (received_ > kLongestGrpcAnswer) return fail("the answer is too long");
    writer_->write(call_.take_output());
  }

  ProbeResult on_timeout() override { return {Kind::kFailure, "timeout: health rpc did not complete in time"}; }

  GrpcHealthCall call_;
  std::size_t received_ = 0;
  std::optional<FdWriter> writer_;
  std::optional<FdReader> reader_;
};

class Sleep final : public TimedAction {
 public:
  Sleep(net::EventLoop& loop, Duration time, ActionRunner::Done done) : TimedAction(loop, std::move(done)) {
    limit(time);
  }

 private:
  ProbeResult on_timeout() override { return {}; }
};

/// An action that cannot be begun.
class Impossible final : public TimedAction {
 public:
  Impossible(net::EventLoop& loop, std::string why, ActionRunner::Done done) : TimedAction(loop, std::move(done)) {
    finish({Kind::kError, std::move(why)});
  }

 private:
  ProbeResult on_timeout() override { return {}; }
};

int port_of(const Action& action) {
  return std::visit(Overloaded{[](const HttpAction& a) { return a.port; }, [](const TcpAction& a) { return a.port; },
                               [](const GrpcAction& a) { return a.port; }, [](const auto&) { return 1; }},
                    action);
}

}  // namespace

std::unique_ptr<RunningAction> PodActions::run(const ActionTarget& target, const Action& action,
                                               std::optional<Duration> timeout, Done done) {
  if (port_of(action) == 0)
    return std::make_unique<Impossible>(loop_, "the container has no port of this name", std::move(done));
  const Duration connect_within = timeout.value_or(kLongestConnect);
  const auto limited = [&](auto running) -> std::unique_ptr<RunningAction> {
    running->limit(timeout);
    return running;
  };
  return std::visit(
      Overloaded{
          [&](const ExecAction& a) {
            return limited(std::make_unique<Command>(loop_, channel_of_(target.uid), target, a, std::move(done)));
          },
          [&](const HttpAction& a) {
            auto get = std::make_unique<Get>(loop_, open_, target, a, std::move(done));
            get->limit(timeout);
            get->start();
            return std::unique_ptr<RunningAction>(std::move(get));
          },
          [&](const TcpAction& a) {
            return limited(std::make_unique<Dial>(loop_, open_, target, a.port, connect_within, std::move(done)));
          },
          [&](const GrpcAction& a) {
            return limited(std::make_unique<HealthCall>(loop_, open_, target, a, connect_within, std::move(done)));
          },
          [&](const SleepAction& a) {
            return std::unique_ptr<RunningAction>(std::make_unique<Sleep>(loop_, a.time, std::move(done)));
          }},
      action);
}

}  // namespace muster::agent
